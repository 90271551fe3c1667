// SPDX-License-Identifier: GPL-2.0-only
#include "conweave-source.h"

#include "fabric-switch.h"

#include "ns3/persistent-event.h"

namespace ns3
{

namespace
{

constexpr int32_t NO_PATH = -1;

} // namespace

ConWeaveSource::ConWeaveSource(const ConWeaveParameters& parameters, ConWeaveCounters& counters)
    : m_parameters(parameters),
      m_counters(counters),
      m_random(CreateObject<UniformRandomVariable>())
{
}

ConWeaveSource::Reroute
ConWeaveSource::Send(FabricSwitch& fabricSwitch, FabricFrame& frame)
{
    const ConWeavePaths::Destination* to =
        m_paths.Find(fabricSwitch, frame.dstAddress, m_parameters.maxPaths);
    if (!to)
    {
        return {};
    }
    int64_t now = NowSteps();
    Flow& flow = m_flows[ConWeaveFlowOf(frame)];
    ConWeaveFields& fields = frame.MakeSwitchHeader().conweave;
    fields.type = ConWeaveFields::Type::DATA;
    fields.txTime = now;

    Reroute reroute;
    bool isNew = flow.lastFrame < 0;
    bool wasSilent = !isNew && now - flow.lastFrame > m_parameters.inactiveTime;
    if (isNew || wasSilent)
    {
        m_counters.idleRestarts += wasSilent;
        uint16_t path = 0;
        if (FindPath(*to, NO_PATH, now, path) || isNew)
        {
            flow.path = path;
        }
        StartEpoch(flow, *to, frame);
    }
    else if (flow.state == State::ANSWERED)
    {
        StartEpoch(flow, *to, frame);
    }
    fields.path = flow.path;
    if (flow.state == State::ASKED && now > flow.deadline)
    {
        reroute.happened = LeavePath(flow, *to, fields);
        reroute.from = fields.path;
        reroute.to = flow.path;
    }
    else if (flow.state == State::REROUTED)
    {
        fields.rerouted = true;
        fields.tailTime = flow.tailTime;
    }
    fields.epoch = flow.epoch;
    fields.choicesLeft = fields.path;
    flow.lastFrame = now;
    return reroute;
}

void
ConWeaveSource::StartEpoch(Flow& flow, const ConWeavePaths::Destination& to, FabricFrame& frame)
{
    ConWeaveFields& fields = frame.switchHeader->conweave;
    flow.epoch = (flow.epoch + 1) & EPOCH_MASK;
    flow.state = State::ASKED;
    flow.deadline = fields.txTime + to.BaseRtt(frame.sizeBytes) + m_parameters.replyMargin;
    fields.wantsReply = true;
    ++m_counters.epochs;
}

bool
ConWeaveSource::LeavePath(Flow& flow, const ConWeavePaths::Destination& to, ConWeaveFields& fields)
{
    uint16_t next = 0;
    if (!FindPath(to, flow.path, fields.txTime, next))
    {
        ++m_counters.noGoodPath; // better a slow path than another congested one; the next may do
        return false;
    }
    fields.tail = true;
    fields.tailTime = fields.txTime;
    flow.tailTime = fields.txTime;
    flow.path = next;
    flow.state = State::REROUTED;
    ++m_counters.reroutes;
    return true;
}

bool
ConWeaveSource::FindPath(const ConWeavePaths::Destination& to,
                         int32_t besides,
                         int64_t now,
                         uint16_t& path)
{
    for (uint32_t i = 0; i < m_parameters.pathSamples; ++i)
    {
        // One fewer to choose from where a path is left out; those behind it move up.
        uint32_t last = to.paths - (besides == NO_PATH ? 1 : 2);
        uint32_t sample = m_random->GetInteger(0, last);
        sample += besides != NO_PATH && sample >= static_cast<uint32_t>(besides);
        path = static_cast<uint16_t>(sample);
        if (!to.IsBusy(sample, now))
        {
            return true;
        }
    }
    return false;
}

void
ConWeaveSource::Answered(FabricSwitch& fabricSwitch, const FabricFrame& frame)
{
    const ConWeaveFields& answer = frame.switchHeader->conweave;
    if (answer.type == ConWeaveFields::Type::NOTIFY)
    {
        // The answer goes the other way: its source is in the rack of the flow's destination.
        if (auto* to = m_paths.Find(fabricSwitch, frame.srcAddress, m_parameters.maxPaths))
        {
            to->MarkBusy(answer.path, NowSteps() + m_parameters.pathBusyTime);
        }
        return;
    }
    auto found =
        m_flows.find({frame.dstAddress, frame.srcAddress, frame.udpSourcePort, answer.flowClass});
    if (found == m_flows.end() || found->second.epoch != answer.epoch)
    {
        return; // of an epoch that silence has ended
    }
    State awaits = answer.type == ConWeaveFields::Type::CLEAR ? State::REROUTED : State::ASKED;
    if (found->second.state == awaits)
    {
        found->second.state = State::ANSWERED;
    }
}

} // namespace ns3
