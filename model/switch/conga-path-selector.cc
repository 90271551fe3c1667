// SPDX-License-Identifier: GPL-2.0-only
#include "conga-path-selector.h"

#include "fabric-switch.h"
#include "path-choice.h"

#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CongaPathSelector);

TypeId
CongaPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CongaPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<CongaPathSelector>()
            .AddAttribute("QuantizationBits",
                          "Q: a link's metric has 2^Q steps.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&CongaPathSelector::m_quantizationBits),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("DreTime",
                          "T_dre: every so often an estimator loses DreAlpha of itself. The time "
                          "constant tau is DreTime / DreAlpha, 160 us in the paper.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&CongaPathSelector::m_dreTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("DreAlpha",
                          "Fraction that an estimator loses each time.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&CongaPathSelector::m_dreAlpha),
                          MakeDoubleChecker<double>(1e-6, 1.0))
            .AddAttribute("FlowletTimeout",
                          "A gap longer than this in a flow begins a new flowlet.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&CongaPathSelector::m_flowletTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AgingTime",
                          "A reported metric stands for so long, and fades to 0 within as long "
                          "again.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&CongaPathSelector::m_agingTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("TableSize",
                          "Entries of the flowlet table. Flows that share one share flowlets.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&CongaPathSelector::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Seed",
                          "Of the hashes; a fabric gives each switch its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CongaPathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

CongaPathSelector::CongaPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
CongaPathSelector::Configure(FabricSwitch& fabricSwitch)
{
    m_ports.resize(fabricSwitch.GetNPorts());
    uint16_t uplinks = 0;
    for (uint32_t p = 0; p < m_ports.size(); ++p)
    {
        Ptr<FabricNetDevice> peer = fabricSwitch.GetDevice(p).GetPeer();
        m_ports[p].leadsToSwitch = peer && peer->GetNode()->GetObject<FabricSwitch>();
        m_ports[p].uplink = m_ports[p].leadsToSwitch ? uplinks++ : 0;
    }
}

CongaPathSelector::Port&
CongaPathSelector::PortAt(FabricSwitch& fabricSwitch, uint32_t port)
{
    if (m_ports.size() != fabricSwitch.GetNPorts())
    {
        Configure(fabricSwitch);
    }
    return m_ports[port];
}

uint32_t
CongaPathSelector::GetLocalMetric(FabricSwitch& fabricSwitch, uint32_t port, int64_t now)
{
    // X / (C tau), with X as the time that its bytes take at rate C.
    double bytes =
        PortAt(fabricSwitch, port).rate.GetBytes(now, m_dreTime.GetTimeStep(), m_dreAlpha);
    int64_t busy = fabricSwitch.GetDevice(port).SerializationSteps(static_cast<uint64_t>(bytes));
    double tau = static_cast<double>(m_dreTime.GetTimeStep()) / m_dreAlpha;
    uint32_t steps = 1U << m_quantizationBits;
    auto metric = static_cast<uint64_t>(static_cast<double>(busy) / tau * steps);
    return static_cast<uint32_t>(std::min<uint64_t>(steps - 1, metric));
}

uint32_t
CongaPathSelector::ChooseUplink(FabricSwitch& fabricSwitch,
                                const FabricFrame& frame,
                                ForwardingTable::Ports ports,
                                uint32_t current,
                                int64_t now)
{
    uint32_t leaf = m_leaves.GetLeafOf(frame.dstAddress);
    uint32_t lowest = UINT32_MAX;
    m_best.clear();
    for (uint32_t i = 0; i < ports.count; ++i)
    {
        uint32_t port = ports.first[i];
        if (!fabricSwitch.GetDevice(port).IsLinkUp())
        {
            continue;
        }
        uint32_t remote =
            m_leaves.GetMetric(leaf, m_ports[port].uplink, now, m_agingTime.GetTimeStep());
        uint32_t metric = std::max(GetLocalMetric(fabricSwitch, port, now), remote);
        if (metric < lowest)
        {
            lowest = metric;
            m_best.clear();
        }
        if (metric == lowest)
        {
            m_best.push_back(port);
        }
    }
    if (m_best.empty())
    {
        return ports.first[0]; // nothing is up: the frame is lost there, and counted
    }
    if (std::find(m_best.begin(), m_best.end(), current) != m_best.end())
    {
        return current;
    }
    return m_best[m_random->GetInteger(0, static_cast<uint32_t>(m_best.size() - 1))];
}

uint32_t
CongaPathSelector::Select(FabricSwitch& fabricSwitch,
                          uint32_t ingress,
                          FabricFrame& frame,
                          ForwardingTable::Ports ports)
{
    uint32_t hash = MixHash(frame.flowHash, m_seed);
    if (PortAt(fabricSwitch, ingress).leadsToSwitch)
    {
        return PickByHash(ports, hash);
    }
    int64_t now = NowSteps();
    FlowletTable::Entry& flowlet = m_flowlets.At(hash, m_tableSize);
    if (now - flowlet.lastFrame > m_flowletTimeout.GetTimeStep() ||
        !Contains(ports, flowlet.port) || !fabricSwitch.GetDevice(flowlet.port).IsLinkUp())
    {
        flowlet.port = ChooseUplink(fabricSwitch, frame, ports, flowlet.port, now);
    }
    flowlet.lastFrame = now;
    return flowlet.port;
}

bool
CongaPathSelector::FrameArrives(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame)
{
    SwitchHeader* header = frame->switchHeader;
    if (header && header->conga.valid && PortAt(fabricSwitch, ingress).leadsToSwitch)
    {
        ForwardingTable::Ports ports = fabricSwitch.Lookup(*frame);
        if (ports.count > 0 && !m_ports[ports.first[0]].leadsToSwitch)
        {
            m_leaves.Arrived(header->conga, frame->srcAddress, NowSteps());
            header->conga.valid = false;
        }
    }
    return false;
}

void
CongaPathSelector::Stamp(FabricSwitch& fabricSwitch,
                         FabricFrame& frame,
                         uint16_t uplink,
                         int64_t now)
{
    CongaFields& fields = frame.MakeSwitchHeader().conga;
    fields = {};
    fields.sourceLeaf = fabricSwitch.GetNodeId();
    fields.uplink = uplink;
    fields.valid = true;
    m_leaves.GiveFeedback(m_leaves.GetLeafOf(frame.dstAddress),
                          fields,
                          now,
                          m_agingTime.GetTimeStep());
}

void
CongaPathSelector::FrameDeparts(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame)
{
    Port& port = PortAt(fabricSwitch, egress);
    if (!port.leadsToSwitch)
    {
        return;
    }
    int64_t now = NowSteps();
    bool isOwn = frame.ingressPort >= m_ports.size(); // the switch itself made it
    if (!isOwn && !m_ports[frame.ingressPort].leadsToSwitch)
    {
        Stamp(fabricSwitch, frame, port.uplink, now);
    }
    uint64_t bytes = frame.sizeBytes + fabricSwitch.GetDevice(egress).GetFrameOverhead();
    port.rate.Add(bytes, now, m_dreTime.GetTimeStep(), m_dreAlpha);
    if (frame.switchHeader && frame.switchHeader->conga.valid)
    {
        uint8_t& worst = frame.switchHeader->conga.congestion;
        uint32_t own = GetLocalMetric(fabricSwitch, egress, now);
        worst = std::max(worst, static_cast<uint8_t>(own));
    }
}

int64_t
CongaPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
