// SPDX-License-Identifier: GPL-2.0-only
#include "copy-engines.h"

#include "gpu-endpoint.h"

#include "ns3/abort.h"

#include <cmath>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CopyEngines);

/// Messages of a flow arrive in order, so the oldest copy is the one that has arrived.
class CopyEngines::PeerFlow
{
  public:
    PeerFlow(GpuEndpoint& from, Ptr<GpuEndpoint> to)
        : m_port(from.GetScaleUpPort()),
          m_peer(PeekPointer(to))
    {
        m_flow = ScaleUpPort::Connect(m_port,
                                      to->GetScaleUpPort(),
                                      MakeCallback(&PeerFlow::Departed, this),
                                      MakeCallback(&PeerFlow::Arrived, this));
    }

    bool LeadsTo(const GpuCopy& copy) const
    {
        return m_peer == PeekPointer(copy.peer);
    }

    void Send(uint64_t bytes, Done done)
    {
        m_under.push_back(std::move(done));
        m_port->Send(m_flow, bytes);
    }

  private:
    void Departed()
    {
    }

    void Arrived(uint64_t)
    {
        Done done = std::move(m_under.front());
        m_under.pop_front();
        done();
    }

    Ptr<ScaleUpPort> m_port;
    const GpuEndpoint* m_peer;
    uint32_t m_flow;
    std::deque<Done> m_under; ///< way
};

namespace
{

bool
ShareDomain(const GpuEndpoint& one, const GpuEndpoint& other)
{
    return one.GetScaleUpPort() && other.GetScaleUpPort() &&
           one.GetScaleUpDomain() == other.GetScaleUpDomain();
}

/// @return the GPU's node of its server's PCIe tree, or NO_NODE if it is in none
uint32_t
PcieNodeOf(const GpuEndpoint& gpu)
{
    Ptr<PcieTree> tree = gpu.GetPcieTree();
    return tree ? tree->GetGpu(gpu.GetLocalIndex()) : PcieTree::NO_NODE;
}

} // namespace

TypeId
CopyEngines::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CopyEngines")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<CopyEngines>();
    return tid;
}

CopyEngines::CopyEngines() = default;
CopyEngines::~CopyEngines() = default;

void
CopyEngines::DoDispose()
{
    m_engines.clear();
    m_peers.clear();
    Object::DoDispose();
}

std::string
CopyEngines::Check(const GpuEndpoint& gpu, const GpuCopy& copy) const
{
    if (copy.kind != GpuCopyKind::PEER_TO_PEER)
    {
        return "";
    }
    if (!copy.peer || PeekPointer(copy.peer) == &gpu)
    {
        return "a copy to a peer needs another GPU";
    }
    bool pcie = gpu.GetServer() == copy.peer->GetServer() && PcieNodeOf(gpu) != PcieTree::NO_NODE &&
                PcieNodeOf(*copy.peer) != PcieTree::NO_NODE;
    if (!ShareDomain(gpu, *copy.peer) && !pcie)
    {
        return "no copy to GPU " + std::to_string(copy.peer->GetId()) +
               ": they share neither a scale-up domain nor a PCIe tree";
    }
    return "";
}

void
CopyEngines::Copy(GpuEndpoint& gpu, const GpuCopy& copy, Done done)
{
    m_engines.resize(m_count);
    size_t engine = static_cast<size_t>(copy.kind) % m_count;
    m_engines[engine].push_back({&gpu, copy, std::move(done)});
    if (m_engines[engine].size() == 1)
    {
        StartFront(engine);
    }
}

void
CopyEngines::StartFront(size_t engine)
{
    Job& job = m_engines[engine].front();
    Done done = [self = Ptr<CopyEngines>(this), engine]() { self->FrontDone(engine); };
    const GpuCopy& copy = job.copy;
    if (copy.kind == GpuCopyKind::PEER_TO_PEER && ShareDomain(*job.gpu, *copy.peer))
    {
        CopyByScaleUp(*job.gpu, copy, done);
        return;
    }
    GpuWork work;
    work.compute = TimeStep(BookLinks(*job.gpu, copy));
    // Within the memory each byte is read and written.
    work.memoryBytes = copy.bytes * (copy.kind == GpuCopyKind::DEVICE_TO_DEVICE ? 2 : 1);
    job.gpu->GetProcessor()->Start(work, done);
}

int64_t
CopyEngines::BookLinks(GpuEndpoint& gpu, const GpuCopy& copy) const
{
    if (copy.kind == GpuCopyKind::DEVICE_TO_DEVICE)
    {
        return 0;
    }
    Ptr<PcieTree> tree = gpu.GetPcieTree();
    uint32_t node = PcieNodeOf(gpu);
    if (node == PcieTree::NO_NODE)
    {
        return std::llround(copy.bytes * 8.0 * Seconds(1).GetTimeStep() / m_hostRate.GetBitRate());
    }
    int64_t now = NowSteps();
    if (copy.kind == GpuCopyKind::PEER_TO_PEER)
    {
        return tree->Book(node, PcieNodeOf(*copy.peer), copy.bytes, now) - now;
    }
    uint32_t host = tree->GetHostBridge(node);
    bool up = copy.kind == GpuCopyKind::DEVICE_TO_HOST;
    return tree->Book(up ? node : host, up ? host : node, copy.bytes, now) - now;
}

void
CopyEngines::CopyByScaleUp(GpuEndpoint& gpu, const GpuCopy& copy, Done done)
{
    for (const auto& flow : m_peers)
    {
        if (flow->LeadsTo(copy))
        {
            flow->Send(copy.bytes, std::move(done));
            return;
        }
    }
    m_peers.push_back(std::make_unique<PeerFlow>(gpu, copy.peer));
    m_peers.back()->Send(copy.bytes, std::move(done));
}

void
CopyEngines::FrontDone(size_t engine)
{
    if (m_engines.empty())
    {
        return; // disposed of meanwhile
    }
    Done done = std::move(m_engines[engine].front().done);
    m_engines[engine].pop_front();
    if (!m_engines[engine].empty())
    {
        StartFront(engine);
    }
    done();
}

} // namespace ns3
