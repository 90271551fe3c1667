// SPDX-License-Identifier: GPL-2.0-only
#include "entropy-path-selector.h"

#include "fabric-switch.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EntropyPathSelector);

namespace
{

constexpr uint16_t FIRST_DYNAMIC_PORT = 49152;

/// @param fabricSwitch a switch @param port number @return the switch at the other end, or null
FabricSwitch*
SwitchBehind(const FabricSwitch& fabricSwitch, uint32_t port)
{
    Ptr<FabricNetDevice> peer = fabricSwitch.GetDevice(port).GetPeer();
    return peer ? PeekPointer(peer->GetNode()->GetObject<FabricSwitch>()) : nullptr;
}

/// @param fabricSwitch a switch @param port number @return id of the node at the other end
uint32_t
NodeBehind(const FabricSwitch& fabricSwitch, uint32_t port)
{
    Ptr<FabricNetDevice> peer = fabricSwitch.GetDevice(port).GetPeer();
    return peer ? peer->GetNodeId() : UINT32_MAX;
}

/// The tiers of a fabric: 1 where hosts are, else one more than the lowest neighbour's.
struct Tiers
{
    std::vector<FabricSwitch*> switches; ///< those that cables join, breadth first
    std::map<uint32_t, uint32_t> tierOf; ///< by node id
    uint32_t top{1};

    uint32_t Of(const FabricSwitch& fabricSwitch) const
    {
        auto found = tierOf.find(fabricSwitch.GetNodeId());
        return found == tierOf.end() ? 1 : found->second; // no host anywhere
    }
};

std::vector<FabricSwitch*>
AllSwitches(FabricSwitch& from)
{
    std::vector<FabricSwitch*> all{&from};
    std::map<uint32_t, bool> seen{{from.GetNodeId(), true}};
    for (size_t i = 0; i < all.size(); ++i)
    {
        for (uint32_t p = 0; p < all[i]->GetNPorts(); ++p)
        {
            FabricSwitch* far = SwitchBehind(*all[i], p);
            if (far && seen.try_emplace(far->GetNodeId(), true).second)
            {
                all.push_back(far);
            }
        }
    }
    return all;
}

Tiers
FindTiers(FabricSwitch& from)
{
    Tiers tiers;
    tiers.switches = AllSwitches(from);
    std::vector<FabricSwitch*> reached;
    auto reach = [&](FabricSwitch* fabricSwitch, uint32_t tier) {
        if (tiers.tierOf.try_emplace(fabricSwitch->GetNodeId(), tier).second)
        {
            reached.push_back(fabricSwitch);
            tiers.top = std::max(tiers.top, tier);
        }
    };
    for (FabricSwitch* each : tiers.switches)
    {
        for (uint32_t p = 0; p < each->GetNPorts(); ++p)
        {
            if (!SwitchBehind(*each, p))
            {
                reach(each, 1);
            }
        }
    }
    for (size_t i = 0; i < reached.size(); ++i)
    {
        for (uint32_t p = 0; p < reached[i]->GetNPorts(); ++p)
        {
            if (FabricSwitch* far = SwitchBehind(*reached[i], p))
            {
                reach(far, tiers.Of(*reached[i]) + 1);
            }
        }
    }
    return tiers;
}

/// @param tiers of the fabric @param own tier @param far tier behind a port
/// @return number of the digit that a choice among such ports reads
uint32_t
DigitOf(const Tiers& tiers, uint32_t own, uint32_t far)
{
    return far >= own ? own - 1 : 2 * tiers.top - 1 - own;
}

/// @param tiers of a fabric @return by digit: the most ports that a switch offers there
std::vector<uint32_t>
FindRadices(const Tiers& tiers)
{
    std::vector<uint32_t> radices(2 * tiers.top - 1, 1);
    for (const FabricSwitch* each : tiers.switches)
    {
        uint32_t own = tiers.Of(*each);
        uint32_t onwards = 0;                // ports that lead up or sideways
        std::map<uint32_t, uint32_t> downTo; // by node id: parallel cables to a switch or host
        for (uint32_t p = 0; p < each->GetNPorts(); ++p)
        {
            const FabricSwitch* far = SwitchBehind(*each, p);
            uint32_t tier = far ? tiers.Of(*far) : 0;
            uint32_t& radix = radices[DigitOf(tiers, own, tier)];
            radix = std::max(radix, tier >= own ? ++onwards : ++downTo[NodeBehind(*each, p)]);
        }
    }
    return radices;
}

} // namespace

