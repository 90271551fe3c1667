// SPDX-License-Identifier: GPL-2.0-only
#include "shared-buffer.h"

#include "class-values.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SharedBuffer);

namespace
{

ObjectFactory
DefaultPolicy()
{
    ObjectFactory factory;
    factory.SetTypeId(DynamicThresholdPolicy::GetTypeId());
    return factory;
}

/// @param attribute for the message @param text CLASS:VALUE list @param error set if it is none
ClassValues
ParseAttribute(const std::string& attribute, const std::string& text, std::string& error)
{
    std::string why;
    ClassValues values = ClassValues::Parse(text, why);
    if (!why.empty() && error.empty())
    {
        error = "SharedBuffer::" + attribute + ": " + why;
    }
    return values;
}

/// @return empty if it is what it should be. They are called at each frame: no copies.
std::string
Compare(const char* what, uint64_t is, uint64_t should)
{
    return is == should ? std::string()
                        : std::string(what) + ": " + std::to_string(is) +
                              " B booked, but its parts add up to " + std::to_string(should) + " B";
}

/// @return empty unless it holds more than it can
std::string
Exceeds(const char* what, uint64_t used, uint64_t size)
{
    return used <= size ? std::string()
                        : std::string(what) + " of " + std::to_string(size) + " B holds " +
                              std::to_string(used) + " B";
}

} // namespace

