// SPDX-License-Identifier: GPL-2.0-only
#include "shared-buffer.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SharedBuffer);

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
            .AddAttribute("Reserved",
                          "Bytes that each ingress port and class has for itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&SharedBuffer::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>())
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
            .AddAttribute("XonOffset",
                          "A paused class is opened once its shared part is this far below the "
                          "threshold (bytes).",
                          UintegerValue(3 * 4096),
                          MakeUintegerAccessor(&SharedBuffer::m_xonOffsetBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
SharedBuffer::Configure(uint32_t ports,
                        uint8_t losslessClasses,
                        const std::vector<uint64_t>& headroomBytes)
{
    NS_ASSERT(headroomBytes.size() == ports);
    m_lossless = losslessClasses;
    m_ports.assign(ports, Port());
    uint64_t classes = __builtin_popcount(losslessClasses);
    uint64_t reserved = uint64_t{ports} * N_TRAFFIC_CLASSES * m_reservedBytes;
    uint64_t headroom = 0;
    for (uint32_t p = 0; p < ports; ++p)
    {
        m_ports[p].headroomLimit = headroomBytes[p];
        headroom += classes * headroomBytes[p];
    }
    if (reserved + headroom >= m_sizeBytes)
    {
        std::ostringstream why;
        why << "the packet memory of " << m_sizeBytes << " B cannot hold " << headroom
            << " B of headroom (" << ports << " ports x " << classes << " lossless classes) and "
            << reserved << " B of reserves, and leave something to share";
        return why.str();
    }
    m_sharedPool = m_sizeBytes - reserved - headroom;
    return "";
}

bool
SharedBuffer::Admit(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes)
{
    Port& in = m_ports[ingress];
    uint64_t& egressBytes = m_ports[egress].egressBytes[trafficClass];
    Account& account = in.accounts[trafficClass];
    bool lossless = m_lossless & (1U << trafficClass);
    uint64_t more = SharedPart(account.main + bytes) - SharedPart(account.main);
    bool fits = m_sharedUsed + more <= m_sharedPool;
    if (lossless)
    {
        // Once a class lives on headroom it stays there until that is empty again.
        fits =
            fits && account.headroom == 0 && SharedPart(account.main + bytes) <= Threshold(m_alpha);
        if (!fits && account.headroom + bytes > in.headroomLimit)
        {
            return false;
        }
    }
    else if (!fits || (more > 0 && egressBytes + bytes > Threshold(m_lossyAlpha)))
    {
        return false;
    }
    if (fits)
    {
        account.main += bytes;
        m_sharedUsed += more;
    }
    else
    {
        account.headroom += bytes;
        m_peakHeadroomBytes = std::max(m_peakHeadroomBytes, account.headroom);
    }
    egressBytes += bytes;
    m_usedBytes += bytes;
    m_peakBytes = std::max(m_peakBytes, m_usedBytes);
    return true;
}

void
SharedBuffer::Release(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes)
{
    Account& account = m_ports[ingress].accounts[trafficClass];
    m_ports[egress].egressBytes[trafficClass] -= bytes;
    NS_ASSERT_MSG(account.main + account.headroom >= bytes, "SharedBuffer: more out than in");
    uint64_t fromHeadroom = std::min(bytes, account.headroom);
    account.headroom -= fromHeadroom;
    uint64_t fromMain = bytes - fromHeadroom;
    m_sharedUsed -= SharedPart(account.main) - SharedPart(account.main - fromMain);
    account.main -= fromMain;
    m_usedBytes -= bytes;
}

bool
SharedBuffer::MustPause(uint32_t port, uint32_t trafficClass) const
{
    const Account& account = m_ports[port].accounts[trafficClass];
    return account.headroom > 0 ||
           (account.main > m_reservedBytes && SharedPart(account.main) >= Threshold(m_alpha));
}

bool
SharedBuffer::MayResume(uint32_t port, uint32_t trafficClass) const
{
    const Account& account = m_ports[port].accounts[trafficClass];
    if (account.headroom > 0)
    {
        return false;
    }
    uint64_t shared = SharedPart(account.main);
    return shared == 0 || shared + m_xonOffsetBytes <= Threshold(m_alpha);
}

uint64_t
SharedBuffer::GetIngressBytes(uint32_t port, uint32_t trafficClass) const
{
    const Account& account = m_ports[port].accounts[trafficClass];
    return account.main + account.headroom;
}

} // namespace ns3
