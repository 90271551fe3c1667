// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_GRAPH_H
#define GPU_GRAPH_H

#include "copy-engines.h"
#include "gpu-operation.h"
#include "gpu-stream.h"
#include "kernel-cost-model.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class GpuEndpoint;

/// A node of a graph that has ended.
struct GpuGraphNodeRecord
{
    uint32_t node;
    std::string name;
    Time start; ///< all that it comes after were done, and the gap between nodes was over
    Time end;
};

/**
 * @ingroup ai-fabric
 * @brief Operations with an order between them, put together once and launched as a whole, often.
 *
 * A node starts when the nodes that it comes after are done and GpuEndpoint's GraphNodeGap has
 * passed. Put together by the Add methods, or by GpuStream::BeginCapture(). A graph never runs
 * beside itself: a launch waits for the one before.
 */
class GpuGraph : public Object
{
  public:
    /// Numbers of nodes.
    using Nodes = std::vector<uint32_t>;

    /// @return the TypeId
    static TypeId GetTypeId();

    GpuGraph();
    ~GpuGraph() override;

    /**
     * @param name of the node
     * @param operation that it is; started once each launch, so it must be one that can be repeated
     * @param after nodes that it comes after, added before
     * @return its number
     */
    uint32_t AddOperation(const std::string& name,
                          GpuStream::Operation operation,
                          const Nodes& after);

    /// Adds a kernel. @param name of the node @param gpu that it runs on @param kernel what it
    /// costs
    /// @param after nodes that it comes after @return its number
    uint32_t AddKernel(const std::string& name,
                       Ptr<GpuEndpoint> gpu,
                       Ptr<const KernelCostModel> kernel,
                       const Nodes& after);

    /// Adds a copy. @param name of the node @param gpu whose engines copy @param copy what it
    /// copies
    /// @param after nodes that it comes after @return its number
    uint32_t AddCopy(const std::string& name,
                     Ptr<GpuEndpoint> gpu,
                     const GpuCopy& copy,
                     const Nodes& after);

    /// @return how many nodes it has
    uint32_t GetNodes() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// @param node number @return the nodes that it comes after
    const Nodes& GetAfter(uint32_t node) const
    {
        return m_nodes.at(node).after;
    }

    /// @return the nodes that no node comes after
    Nodes GetLast() const;

    // ---- for GpuStream

    /// Runs all nodes. @param gap before each node that comes after another one @param done called
    /// when the last one is done
    void Run(Time gap, GpuStream::Done done);

    /// @param mark reached when the launch that it belongs to is done @return that of the launch
    /// before; null if there was none
    Ptr<StreamMark> SetLastLaunch(Ptr<StreamMark> mark);

    /// @param stream that takes part in its capture
    void AddCapturing(Ptr<GpuStream> stream);

    /// All streams leave the capture.
    void EndCapture();

    /// Signature of NodeComplete. @param record the node
    typedef void (*NodeTracedCallback)(const GpuGraphNodeRecord& record);

  protected:
    void DoDispose() override;

  private:
    struct Node
    {
        std::string name;
        GpuStream::Operation operation;
        Nodes after;
        Nodes before; ///< nodes that come after it
    };

    /// One launch.
    struct Launch
    {
        Time gap;
        GpuStream::Done done;
        std::vector<size_t> waitsFor; ///< by node: of those that it comes after, not done
        std::vector<bool> ended;      ///< by node
        size_t left;                  ///< nodes that are not done
    };

    static void StartNode(Ptr<GpuGraph> graph, std::shared_ptr<Launch> launch, uint32_t node);
    void NodeDone(std::shared_ptr<Launch> launch, uint32_t node, Time start);

    std::vector<Node> m_nodes;
    Ptr<StreamMark> m_lastLaunch;
    std::vector<Ptr<GpuStream>> m_capturing;
    TracedCallback<const GpuGraphNodeRecord&> m_nodeTrace;
};

} // namespace ns3

#endif // GPU_GRAPH_H
