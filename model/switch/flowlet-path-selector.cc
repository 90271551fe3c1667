// SPDX-License-Identifier: GPL-2.0-only
#include "flowlet-path-selector.h"

#include "fabric-switch.h"
#include "path-choice.h"

#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowletPathSelector);

TypeId
FlowletPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowletPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<FlowletPathSelector>()
            .AddAttribute("FlowletTimeout",
                          "A gap longer than this in a flow begins a new flowlet. The paper has "
                          "500 us for TCP at 10 Gb/s.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&FlowletPathSelector::m_timeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TableSize",
                          "Entries of the flowlet table. Flows that share one share flowlets.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&FlowletPathSelector::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Seed",
                          "Of the table's hash; a fabric gives each switch its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FlowletPathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

FlowletPathSelector::FlowletPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
FlowletPathSelector::Select(FabricSwitch& fabricSwitch,
                            uint32_t,
                            FabricFrame& frame,
                            ForwardingTable::Ports ports)
{
    int64_t now = NowSteps();
    FlowletTable::Entry& flowlet = m_table.At(MixHash(frame.flowHash, m_seed), m_tableSize);
    if (now - flowlet.lastFrame > m_timeout.GetTimeStep() || !Contains(ports, flowlet.port) ||
        !fabricSwitch.GetDevice(flowlet.port).IsLinkUp())
    {
        flowlet.port = PickAtRandom(fabricSwitch, ports, *m_random);
        ++m_flowlets;
    }
    flowlet.lastFrame = now;
    return flowlet.port;
}

int64_t
FlowletPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
