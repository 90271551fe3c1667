// SPDX-License-Identifier: GPL-2.0-only
#include "random-spray-path-selector.h"

#include "path-choice.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RandomSprayPathSelector);

TypeId
RandomSprayPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RandomSprayPathSelector")
                            .SetParent<PathSelector>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RandomSprayPathSelector>();
    return tid;
}

RandomSprayPathSelector::RandomSprayPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
RandomSprayPathSelector::Select(FabricSwitch&, uint32_t, FabricFrame&, ForwardingTable::Ports ports)
{
    auto hash = static_cast<uint32_t>(m_random->GetValue(0, 1) * 4294967296.0); // of 2^32
    return ports.weights ? PickByWeight(ports, hash) : PickByHash(ports, hash);
}

int64_t
RandomSprayPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
