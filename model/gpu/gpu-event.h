// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_EVENT_H
#define GPU_EVENT_H

#include "stream-mark.h"

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class GpuGraph;

/**
 * @ingroup ai-fabric
 * @brief An event in CUDA's sense: what a stream had been given when the event was last recorded.
 *
 * Recording it again replaces what it stands for; who waited before goes on waiting for what it
 * stood for then. Before the first record it stands for nothing, which is complete.
 */
class GpuEvent : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    GpuEvent();
    ~GpuEvent() override;

    /// @return whether all that it stands for is done
    bool IsComplete() const;

    /// @return when it was completed; ends the program if it never was recorded or is not complete
    Time GetTime() const;

    /**
     * @param start an event @param end another one
     * @return the time between their completions; ends the program as GetTime() does
     */
    static Time GetElapsed(const GpuEvent& start, const GpuEvent& end);

    /// @param call made when what it stands for now is done; at once if it is
    void WhenComplete(StreamMark::Call call) const;

    // ---- for GpuStream

    /// @param mark what it stands for
    void Record(Ptr<StreamMark> mark);

    /// It is recorded in a stream that is being captured. @param graph that captures @param nodes
    /// of the graph that it stands for
    void Capture(Ptr<GpuGraph> graph, const std::vector<uint32_t>& nodes);

    /// @return what it stands for; null before the first record and while it is captured
    Ptr<StreamMark> GetMark() const
    {
        return m_mark;
    }

    /// @return the graph that captured its last record; null if none did
    Ptr<GpuGraph> GetGraph() const;

    /// @return the nodes of that graph that it stands for
    const std::vector<uint32_t>& GetNodes() const
    {
        return m_nodes;
    }

  protected:
    void DoDispose() override;

  private:
    Ptr<StreamMark> m_mark;
    Ptr<GpuGraph> m_graph;
    std::vector<uint32_t> m_nodes;
};

} // namespace ns3

#endif // GPU_EVENT_H
