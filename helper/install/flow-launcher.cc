// SPDX-License-Identifier: GPL-2.0-only
#include "flow-launcher.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// Longer than any frame of an ended flow is under way.
Time
IdleTime()
{
    return MilliSeconds(1);
}

} // namespace

FlowLauncher::FlowLauncher(FabricRun& run,
                           const RankPorts& ports,
                           const FlowGenerator& generator,
                           const Settings& settings,
                           std::function<uint64_t()> newId,
                           std::function<void(const Ended&)> ended)
    : m_run(run),
      m_ports(ports),
      m_generator(generator),
      m_settings(settings),
      m_newId(std::move(newId)),
      m_ended(std::move(ended)),
      m_completions(CreateObject<CompletionQueue>())
{
    m_completions->SetCallback(MakeCallback(&FlowLauncher::Completed, this));
}

void
FlowLauncher::Start()
{
    ScheduleNext();
}

void
FlowLauncher::ScheduleNext()
{
    if (!m_generator.Next(m_next))
    {
        return;
    }
    const Time start = m_settings.start + TimeStep(static_cast<uint64_t>(m_next.start));
    m_run.WorkPlaced(start);
    Simulator::Schedule(start - Simulator::Now(), &FlowLauncher::Launch, this);
}

Ptr<QueuePair>
FlowLauncher::TakePair(const RankPorts::Port& port)
{
    std::deque<IdlePair>& idle = m_idle[{port.vertex, port.index}];
    Ptr<QueuePair> pair;
    if (!idle.empty() && idle.front().since + IdleTime().GetTimeStep() <= NowSteps())
    {
        pair = idle.front().pair;
        idle.pop_front();
        const ModifyResult result = pair->Modify(QpState::RESET);
        NS_ABORT_MSG_UNLESS(result == ModifyResult::MODIFIED, pair->Explain(result));
    }
    else
    {
        pair = m_run.CreateQueuePair(port.vertex, port.index);
        pair->SetCompletionQueue(m_completions);
        pair->SetAttribute("TrafficClass", UintegerValue(m_settings.trafficClass));
        pair->SetJob(m_settings.job);
        ++m_pairs;
    }
    pair->SetAttribute("BaseRtt", TimeValue(m_settings.baseRtt)); // not that of its last flow
    return pair;
}

void
FlowLauncher::GiveBack(const RankPorts::Port& port, Ptr<QueuePair> pair)
{
    m_idle[{port.vertex, port.index}].push_back({pair, NowSteps()});
}

void
FlowLauncher::Launch()
{
    const auto [from, to] = m_ports.Next(m_next.source, m_next.destination);
    ActiveFlow flow;
    flow.from = from;
    flow.to = to;
    flow.sender = TakePair(from);
    flow.receiver = TakePair(to);
    QueuePair::Connect(flow.sender, flow.receiver);
    const uint64_t id = m_newId();
    flow.end = {{id, m_next.bytes, NowSteps(), 0, WcStatus::SUCCESS},
                flow.sender->GetLocalAddress(),
                flow.sender->GetRemoteAddress(),
                m_next.incast};
    SendWorkRequest request;
    request.id = id;
    request.operation = RdmaOperation::WRITE;
    request.bytes = m_next.bytes;
    const Ptr<QueuePair> sender = flow.sender;
    m_active.emplace(id, std::move(flow));
    const PostResult result = sender->PostSend(request);
    NS_ABORT_MSG_UNLESS(result == PostResult::POSTED, sender->Explain(result));
    ScheduleNext();
}

void
FlowLauncher::Completed(const WorkCompletion& completion)
{
    auto found = m_active.find(completion.id);
    NS_ABORT_MSG_IF(found == m_active.end(), "FlowLauncher: a flow has ended twice");
    ActiveFlow flow = std::move(found->second);
    m_active.erase(found);
    flow.end.record.end = NowSteps();
    flow.end.record.status = completion.status;
    if (completion.status == WcStatus::SUCCESS)
    {
        GiveBack(flow.from, flow.sender);
        GiveBack(flow.to, flow.receiver);
    }
    m_ended(flow.end);
}

} // namespace ns3
