// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_PROCESSOR_H
#define GPU_PROCESSOR_H

#include "gpu-work.h"

#include "ns3/data-rate.h"
#include "ns3/object.h"
#include "ns3/persistent-event.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The SMs and the memory bandwidth of a GPU, shared by all that runs on it.
 *
 * A fluid model. Work that would take T alone progresses at a speed of at most 1, and ends when its
 * speed has added up to T. SMs are shared max-min fairly, each piece of work and each communication
 * kernel with the same weight, and so is the memory bandwidth. With s the part of its SMs that a
 * kernel gets and m the part of the memory bandwidth that it wants at that pace,
 *
 *     speed = min(1, s x T / compute time) x m
 *
 * Speeds change only when something begins or ends; one event is pending, for the earliest end.
 */
class GpuProcessor : public Object
{
  public:
    /// Called when a piece of work is done.
    using Done = std::function<void()>;

    /// @return the TypeId
    static TypeId GetTypeId();

    GpuProcessor();
    ~GpuProcessor() override;

    /// @param count of SMs @param memory bandwidth, reads and writes together
    void SetSize(uint32_t count, DataRate memory);

    /**
     * Starts a piece of work.
     * @param work what it asks for; more SMs than there are is all of them
     * @param done called when it is done, never before this returns
     */
    void Start(const GpuWork& work, Done done);

    /**
     * A communication kernel begins.
     * @param sms that it holds
     * @param memory bandwidth that it wants
     */
    void BeginCommunication(uint32_t sms, DataRate memory);

    /// It ends. @param sms as at its beginning
    void EndCommunication(uint32_t sms);

    /// @return the factor by which communication kernels are slower than alone; 1 = not at all
    double GetCommunicationSlowdown() const
    {
        return m_communicationSlowdown;
    }

    /// @return the part of the memory bandwidth that a short burst gets which wants all of it
    double GetBurstShare() const;

    /// @param work a piece of work @return how long it takes with the GPU for itself (time steps)
    int64_t GetTimeAlone(const GpuWork& work) const;

    /// @return pieces of work that are running
    size_t GetRunning() const
    {
        return m_running.size();
    }

    /// @return communication kernels that are running
    size_t GetCommunications() const
    {
        return m_communications.size();
    }

    /// @return bytes that work has moved from and to the memory so far
    double GetMemoryBytes() const;

  protected:
    void DoDispose() override;

  private:
    /// A running piece of work.
    struct Running
    {
        GpuWork work;
        double alone;      ///< time steps that it takes with the GPU for itself
        double compute;    ///< of them, what the SMs need
        double left;       ///< of them, not yet done
        double speed;      ///< time steps alone per time step
        double memoryRate; ///< bytes a time step
        Done done;
    };

    /// A running communication kernel.
    struct Communication
    {
        uint32_t asked;  ///< SMs
        uint32_t sms;    ///< likewise, but no more than there are
        uint64_t memory; ///< bandwidth that it wants (bit/s)
    };

    void SetClock(double clock);
    double GetClock() const;
    static double BytesPerStep(DataRate rate);
    double GetMemorySteps(const GpuWork& work) const;
    void Advance();
    void Share();
    std::vector<double> ShareMultiprocessors() const;
    void ShareMemory(double communicationSms);
    void Wake();

    uint32_t m_multiprocessors{0};
    DataRate m_memory;
    double m_clock{1};
    double m_computeInterference{0};
    double m_communicationInterference{0};
    double m_communicationSlowdown{1};
    double m_memoryBytes{0}; ///< moved until m_now
    int64_t m_now{0};        ///< the state is that of this time step
    std::vector<Running> m_running;
    std::vector<Communication> m_communications;
    WakeUp<GpuProcessor, &GpuProcessor::Wake> m_wake;
};

} // namespace ns3

#endif // GPU_PROCESSOR_H
