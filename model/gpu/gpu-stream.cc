// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-stream.h"

#include "gpu-endpoint.h"
#include "gpu-event.h"
#include "gpu-graph.h"
#include "gpu-operation.h"
#include "kernel-cost-model.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuStream);

namespace
{

void
CallDone(GpuStream::Done done)
{
    done();
}

/// An operation that is done at once.
void
DoNothing(GpuStream::Done done)
{
    done();
}

} // namespace

TypeId
GpuStream::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GpuStream")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<GpuStream>()
                            .AddTraceSource("OperationComplete",
                                            "An operation is done.",
                                            MakeTraceSourceAccessor(&GpuStream::m_operationTrace),
                                            "ns3::GpuStream::OperationTracedCallback");
    return tid;
}

GpuStream::GpuStream() = default;
GpuStream::~GpuStream() = default;

void
GpuStream::DoDispose()
{
    m_queue.clear();
    m_capture = nullptr;
    m_endpoint = nullptr;
    Object::DoDispose();
}

void
GpuStream::Attach(GpuEndpoint* gpu, uint32_t index, bool blocking)
{
    m_endpoint = gpu;
    m_gpu = gpu ? gpu->GetId() : m_gpu;
    m_index = index;
    m_blocking = blocking;
}

GpuEndpoint&
GpuStream::GetGpu() const
{
    NS_ABORT_MSG_IF(!m_endpoint, "GpuStream: its GPU is gone");
    return *m_endpoint;
}

std::string
GpuStream::GetRunning() const
{
    return m_running ? m_queue.front().name : "";
}

Ptr<StreamMark>
GpuStream::GetLastMark()
{
    if (m_queue.empty())
    {
        return nullptr;
    }
    if (!m_queue.back().done)
    {
        m_queue.back().done = Create<StreamMark>();
    }
    return m_queue.back().done;
}

// ---- what it is given

void
GpuStream::Enqueue(const std::string& name, Operation operation)
{
    Push({name, std::move(operation)});
}

void
GpuStream::EnqueueKernel(const std::string& name, Time duration)
{
    Enqueue(name, [duration](Done done) { Simulator::Schedule(duration, &CallDone, done); });
}

void
GpuStream::LaunchKernel(const std::string& name, Ptr<const KernelCostModel> kernel)
{
    GpuWork work = kernel->GetWork(GetGpu());
    Launch({name, MakeKernelOperation(&GetGpu(), work)}, GetGpu().GetLaunchLatency());
}

void
GpuStream::LaunchCopy(const std::string& name, const GpuCopy& copy)
{
    Launch({name, MakeCopyOperation(&GetGpu(), copy)}, GetGpu().GetLaunchLatency());
}

void
GpuStream::LaunchGraph(const std::string& name, Ptr<GpuGraph> graph)
{
    Time gap = GetGpu().GetGraphNodeGap();
    Entry entry{name, [graph, gap](Done done) { graph->Run(gap, std::move(done)); }};
    if (!m_capture)
    {
        entry.done = Create<StreamMark>();
        if (Ptr<StreamMark> before = graph->SetLastLaunch(entry.done))
        {
            entry.after.push_back(before);
        }
    }
    Launch(std::move(entry), GetGpu().GetGraphLaunchLatency());
}

void
GpuStream::EnqueueHostFunction(const std::string& name, std::function<void()> function)
{
    Enqueue(name, [function](Done done) {
        function();
        done();
    });
}

void
GpuStream::Launch(Entry entry, Time hostLatency)
{
    if (!m_capture) // a graph has latencies of its own
    {
        entry.launched = GetGpu().BookHost(hostLatency);
        entry.startLatency = GetGpu().GetKernelStartLatency();
    }
    Push(std::move(entry));
}

void
GpuStream::Push(Entry entry)
{
    if (m_capture)
    {
        m_captureAfter = {
            m_capture->AddOperation(entry.name, std::move(entry.operation), m_captureAfter)};
        return;
    }
    if (m_endpoint)
    {
        m_endpoint->AddDefaultStreamOrder(*this, entry.after);
    }
    entry.queued = Simulator::Now();
    m_queue.push_back(std::move(entry));
    RunQueue();
}

// ---- events

void
GpuStream::RecordEvent(Ptr<GpuEvent> event)
{
    if (m_capture)
    {
        event->Capture(m_capture, m_captureAfter);
        return;
    }
    Entry entry{"record", &DoNothing};
    entry.traced = false;
    entry.done = Create<StreamMark>();
    event->Record(entry.done);
    Push(std::move(entry));
}

