// SPDX-License-Identifier: GPL-2.0-only
#include "weighted-ecmp-path-selector.h"

#include "fabric-switch.h"

#include "ns3/boolean.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeightedEcmpPathSelector);

namespace
{

constexpr uint64_t MEGABIT = 1000000;

} // namespace

TypeId
WeightedEcmpPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeightedEcmpPathSelector")
            .SetParent<EcmpPathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<WeightedEcmpPathSelector>()
            .AddAttribute("WeightByRate",
                          "Where a route has no weights, ports have shares by their rates; "
                          "otherwise all the same.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&WeightedEcmpPathSelector::m_weightByRate),
                          MakeBooleanChecker());
    return tid;
}

uint32_t
WeightedEcmpPathSelector::Select(FabricSwitch& fabricSwitch,
                                 uint32_t,
                                 FabricFrame& frame,
                                 ForwardingTable::Ports ports)
{
    uint32_t hash = HashOf(frame);
    if (!ports.weights && !m_weightByRate)
    {
        return PickByHash(ports, hash);
    }
    if (!ports.weights)
    {
        m_rates.clear();
        for (uint32_t i = 0; i < ports.count; ++i)
        {
            uint64_t rate = fabricSwitch.GetDevice(ports.first[i]).GetDataRate().GetBitRate();
            m_rates.push_back(static_cast<uint32_t>(std::max<uint64_t>(1, rate / MEGABIT)));
        }
        ports.weights = m_rates.data();
    }
    return PickByWeight(ports, hash);
}

} // namespace ns3
