// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_STREAM_H
#define GPU_STREAM_H

#include "copy-engines.h"
#include "stream-mark.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

class GpuEndpoint;
class GpuEvent;
class GpuGraph;
class KernelCostModel;

/// An operation of a stream that has ended.
struct GpuOperationRecord
{
    uint32_t gpu;     ///< id of the GPU
    uint32_t stream;  ///< index of the stream on its GPU
    std::string name; ///< of the operation
    Time queued;      ///< put into the stream
    Time start;       ///< all before it were done, and the host had launched it
    Time end;         ///< done
};

/**
 * @ingroup ai-fabric
 * @brief A queue of a GPU's operations: each starts when the one before it is done.
 *
 * Made by GpuEndpoint::CreateStream. Streams of one GPU run beside each other, but for what events
 * order (RecordEvent(), WaitEvent()) and for the default stream, if it is a legacy one. The order
 * is CUDA's: CUDA Runtime API, "Stream Management", "Event Management", "Stream synchronization
 * behavior".
 */
class GpuStream : public Object
{
  public:
    /// To be called once, when the operation is done; at once or later.
    using Done = std::function<void()>;
    /// Starts an operation.
    using Operation = std::function<void(Done)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    GpuStream();
    ~GpuStream() override;

    /// Called by GpuEndpoint. @param gpu whose stream it is; null: it is gone @param index of this
    /// stream on it @param blocking whether it is ordered with the legacy default stream
    void Attach(GpuEndpoint* gpu, uint32_t index, bool blocking);

    /// @return index of this stream on its GPU
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /// @return whether it is ordered with the legacy default stream
    bool IsBlocking() const
    {
        return m_blocking;
    }

    /**
     * Queues an operation.
     * @param name what reports call it
     * @param operation starts it; called at once if the stream is idle
     */
    void Enqueue(const std::string& name, Operation operation);

    /**
     * Queues a kernel that takes a known time, whatever runs beside it: no latency of a launch, no
     * SMs, no memory.
     * @param name what reports call it
     * @param duration its time
     */
    void EnqueueKernel(const std::string& name, Time duration);

    /**
     * Launches a kernel: the host takes GpuEndpoint's LaunchLatency, the GPU KernelStartLatency;
     * then it shares SMs and memory with what else runs.
     * @param name what reports call it
     * @param kernel what it costs; the GPU must be able to run it, else the program ends
     */
    void LaunchKernel(const std::string& name, Ptr<const KernelCostModel> kernel);

    /**
     * Launches a copy by the copy engines, with the latencies of a kernel.
     * @param name what reports call it
     * @param copy what is copied; the GPU must be able to, else the program ends
     */
    void LaunchCopy(const std::string& name, const GpuCopy& copy);

    /**
     * Launches a graph: the host takes GraphLaunchLatency, the GPU KernelStartLatency once, and
     * GraphNodeGap between nodes.
     * @param name what reports call it
     * @param graph to run
     */
    void LaunchGraph(const std::string& name, Ptr<GpuGraph> graph);

    /// Has the host call a function when all before it is done; what follows waits until it has
    /// returned. @param name what reports call it @param function to call
    void EnqueueHostFunction(const std::string& name, std::function<void()> function);

    // ---- events

    /// From now on the event stands for all that is in the stream now. @param event to record
    void RecordEvent(Ptr<GpuEvent> event);

    /// What is queued from now on waits for what the event stands for now: for nothing if it never
    /// was recorded. @param event of any GPU
    void WaitEvent(Ptr<GpuEvent> event);

    // ---- capture

    /**
     * Until EndCapture() what is queued here runs nowhere, but becomes nodes of a graph, each after
     * the one before. A stream that waits for an event that was recorded in a capture takes part
     * in it from then on.
     * @param graph that gets the nodes
     */
    void BeginCapture(Ptr<GpuGraph> graph);

    /// Ends the capture in all streams that take part. Their last nodes must come before this
    /// stream's last one, by events, else the program ends.
    void EndCapture();

    /// Called by the graph when its capture ends.
    void LeaveCapture();

    /// @return whether it is being captured
    bool IsCapturing() const
    {
        return bool(m_capture);
    }

    // ---- what it has to do

    /// @return operations that are not done, the running one included
    size_t GetPending() const
    {
        return m_queue.size();
    }

    /// @return name of the running operation; empty if the stream is idle
    std::string GetRunning() const;

    /// @return a mark that is reached when all that is in the stream now is done; null if it is
    /// idle
    Ptr<StreamMark> GetLastMark();

    /// Signature of OperationComplete. @param record the operation
    typedef void (*OperationTracedCallback)(const GpuOperationRecord& record);

  protected:
    void DoDispose() override;

  private:
    /// An operation in the queue.
    struct Entry
    {
        std::string name;
        Operation operation;
        Time queued{};
        int64_t launched{0};                  ///< by the host, at this time step
        Time startLatency{};                  ///< of the GPU
        bool traced{true};                    ///< reports see it
        std::vector<Ptr<StreamMark>> after{}; ///< what it waits for, beside the one before it
        Ptr<StreamMark> done{};               ///< reached when it is done; null: nobody asked
    };

    static void StartOperation(Ptr<GpuStream> stream, uint64_t ticket);
    GpuEndpoint& GetGpu() const;
    void Push(Entry entry);
    void Launch(Entry entry, Time hostLatency);
    void StartFront();
    void AwaitFront(uint64_t ticket);
    void FrontDone(uint64_t ticket);
    void RunQueue();
    void JoinCapture(const GpuEvent& event);

    GpuEndpoint* m_endpoint{nullptr};
    uint32_t m_gpu{0};
    uint32_t m_index{0};
    bool m_blocking{true};
    uint64_t m_started{0}; ///< operations started so far
    bool m_running{false}; ///< the front is under way, or waits for what it comes after
    bool m_inQueue{false}; ///< RunQueue() is on the call stack
    Time m_start;          ///< of the front
    std::deque<Entry> m_queue;
    Ptr<GpuGraph> m_capture;              ///< null unless it is being captured
    std::vector<uint32_t> m_captureAfter; ///< nodes that the next one comes after
    TracedCallback<const GpuOperationRecord&> m_operationTrace;
};

} // namespace ns3

#endif // GPU_STREAM_H
