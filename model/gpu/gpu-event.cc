// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-event.h"

#include "gpu-graph.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuEvent);

TypeId
GpuEvent::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GpuEvent")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<GpuEvent>();
    return tid;
}

GpuEvent::GpuEvent() = default;
GpuEvent::~GpuEvent() = default;

void
GpuEvent::DoDispose()
{
    m_mark = nullptr;
    m_graph = nullptr;
    Object::DoDispose();
}

bool
GpuEvent::IsComplete() const
{
    NS_ABORT_MSG_IF(m_graph, "GpuEvent: it is part of a graph, which completes it at no one time");
    return !m_mark || m_mark->IsReached();
}

Time
GpuEvent::GetTime() const
{
    NS_ABORT_MSG_IF(!m_mark, "GpuEvent: it has not been recorded");
    NS_ABORT_MSG_IF(!m_mark->IsReached(), "GpuEvent: it is not complete");
    return m_mark->GetTime();
}

Time
GpuEvent::GetElapsed(const GpuEvent& start, const GpuEvent& end)
{
    return end.GetTime() - start.GetTime();
}

void
GpuEvent::WhenComplete(StreamMark::Call call) const
{
    if (IsComplete())
    {
        call();
        return;
    }
    m_mark->WhenReached(std::move(call));
}

void
GpuEvent::Record(Ptr<StreamMark> mark)
{
    m_mark = mark;
    m_graph = nullptr;
    m_nodes.clear();
}

void
GpuEvent::Capture(Ptr<GpuGraph> graph, const std::vector<uint32_t>& nodes)
{
    m_mark = nullptr;
    m_graph = graph;
    m_nodes = nodes;
}

Ptr<GpuGraph>
GpuEvent::GetGraph() const
{
    return m_graph;
}

} // namespace ns3
