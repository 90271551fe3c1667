// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-stream.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuStream);

namespace
{

void
Call(GpuStream::Done done)
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
    Object::DoDispose();
}

void
GpuStream::SetPlace(uint32_t gpu, uint32_t index)
{
    m_gpu = gpu;
    m_index = index;
}

std::string
GpuStream::GetRunning() const
{
    return m_running ? m_queue.front().name : "";
}

void
GpuStream::Enqueue(const std::string& name, Operation operation)
{
    m_queue.push_back({name, std::move(operation), Simulator::Now()});
    RunQueue();
}

void
GpuStream::EnqueueKernel(const std::string& name, Time duration)
{
    Enqueue(name, [duration](Done done) { Simulator::Schedule(duration, &Call, done); });
}

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
    m_start = Simulator::Now();
    uint64_t ticket = ++m_started;
    Operation operation = std::move(m_queue.front().operation);
    operation([self = Ptr<GpuStream>(this), ticket]() { self->FrontDone(ticket); });
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
    if (!m_operationTrace.IsEmpty())
    {
        m_operationTrace({m_gpu, m_index, entry.name, entry.queued, m_start, Simulator::Now()});
    }
    RunQueue();
}

} // namespace ns3
