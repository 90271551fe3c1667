// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_STREAM_H
#define GPU_STREAM_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <functional>
#include <string>

namespace ns3
{

/// An operation of a stream that has ended.
struct GpuOperationRecord
{
    uint32_t gpu;     ///< id of the GPU
    uint32_t stream;  ///< index of the stream on its GPU
    std::string name; ///< of the operation
    Time queued;      ///< put into the stream
    Time start;       ///< all before it were done
    Time end;         ///< done
};

/**
 * @ingroup ai-fabric
 * @brief A queue of a GPU's operations: each starts when the one before it is done.
 *
 * Made by GpuEndpoint::CreateStream. Streams of one GPU run beside each other.
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

    /// Called by GpuEndpoint. @param gpu id of the GPU @param index of this stream on it
    void SetPlace(uint32_t gpu, uint32_t index);

    /// @return index of this stream on its GPU
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /**
     * Queues an operation.
     * @param name what reports call it
     * @param operation starts it; called at once if the stream is idle
     */
    void Enqueue(const std::string& name, Operation operation);

    /**
     * Queues a kernel that takes a known time.
     * @param name what reports call it
     * @param duration its time
     */
    void EnqueueKernel(const std::string& name, Time duration);

    /// @return operations that are not done, the running one included
    size_t GetPending() const
    {
        return m_queue.size();
    }

    /// @return name of the running operation; empty if the stream is idle
    std::string GetRunning() const;

    /// Signature of OperationComplete. @param record the operation
    typedef void (*OperationTracedCallback)(const GpuOperationRecord& record);

  protected:
    void DoDispose() override;

  private:
    struct Entry
    {
        std::string name;
        Operation operation;
        Time queued;
    };

    void StartFront();
    void FrontDone(uint64_t ticket);
    void RunQueue();

    uint32_t m_gpu{0};
    uint32_t m_index{0};
    uint64_t m_started{0}; ///< operations started so far
    bool m_running{false}; ///< the front has started
    bool m_inQueue{false}; ///< RunQueue() is on the call stack
    Time m_start;          ///< of the front
    std::deque<Entry> m_queue;
    TracedCallback<const GpuOperationRecord&> m_operationTrace;
};

} // namespace ns3

#endif // GPU_STREAM_H
