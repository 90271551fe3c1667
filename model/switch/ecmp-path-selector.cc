// SPDX-License-Identifier: GPL-2.0-only
#include "ecmp-path-selector.h"

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
            .AddAttribute("Seed",
                          "Mixed into the hash; a fabric gives each switch its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EcmpPathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint32_t
EcmpPathSelector::Select(const FabricSwitch&,
                         const FabricFrame& frame,
                         ForwardingTable::Ports ports)
{
    // murmur3's finalizer: every bit of flow and seed reaches every bit of the result.
    uint32_t h = frame.flowHash ^ (m_seed * 0x9e3779b9U);
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    h ^= h >> 16;
    return ports.first[(uint64_t{h} * ports.count) >> 32];
}

} // namespace ns3
