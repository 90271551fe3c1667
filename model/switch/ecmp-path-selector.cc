// SPDX-License-Identifier: GPL-2.0-only
#include "ecmp-path-selector.h"

#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcmpPathSelector);

TypeId
EcmpPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EcmpPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<EcmpPathSelector>()
            .AddAttribute("HashFields",
                          "What tells flows apart: FiveTuple (addresses, ports, protocol), "
                          "FiveTupleAndQp (and RoCE's destination queue pair), Addresses, or "
                          "Destination.",
                          EnumValue(HASH_FIVE_TUPLE),
                          MakeEnumAccessorFor<FlowFields>(&EcmpPathSelector::m_fields),
                          MakeEnumChecker(HASH_FIVE_TUPLE,
                                          "FiveTuple",
                                          HASH_FIVE_TUPLE_AND_QP,
                                          "FiveTupleAndQp",
                                          HASH_ADDRESSES,
                                          "Addresses",
                                          HASH_DESTINATION,
                                          "Destination"))
            .AddAttribute("Seed",
                          "Mixed into the hash; a fabric gives each switch its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EcmpPathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint32_t
EcmpPathSelector::Select(FabricSwitch&, uint32_t, FabricFrame& frame, ForwardingTable::Ports ports)
{
    return PickByHash(ports, HashOf(frame));
}

uint32_t
EcmpPathSelector::Foresee(const FabricFrame& frame, ForwardingTable::Ports ports) const
{
    return PickByHash(ports, HashOf(frame));
}

} // namespace ns3
