// SPDX-License-Identifier: GPL-2.0-only
#include "conweave-path-selector.h"

#include "fabric-switch.h"

#include "ns3/node.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ConWeavePathSelector);

namespace
{

/// @param frame any @return whether it is of a flow: RoCE, and not an acknowledgement, a CNP or
/// credit
bool
IsData(const FabricFrame& frame)
{
    return frame.kind == FrameKind::ROCE && frame.opcode != RdmaOpcode::CNP &&
           GetService(frame.opcode) != RdmaService::CONTROL && !GetOpcodeTraits(frame.opcode).ack;
}

} // namespace

TypeId
ConWeavePathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ConWeavePathSelector")
            .SetParent<EcmpPathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<ConWeavePathSelector>()
            .AddAttribute("ReplyMargin",
                          "A path is left when its reply takes longer than the base round-trip "
                          "time and this. The paper's evaluation: 4 us.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&ConWeavePathSelector::m_replyMargin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PathBusyTime",
                          "How long a path is not taken after a NOTIFY. The paper's evaluation: "
                          "16 us.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&ConWeavePathSelector::m_pathBusyTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InactiveTime",
                          "A flow that was silent for longer starts afresh on any path, without "
                          "reordering. The paper's evaluation: 300 us in two tiers, 1 ms in a fat "
                          "tree.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&ConWeavePathSelector::m_inactiveTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ResumeMargin",
                          "A reorder queue is opened this long after the time at which the last "
                          "frame of the old path is expected. The paper's evaluation: 16 us in two "
                          "tiers and in a lossy fat tree, 64 us in a lossless fat tree.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&ConWeavePathSelector::m_resumeMargin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DefaultResumeWait",
                          "The same after its first frame, where no frame of the old path tells "
                          "what to expect. The paper's evaluation: 200 us in two tiers, 300 us in "
                          "a lossy fat tree, 600 us in a lossless one.",
                          TimeValue(MicroSeconds(200)),
                          MakeTimeAccessor(&ConWeavePathSelector::m_defaultResumeWait),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PathSamples",
                          "How many paths are drawn in search of one that is not busy.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ConWeavePathSelector::m_pathSamples),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxPaths",
                          "Most paths between two racks that are used.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&ConWeavePathSelector::m_maxPaths),
                          MakeUintegerChecker<uint32_t>(1, UINT16_MAX))
            .AddAttribute("ReorderQueues",
                          "Flows that may wait at an egress port at a time; frames of more are "
                          "passed on as they come.",
                          UintegerValue(31),
                          MakeUintegerAccessor(&ConWeavePathSelector::m_reorderQueues),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ControlClass",
                          "Traffic class of the answers RTT_REPLY, CLEAR and NOTIFY.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&ConWeavePathSelector::m_controlClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddTraceSource("Reroute",
                            "A flow leaves its path: the last frame there, the numbers of the old "
                            "path and the new one.",
                            MakeTraceSourceAccessor(&ConWeavePathSelector::m_rerouteTrace),
                            "ns3::ConWeavePathSelector::RerouteTracedCallback");
    return tid;
}

ConWeavePathSelector::ConWeavePathSelector() = default;

void
ConWeavePathSelector::Configure(FabricSwitch& fabricSwitch)
{
    EcmpPathSelector::Configure(fabricSwitch);
    m_source.ForgetPaths();
    m_leadsToHost.clear();
}

void
ConWeavePathSelector::Prepare(const FabricSwitch& fabricSwitch)
{
    m_parameters.replyMargin = m_replyMargin.GetTimeStep();
    m_parameters.pathBusyTime = m_pathBusyTime.GetTimeStep();
    m_parameters.inactiveTime = m_inactiveTime.GetTimeStep();
    m_parameters.resumeMargin = m_resumeMargin.GetTimeStep();
    m_parameters.defaultResumeWait = m_defaultResumeWait.GetTimeStep();
    m_parameters.pathSamples = m_pathSamples;
    m_parameters.maxPaths = m_maxPaths;
    m_parameters.reorderQueues = m_reorderQueues;
    m_parameters.controlClass = m_controlClass;
    for (uint32_t p = 0; p < fabricSwitch.GetNPorts(); ++p)
    {
        Ptr<FabricNetDevice> peer = fabricSwitch.GetPort(p)->GetPeer();
        m_leadsToHost.push_back(peer && !peer->GetNode()->GetObject<FabricSwitch>());
    }
}

uint32_t
ConWeavePathSelector::Select(FabricSwitch& fabricSwitch,
                             uint32_t ingress,
                             FabricFrame& frame,
                             ForwardingTable::Ports ports)
{
    if (frame.switchHeader && frame.switchHeader->conweave.type == ConWeaveFields::Type::DATA)
    {
        return ConWeavePaths::Choose(frame.switchHeader->conweave.choicesLeft, ports);
    }
    return EcmpPathSelector::Select(fabricSwitch, ingress, frame, ports);
}

bool
ConWeavePathSelector::FrameArrives(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame)
{
    if (m_leadsToHost.empty())
    {
        Prepare(fabricSwitch);
    }
    if (!m_leadsToHost[ingress])
    {
        return FrameFromPath(fabricSwitch, ingress, frame);
    }
    if (frame->switchHeader)
    {
        frame->switchHeader->conweave = ConWeaveFields(); // a NIC may echo a header, as with INT
    }
    if (IsData(*frame))
    {
        ConWeaveSource::Reroute reroute = m_source.Send(fabricSwitch, *frame);
        if (reroute.happened)
        {
            m_rerouteTrace(*frame, reroute.from, reroute.to);
        }
    }
    return false;
}

bool
ConWeavePathSelector::FrameFromPath(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame)
{
    if (!frame->switchHeader || frame->switchHeader->conweave.type == ConWeaveFields::Type::NONE ||
        frame->IsTrimmed())
    {
        return false;
    }
    ForwardingTable::Ports ports = fabricSwitch.Lookup(*frame);
    if (ports.count != 1 || !m_leadsToHost[*ports.first])
    {
        return false; // on its way
    }
    if (frame->switchHeader->conweave.type == ConWeaveFields::Type::DATA)
    {
        return m_destination.Receive(fabricSwitch, ingress, *ports.first, frame);
    }
    m_source.Answered(fabricSwitch, *frame);
    frame = nullptr;
    return true;
}

int64_t
ConWeavePathSelector::AssignStreams(int64_t stream)
{
    int64_t used = EcmpPathSelector::AssignStreams(stream);
    m_source.SetStream(stream + used);
    return used + 1;
}

} // namespace ns3