TypeId
EntropyPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EntropyPathSelector")
            .SetParent<EcmpPathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<EntropyPathSelector>()
            .AddAttribute("BasePort",
                          "UDP source port of path 0.",
                          UintegerValue(FIRST_DYNAMIC_PORT),
                          MakeUintegerAccessor(&EntropyPathSelector::m_basePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("Radices",
                          "Radix of each digit of a path's number, the lowest first, with commas "
                          "between them: 16,8. Empty: as the fabric's cables say. The same at all "
                          "switches.",
                          StringValue(""),
                          MakeStringAccessor(&EntropyPathSelector::SetRadixList,
                                             &EntropyPathSelector::GetRadixList),
                          MakeStringChecker());
    return tid;
}

void
EntropyPathSelector::SetRadixList(std::string list)
{
    m_givenRadices.clear();
    m_digitOfPort.clear(); // to be configured anew
    std::istringstream text(list);
    for (std::string item; std::getline(text, item, ',');)
    {
        bool isNumber = !item.empty() && item.size() < 6 &&
                        item.find_first_not_of("0123456789") == std::string::npos;
        uint32_t radix = isNumber ? static_cast<uint32_t>(std::stoul(item)) : 0;
        NS_ABORT_MSG_IF(radix == 0,
                        "EntropyPathSelector: Radices: \"" << item << "\" in \"" << list
                                                           << "\" is no radix (1 to 99999)");
        m_givenRadices.push_back(radix);
    }
}

std::string
EntropyPathSelector::GetRadixList() const
{
    std::ostringstream text;
    for (size_t i = 0; i < m_givenRadices.size(); ++i)
    {
        text << (i > 0 ? "," : "") << m_givenRadices[i];
    }
    return text.str();
}

void
EntropyPathSelector::Configure(FabricSwitch& fabricSwitch)
{
    Tiers tiers = FindTiers(fabricSwitch);
    m_tier = tiers.Of(fabricSwitch);
    m_radices = m_givenRadices.empty() ? FindRadices(tiers) : m_givenRadices;
    m_digitOfPort.clear();
    for (uint32_t p = 0; p < fabricSwitch.GetNPorts(); ++p)
    {
        const FabricSwitch* far = SwitchBehind(fabricSwitch, p);
        m_digitOfPort.push_back(DigitOf(tiers, m_tier, far ? tiers.Of(*far) : 0));
    }
}

uint64_t
EntropyPathSelector::GetPathCount() const
{
    uint64_t paths = 1;
    for (uint32_t radix : m_radices)
    {
        paths *= radix;
    }
    return paths;
}

uint32_t
EntropyPathSelector::Select(FabricSwitch& fabricSwitch,
                            uint32_t,
                            FabricFrame& frame,
                            ForwardingTable::Ports ports)
{
    if (frame.kind != FrameKind::ROCE)
    {
        return PickByHash(ports, HashOf(frame));
    }
    if (m_digitOfPort.size() != fabricSwitch.GetNPorts())
    {
        Configure(fabricSwitch);
    }
    uint32_t digit = m_digitOfPort[ports.first[0]];
    uint32_t rest = static_cast<uint16_t>(frame.udpSourcePort - m_basePort);
    for (uint32_t d = 0; d < digit && d < m_radices.size(); ++d)
    {
        rest /= m_radices[d];
    }
    if (digit < m_radices.size())
    {
        rest %= m_radices[digit];
    }
    return ports.first[rest % ports.count];
}

} // namespace ns3