void
GpuStream::WaitEvent(Ptr<GpuEvent> event)
{
    if (m_capture || event->GetGraph())
    {
        JoinCapture(*event);
        return;
    }
    Ptr<StreamMark> mark = event->GetMark();
    if (!mark || mark->IsReached())
    {
        return;
    }
    Entry entry{"wait", &DoNothing};
    entry.traced = false;
    entry.after.push_back(mark);
    Push(std::move(entry));
}

// ---- capture

void
GpuStream::BeginCapture(Ptr<GpuGraph> graph)
{
    NS_ABORT_MSG_IF(m_capture, "GpuStream: it is being captured already");
    m_capture = graph;
    m_captureAfter.clear();
    graph->AddCapturing(this);
}

void
GpuStream::JoinCapture(const GpuEvent& event)
{
    Ptr<GpuGraph> graph = event.GetGraph();
    NS_ABORT_MSG_IF(!graph || (m_capture && m_capture != graph),
                    "GpuStream: a stream that is being captured can wait only for events that "
                    "were recorded in the same capture");
    if (!m_capture)
    {
        BeginCapture(graph);
    }
    for (uint32_t node : event.GetNodes())
    {
        if (std::find(m_captureAfter.begin(), m_captureAfter.end(), node) == m_captureAfter.end())
        {
            m_captureAfter.push_back(node);
        }
    }
}

void
GpuStream::EndCapture()
{
    NS_ABORT_MSG_IF(!m_capture, "GpuStream: it is not being captured");
    for (uint32_t node : m_capture->GetLast())
    {
        NS_ABORT_MSG_IF(std::find(m_captureAfter.begin(), m_captureAfter.end(), node) ==
                            m_captureAfter.end(),
                        "GpuStream: a stream that takes part in the capture is not joined to the "
                        "one that ends it: node "
                            << node);
    }
    Ptr<GpuGraph> graph = m_capture;
    graph->EndCapture();
}

void
GpuStream::LeaveCapture()
{
    m_capture = nullptr;
    m_captureAfter.clear();
}

// ---- running

void
GpuStream::RunQueue()
{
    // A loop, not a recursion: any number of operations may be done at once.
    if (m_inQueue)
    {
        return;
    }
    m_inQueue = true;
    while (!m_running && !m_queue.empty())
    {
        StartFront();
    }
    m_inQueue = false;
}

void
GpuStream::StartFront()
{
    m_running = true;
    AwaitFront(++m_started);
}

void
GpuStream::AwaitFront(uint64_t ticket)
{
    if (m_queue.empty() || ticket != m_started)
    {
        return; // disposed of meanwhile
    }
    Entry& front = m_queue.front();
    auto again = [self = Ptr<GpuStream>(this), ticket]() { self->AwaitFront(ticket); };
    while (!front.after.empty())
    {
        Ptr<StreamMark> mark = front.after.back();
        front.after.pop_back();
        if (!mark->IsReached())
        {
            mark->WhenReached(again);
            return;
        }
    }
    Time now = Simulator::Now();
    if (front.launched > now.GetTimeStep())
    {
        Simulator::Schedule(TimeStep(front.launched) - now, &CallDone, Done(again));
        return;
    }
    m_start = now;
    if (front.startLatency.IsStrictlyPositive())
    {
        Simulator::Schedule(front.startLatency,
                            &GpuStream::StartOperation,
                            Ptr<GpuStream>(this),
                            ticket);
        return;
    }
    StartOperation(this, ticket);
}

void
GpuStream::StartOperation(Ptr<GpuStream> stream, uint64_t ticket)
{
    if (stream->m_queue.empty())
    {
        return; // disposed of meanwhile
    }
    Operation operation = std::move(stream->m_queue.front().operation);
    operation([stream, ticket]() { stream->FrontDone(ticket); });
}

void
GpuStream::FrontDone(uint64_t ticket)
{
    if (m_queue.empty())
    {
        return; // disposed of meanwhile
    }
    NS_ABORT_MSG_IF(!m_running || ticket != m_started,
                    "GpuStream: an operation was done a second time");
    Entry entry = std::move(m_queue.front());
    m_queue.pop_front();
    m_running = false;
    if (entry.traced && !m_operationTrace.IsEmpty())
    {
        m_operationTrace({m_gpu, m_index, entry.name, entry.queued, m_start, Simulator::Now()});
    }
    if (entry.done)
    {
        entry.done->Reach();
    }
    RunQueue();
}

} // namespace ns3
