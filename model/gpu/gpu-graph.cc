// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-graph.h"

#include "gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuGraph);

TypeId
GpuGraph::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GpuGraph")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<GpuGraph>()
                            .AddTraceSource("NodeComplete",
                                            "A node of a launch is done.",
                                            MakeTraceSourceAccessor(&GpuGraph::m_nodeTrace),
                                            "ns3::GpuGraph::NodeTracedCallback");
    return tid;
}

GpuGraph::GpuGraph() = default;
GpuGraph::~GpuGraph() = default;

void
GpuGraph::DoDispose()
{
    m_nodes.clear();
    m_lastLaunch = nullptr;
    m_capturing.clear();
    Object::DoDispose();
}

uint32_t
GpuGraph::AddOperation(const std::string& name, GpuStream::Operation operation, const Nodes& after)
{
    auto number = static_cast<uint32_t>(m_nodes.size());
    for (uint32_t node : after)
    {
        // Only what is there already can come before: so there is no cycle.
        NS_ABORT_MSG_IF(node >= number,
                        "GpuGraph: " << name << " after node " << node << ", which is not there");
        m_nodes[node].before.push_back(number);
    }
    m_nodes.push_back({name, std::move(operation), after, {}});
    return number;
}

uint32_t
GpuGraph::AddKernel(const std::string& name,
                    Ptr<GpuEndpoint> gpu,
                    Ptr<const KernelCostModel> kernel,
                    const Nodes& after)
{
    return AddOperation(name, MakeKernelOperation(gpu, kernel->GetWork(*gpu)), after);
}

uint32_t
GpuGraph::AddCopy(const std::string& name,
                  Ptr<GpuEndpoint> gpu,
                  const GpuCopy& copy,
                  const Nodes& after)
{
    return AddOperation(name, MakeCopyOperation(gpu, copy), after);
}

GpuGraph::Nodes
GpuGraph::GetLast() const
{
    Nodes last;
    for (uint32_t n = 0; n < m_nodes.size(); ++n)
    {
        if (m_nodes[n].before.empty())
        {
            last.push_back(n);
        }
    }
    return last;
}

Ptr<StreamMark>
GpuGraph::SetLastLaunch(Ptr<StreamMark> mark)
{
    std::swap(m_lastLaunch, mark);
    return mark;
}

void
GpuGraph::AddCapturing(Ptr<GpuStream> stream)
{
    m_capturing.push_back(stream);
}

void
GpuGraph::EndCapture()
{
    for (Ptr<GpuStream>& stream : m_capturing)
    {
        stream->LeaveCapture();
    }
    m_capturing.clear();
}

void
GpuGraph::Run(Time gap, GpuStream::Done done)
{
    if (m_nodes.empty())
    {
        done();
        return;
    }
    auto launch = std::make_shared<Launch>();
    launch->gap = gap;
    launch->done = std::move(done);
    launch->left = m_nodes.size();
    launch->ended.resize(m_nodes.size());
    for (const Node& node : m_nodes)
    {
        launch->waitsFor.push_back(node.after.size());
    }
    for (uint32_t n = 0; n < m_nodes.size(); ++n)
    {
        if (m_nodes[n].after.empty())
        {
            Simulator::ScheduleNow(&GpuGraph::StartNode, Ptr<GpuGraph>(this), launch, n);
        }
    }
}

void
GpuGraph::StartNode(Ptr<GpuGraph> graph, std::shared_ptr<Launch> launch, uint32_t node)
{
    if (graph->m_nodes.empty())
    {
        return; // disposed of meanwhile
    }
    Time start = Simulator::Now();
    graph->m_nodes[node].operation(
        [graph, launch, node, start]() { graph->NodeDone(launch, node, start); });
}

void
GpuGraph::NodeDone(std::shared_ptr<Launch> launch, uint32_t node, Time start)
{
    if (m_nodes.empty())
    {
        return; // disposed of meanwhile
    }
    NS_ABORT_MSG_IF(launch->ended[node],
                    "GpuGraph: " << m_nodes[node].name << " was done a second time");
    launch->ended[node] = true;
    if (!m_nodeTrace.IsEmpty())
    {
        m_nodeTrace({node, m_nodes[node].name, start, Simulator::Now()});
    }
    for (uint32_t next : m_nodes[node].before)
    {
        if (--launch->waitsFor[next] == 0)
        {
            Simulator::Schedule(launch->gap,
                                &GpuGraph::StartNode,
                                Ptr<GpuGraph>(this),
                                launch,
                                next);
        }
    }
    if (--launch->left == 0)
    {
        launch->done();
    }
}

} // namespace ns3
