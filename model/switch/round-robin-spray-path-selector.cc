// SPDX-License-Identifier: GPL-2.0-only
#include "round-robin-spray-path-selector.h"

#include "path-choice.h"

#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoundRobinSprayPathSelector);

TypeId
RoundRobinSprayPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoundRobinSprayPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<RoundRobinSprayPathSelector>()
            .AddAttribute("Counter",
                          "What takes turns of its own: Group (of ports), Destination or Switch; "
                          "each of them by traffic class.",
                          EnumValue(RoundRobinSprayPathSelector::PER_GROUP),
                          MakeEnumAccessorFor<Counter>(&RoundRobinSprayPathSelector::m_counter),
                          MakeEnumChecker(RoundRobinSprayPathSelector::PER_GROUP,
                                          "Group",
                                          RoundRobinSprayPathSelector::PER_DESTINATION,
                                          "Destination",
                                          RoundRobinSprayPathSelector::PER_SWITCH,
                                          "Switch"))
            .AddAttribute("Seed",
                          "Says at which port a counter begins; a fabric gives each switch its "
                          "own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoundRobinSprayPathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint64_t
RoundRobinSprayPathSelector::KeyOf(const FabricFrame& frame, ForwardingTable::Ports ports) const
{
    uint64_t what = 0;
    if (m_counter == PER_GROUP)
    {
        what = uint64_t{ports.first[0]} << 20 | ports.count;
    }
    else if (m_counter == PER_DESTINATION)
    {
        what = frame.dstAddress;
    }
    return what << 8 | frame.trafficClass;
}

uint32_t
RoundRobinSprayPathSelector::Select(FabricSwitch&,
                                    uint32_t,
                                    FabricFrame& frame,
                                    ForwardingTable::Ports ports)
{
    uint64_t key = KeyOf(frame, ports);
    auto [count, isNew] = m_counts.try_emplace(key, 0);
    if (isNew)
    {
        uint32_t hash = MixHash(static_cast<uint32_t>(key ^ key >> 32), m_seed);
        count->second = static_cast<uint32_t>(ScaleHash(hash, ports.count));
    }
    count->second = (count->second + 1) % ports.count;
    return ports.first[count->second];
}

} // namespace ns3