TypeId
SharedBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SharedBuffer")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<SharedBuffer>()
            .AddAttribute("Size",
                          "Packet memory (bytes).",
                          UintegerValue(64 * 1024 * 1024),
                          MakeUintegerAccessor(&SharedBuffer::m_sizeBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("CellSize",
                          "A frame takes whole cells of this size (bytes); 0 or 1: what it has.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_cellBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Policy",
                          "Buffer management, a BufferPolicy: its name, with attributes in "
                          "brackets if need be, as in "
                          "ns3::StaticThresholdPolicy[IngressBytes=100000].",
                          ObjectFactoryValue(DefaultPolicy()),
                          MakeObjectFactoryAccessor(&SharedBuffer::m_policyFactory),
                          MakeObjectFactoryChecker())
            .AddAttribute("Reserved",
                          "Bytes that each ingress port and class has for itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&SharedBuffer::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ClassReserved",
                          "Reserved of single classes: CLASS:BYTES,CLASS:BYTES.",
                          StringValue(""),
                          MakeStringAccessor(&SharedBuffer::m_reservedText),
                          MakeStringChecker())
            .AddAttribute("Alpha",
                          "Dynamic threshold of a lossless ingress class, as a share of what is "
                          "free of the shared pool.",
                          DoubleValue(1.0 / 8),
                          MakeDoubleAccessor(&SharedBuffer::m_alpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("LossyAlpha",
                          "Dynamic threshold of a lossy egress queue, likewise.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&SharedBuffer::m_lossyAlpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("IngressAlpha",
                          "Alpha of the ingress accounts of single classes: "
                          "CLASS:ALPHA,CLASS:ALPHA. A lossy class that is named here is limited at "
                          "its ingress, too.",
                          StringValue(""),
                          MakeStringAccessor(&SharedBuffer::m_ingressAlphaText),
                          MakeStringChecker())
            .AddAttribute("EgressAlpha",
                          "Alpha of the egress queues of single classes: CLASS:ALPHA,CLASS:ALPHA. "
                          "A lossless class that is named here is limited at its egress, too: "
                          "what would pass the limit goes into headroom, so that its sender is "
                          "paused.",
                          StringValue(""),
                          MakeStringAccessor(&SharedBuffer::m_egressAlphaText),
                          MakeStringChecker())
            .AddAttribute("LossyIngressLimited",
                          "Bit c: the policy limits the ingress accounts of class c also where it "
                          "is lossy.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_lossyIngressLimited),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LosslessEgressLimited",
                          "Bit c: the policy limits the egress queues of class c also where it is "
                          "lossless.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_losslessEgressLimited),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LossyPool",
                          "Of what is shared, bytes that lossy classes have for themselves; they "
                          "have no others then. 0: one pool for all classes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_lossyPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressLosslessPool",
                          "Most bytes that may wait in the egress queues of all lossless classes, "
                          "beyond ingress reserves and headroom. 0: no such bound.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_egressPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressLossyPool",
                          "Most bytes that may wait in the egress queues of all lossy classes, "
                          "beyond ingress reserves. 0: no such bound.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_egressLossyPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomPool",
                          "Headroom that all ports and classes share (bytes), each up to its own "
                          "need. 0: each has its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedBuffer::m_headroomPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomOversubscription",
                          "The HeadroomPool must hold the sum of all needs over this. Above 1, "
                          "lossless classes may drop when many ports pause at once; see "
                          "GetGuaranteedPauses().",
                          DoubleValue(1),
                          MakeDoubleAccessor(&SharedBuffer::m_oversubscription),
                          MakeDoubleChecker<double>(1.0))
            .AddAttribute("XonOffset",
                          "A paused class is opened once its shared part is this far below the "
                          "threshold (bytes).",
                          UintegerValue(3 * 4096),
                          MakeUintegerAccessor(&SharedBuffer::m_xonOffsetBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ClassXonOffset",
                          "XonOffset of single classes: CLASS:BYTES,CLASS:BYTES.",
                          StringValue(""),
                          MakeStringAccessor(&SharedBuffer::m_xonOffsetText),
                          MakeStringChecker())
            .AddAttribute("ReferenceRate",
                          "Reserves, XonOffset, alphas, static limits and partitions are for a "
                          "port of this rate, and scale with a port's own. 0: they are the same "
                          "for all ports.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&SharedBuffer::m_referenceRate),
                          MakeDataRateChecker());
    return tid;
}

void
SharedBuffer::DoDispose()
{
    m_policy = nullptr;
    m_keepPolicy = nullptr;
    m_givenPolicy = nullptr;
    Object::DoDispose();
}

// ---------------------------------------------------------------- set-up

void
SharedBuffer::SetPolicy(Ptr<BufferPolicy> policy)
{
    m_givenPolicy = policy;
}

std::string
SharedBuffer::Configure(const std::vector<BufferPort>& ports)
{
    m_ports.clear();
    for (const BufferPort& facts : ports)
    {
        Port& port = m_ports.emplace_back();
        port.facts = facts;
        if (uint64_t reference = m_referenceRate.GetBitRate())
        {
            port.scale = static_cast<double>(facts.bitsPerSecond) / static_cast<double>(reference);
        }
    }
    m_ingress.assign(ports.size() * N_TRAFFIC_CLASSES, IngressAccount());
    m_egress.assign(ports.size() * N_TRAFFIC_CLASSES, EgressQueue());
    m_pools = {};
    m_egressPools = {};
    m_usedBytes = 0;
    m_headroomUsed = 0;
    std::string why = SetClasses();
    why = why.empty() ? LayOut() : why;
    why = why.empty() ? ChoosePools() : why;
    return why.empty() ? ChoosePolicy() : why;
}

uint8_t
SharedBuffer::GetLosslessClasses() const
{
    uint8_t lossless = 0;
    for (const Port& port : m_ports)
    {
        lossless |= port.facts.losslessClasses;
    }
    return lossless;
}

std::string
SharedBuffer::SetClasses()
{
    std::string error;
    ClassValues reserved = ParseAttribute("ClassReserved", m_reservedText, error);
    ClassValues xonOffset = ParseAttribute("ClassXonOffset", m_xonOffsetText, error);
    ClassValues ingressAlpha = ParseAttribute("IngressAlpha", m_ingressAlphaText, error);
    ClassValues egressAlpha = ParseAttribute("EgressAlpha", m_egressAlphaText, error);
    uint8_t lossless = GetLosslessClasses();
    uint8_t lossyLimited = m_lossyIngressLimited | ingressAlpha.GetClasses();
    uint8_t losslessLimited = m_losslessEgressLimited | egressAlpha.GetClasses();
    for (uint32_t p = 0; p < m_ports.size(); ++p)
    {
        const Port& port = m_ports[p];
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            uint8_t bit = 1U << c;
            bool isLossless = port.facts.losslessClasses & bit;
            double alpha = ingressAlpha.Get(c, lossless & bit ? m_alpha : m_lossyAlpha);
            IngressAccount& account = IngressOf(p, c);
            account.reserved = ScaleToPort(p, reserved.GetBytes(c, m_reservedBytes));
            account.xonOffset = ScaleToPort(p, xonOffset.GetBytes(c, m_xonOffsetBytes));
            account.alpha = port.scale * alpha;
            account.headroomLimit = isLossless ? port.facts.headroomBytes : 0;
            account.isLimited = isLossless || (lossyLimited & bit);
            account.limitsEgress = !isLossless || (losslessLimited & bit);
            EgressOf(p, c).alpha = port.scale * egressAlpha.Get(c, m_lossyAlpha);
        }
    }
    return error;
}

std::string
SharedBuffer::LayOut()
{
    if (std::string why = LayOutHeadroom(); !why.empty())
    {
        return why;
    }
    uint64_t reserved = 0;
    for (const IngressAccount& account : m_ingress)
    {
        reserved += account.reserved;
    }
    uint64_t losslessAccounts = 0;
    for (const Port& port : m_ports)
    {
        losslessAccounts += __builtin_popcount(port.facts.losslessClasses);
    }
    if (m_headroomSize >= m_sizeBytes || reserved >= m_sizeBytes - m_headroomSize)
    {
        std::ostringstream why;
        why << "the packet memory of " << m_sizeBytes << " B cannot hold " << m_headroomSize
            << " B of headroom (" << losslessAccounts << " lossless classes of " << m_ports.size()
            << " ports) and " << reserved << " B of reserves, and leave something to share";
        return why.str();
    }
    m_pools[MAIN_POOL].size = m_sizeBytes - reserved - m_headroomSize;
    return "";
}

std::string
SharedBuffer::LayOutHeadroom()
{
    std::vector<uint64_t> needs;
    uint64_t sum = 0;
    for (const Port& port : m_ports)
    {
        for (int i = __builtin_popcount(port.facts.losslessClasses); i > 0; --i)
        {
            needs.push_back(port.facts.headroomBytes);
            sum += port.facts.headroomBytes;
        }
    }
    m_headroomSize = m_headroomPoolBytes ? m_headroomPoolBytes : sum;
    std::sort(needs.rbegin(), needs.rend());
    uint64_t held = 0;
    m_guaranteedPauses = 0;
    for (uint64_t need : needs)
    {
        held += need;
        m_guaranteedPauses += held <= m_headroomSize;
    }
    double wanted = static_cast<double>(sum) / m_oversubscription;
    bool holdsOne = needs.empty() || needs[0] <= m_headroomSize;
    if (static_cast<double>(m_headroomSize) >= wanted && holdsOne)
    {
        return "";
    }
    std::ostringstream why;
    why << "HeadroomPool has " << m_headroomSize << " B, but " << needs.size()
        << " lossless classes of ports need " << sum << " B";
    if (holdsOne)
    {
        why << ", oversubscribed " << m_oversubscription << ":1 still "
            << static_cast<uint64_t>(wanted) << " B. As it is, only " << m_guaranteedPauses
            << " of them may be paused at once without loss; raise the pool, or "
               "HeadroomOversubscription to accept that";
    }
    else
    {
        why << "; not even the largest of them, " << needs[0] << " B, fits";
    }
    return why.str();
}

std::string
SharedBuffer::ChoosePools()
{
    uint64_t shared = m_pools[MAIN_POOL].size;
    if (m_lossyPoolBytes >= shared)
    {
        return "LossyPool of " + std::to_string(m_lossyPoolBytes) + " B leaves nothing of the " +
               std::to_string(shared) + " B that are shared to lossless classes";
    }
    m_pools[MAIN_POOL].size -= m_lossyPoolBytes;
    m_pools[LOSSY_POOL].size = m_lossyPoolBytes;
    m_egressPools[MAIN_POOL].size = m_egressPoolBytes ? m_egressPoolBytes : UINT64_MAX;
    m_egressPools[LOSSY_POOL].size = m_egressLossyPoolBytes ? m_egressLossyPoolBytes : UINT64_MAX;
    m_egressBounded = m_egressPoolBytes || m_egressLossyPoolBytes;
    uint8_t lossless = GetLosslessClasses();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_egressPoolOf[c] = lossless & (1U << c) ? MAIN_POOL : LOSSY_POOL;
        m_poolOf[c] = m_lossyPoolBytes ? m_egressPoolOf[c] : uint8_t{MAIN_POOL};
    }
    return "";
}

std::string
SharedBuffer::ChoosePolicy()
{
    m_keepPolicy = m_givenPolicy;
    if (!m_keepPolicy)
    {
        TypeId type = m_policyFactory.GetTypeId();
        if (!type.IsChildOf(BufferPolicy::GetTypeId()) || !type.HasConstructor())
        {
            return "SharedBuffer::Policy: " + type.GetName() + " is not a buffer policy";
        }
        m_keepPolicy = m_policyFactory.Create<BufferPolicy>();
    }
    m_policy = PeekPointer(m_keepPolicy);
    m_dynamic = m_policy->GetInstanceTypeId() == DynamicThresholdPolicy::GetTypeId();
    m_policyWatches = m_policy->WatchesFrames();
    return m_policy->Configure(*this);
}

// ---------------------------------------------------------------- the books

bool
SharedBuffer::FitsEgress(uint32_t egress, uint32_t trafficClass, uint64_t bytes) const
{
    const EgressQueue& queue = EgressOf(egress, trafficClass);
    return queue.bytes + bytes <= EgressLimit(queue, egress, trafficClass);
}

bool
SharedBuffer::Admit(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes)
{
    bytes = RoundToCells(bytes);
    IngressAccount& account = IngressOf(ingress, trafficClass);
    Store& pool = m_pools[m_poolOf[trafficClass]];
    Store& egressPool = m_egressPools[m_egressPoolOf[trafficClass]];
    uint64_t shared = SharedPart(account.main + bytes, account.reserved);
    uint64_t more = shared - SharedPart(account.main, account.reserved);
    // A reserve is there for whom it belongs to, whatever the limits. Once a class lives on
    // headroom it stays there until that is empty again.
    bool fits = more == 0 ||
                (pool.used + more <= pool.size &&
                 (!account.isLimited || shared <= IngressLimit(account, ingress, trafficClass)) &&
                 (!account.limitsEgress || FitsEgress(egress, trafficClass, bytes)) &&
                 (!m_egressBounded || egressPool.used + bytes <= egressPool.size));
    if (fits && account.headroom == 0)
    {
        account.main += bytes;
        pool.used += more;
    }
    else
    {
        if (account.headroom + bytes > account.headroomLimit ||
            m_headroomUsed + bytes > m_headroomSize)
        {
            return false;
        }
        account.headroom += bytes;
        m_headroomUsed += bytes;
        m_peakHeadroomBytes = std::max(m_peakHeadroomBytes, account.headroom);
    }
    EgressOf(egress, trafficClass).bytes += bytes;
    ++account.frames;
    m_usedBytes += bytes;
    m_peakBytes = std::max(m_peakBytes, m_usedBytes);
    if (m_egressBounded)
    {
        egressPool.used += bytes;
    }
    if (m_policyWatches)
    {
        m_policy->FrameBooked(*this, ingress, egress, trafficClass);
    }
    return true;
}

void
SharedBuffer::Release(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes)
{
    bytes = RoundToCells(bytes);
    IngressAccount& account = IngressOf(ingress, trafficClass);
    EgressQueue& queue = EgressOf(egress, trafficClass);
    NS_ASSERT_MSG(account.main + account.headroom >= bytes, "SharedBuffer: more out than in");
    NS_ASSERT_MSG(queue.bytes >= bytes, "SharedBuffer: more leaves than was to leave there");
    uint64_t fromHeadroom = std::min(bytes, account.headroom);
    account.headroom -= fromHeadroom;
    m_headroomUsed -= fromHeadroom;
    uint64_t left = account.main - (bytes - fromHeadroom);
    m_pools[m_poolOf[trafficClass]].used -=
        SharedPart(account.main, account.reserved) - SharedPart(left, account.reserved);
    account.main = left;
    --account.frames;
    queue.bytes -= bytes;
    m_usedBytes -= bytes;
    if (m_egressBounded)
    {
        m_egressPools[m_egressPoolOf[trafficClass]].used -= bytes;
    }
    if (m_policyWatches)
    {
        m_policy->FrameReleased(*this, ingress, egress, trafficClass, bytes);
    }
}

bool
SharedBuffer::MustPause(uint32_t port, uint32_t trafficClass) const
{
    const IngressAccount& account = IngressOf(port, trafficClass);
    return account.headroom > 0 ||
           (account.main > account.reserved &&
            account.main - account.reserved >= IngressLimit(account, port, trafficClass));
}

bool
SharedBuffer::MayResume(uint32_t port, uint32_t trafficClass) const
{
    const IngressAccount& account = IngressOf(port, trafficClass);
    if (account.headroom > 0)
    {
        return false;
    }
    uint64_t shared = SharedPart(account.main, account.reserved);
    return shared == 0 || shared + account.xonOffset <= IngressLimit(account, port, trafficClass);
}

uint64_t
SharedBuffer::GetIngressBytes(uint32_t port, uint32_t trafficClass) const
{
    const IngressAccount& account = IngressOf(port, trafficClass);
    return account.main + account.headroom;
}

uint64_t
SharedBuffer::GetIngressSharedBytes(uint32_t port, uint32_t trafficClass) const
{
    const IngressAccount& account = IngressOf(port, trafficClass);
    return SharedPart(account.main, account.reserved);
}

// ---------------------------------------------------------------- the audit

std::string
SharedBuffer::CheckTotals() const
{
    uint64_t egress = m_egressPools[MAIN_POOL].used + m_egressPools[LOSSY_POOL].used;
    std::string why = Exceeds("the main pool", m_pools[MAIN_POOL].used, m_pools[MAIN_POOL].size);
    why += Exceeds("the lossy pool", m_pools[LOSSY_POOL].used, m_pools[LOSSY_POOL].size);
    why += Exceeds("headroom", m_headroomUsed, m_headroomSize);
    why += Exceeds("the memory", m_usedBytes, m_sizeBytes);
    return why + (m_egressBounded ? Compare("the memory by egress", m_usedBytes, egress) : "");
}

std::string
SharedBuffer::CheckPort(uint32_t port) const
{
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        const IngressAccount& account = IngressOf(port, c);
        uint64_t booked = account.main + account.headroom;
        if (account.headroom > account.headroomLimit || (booked == 0) != (account.frames == 0))
        {
            std::ostringstream why;
            why << "port " << port << " class " << c << " has " << account.frames << " frames of "
                << booked << " B booked, " << account.headroom << " B of these in its headroom of "
                << account.headroomLimit << " B";
            return why.str();
        }
    }
    return CheckTotals();
}

std::string
SharedBuffer::CheckInvariants() const
{
    std::array<uint64_t, 2> shared{};
    uint64_t reserves = 0;
    uint64_t headroom = 0;
    uint64_t ingress = 0;
    uint64_t egress = 0;
    for (uint32_t p = 0; p < m_ports.size(); ++p)
    {
        if (std::string why = CheckPort(p); !why.empty())
        {
            return why;
        }
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            shared[m_poolOf[c]] += GetIngressSharedBytes(p, c);
            headroom += IngressOf(p, c).headroom;
            ingress += GetIngressBytes(p, c);
            egress += GetEgressBytes(p, c);
            reserves += IngressOf(p, c).reserved;
        }
    }
    for (const std::string& why :
         {Compare("the main pool", m_pools[MAIN_POOL].used, shared[MAIN_POOL]),
          Compare("the lossy pool", m_pools[LOSSY_POOL].used, shared[LOSSY_POOL]),
          Compare("headroom", m_headroomUsed, headroom),
          Compare("the memory by ingress", m_usedBytes, ingress),
          Compare("the memory by egress", m_usedBytes, egress),
          Compare("the layout", m_sizeBytes, reserves + GetSharedBytes() + m_headroomSize)})
    {
        if (!why.empty())
        {
            return why;
        }
    }
    return "";
}

} // namespace ns3
