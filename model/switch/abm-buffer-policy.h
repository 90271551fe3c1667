// SPDX-License-Identifier: GPL-2.0-only
#ifndef ABM_BUFFER_POLICY_H
#define ABM_BUFFER_POLICY_H

#include "buffer-policy.h"

#include "ns3/nstime.h"
#include "ns3/wire-format.h"

#include <array>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Active buffer management: a queue's limit falls with the number of congested queues of its
 * class and with the rate at which it drains.
 *
 *     limit = alpha_p x 1/n_p x (B - Q(t)) x mu/b
 *
 * V. Addanki, M. Apostolaki, M. Ghobadi, S. Schmid, L. Vanbever, "ABM: Active Buffer Management in
 * Datacenters", SIGCOMM 2022. alpha_p is the class's; B - Q(t) is what is free of its pool.
 *
 * How the two measured quantities are estimated here:
 *
 * n_p: a queue counts as congested from the moment a frame is booked into it, or out of it, that
 * leaves it at CongestedShare of its limit or more, until one leaves it below. At least 1 is used.
 *
 * mu/b: measured over windows of at least UpdateInterval, closed by the first frame that is booked
 * in or out after their end. If the queue was never empty during the window, the bytes that left it
 * (with preamble and gap), over what the port's line could have carried in that time, at most 1; if
 * it was empty at any time, 1, for what it does not use is not taken from it.
 *
 * The paper is about egress queues. Here a lossy class has its limits there; a lossless class has
 * them where its frames came in, so a "queue" is then what is booked of an ingress port and class,
 * mu the rate at which that leaves the switch, b the rate of that port.
 */
class AbmBufferPolicy : public BufferPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string Configure(const SharedBuffer& buffer) override;
    uint64_t IngressLimit(const SharedBuffer& buffer,
                          uint32_t port,
                          uint32_t trafficClass) override;
    uint64_t EgressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass) override;
    bool WatchesFrames() const override;
    void FrameBooked(const SharedBuffer& buffer,
                     uint32_t ingress,
                     uint32_t egress,
                     uint32_t trafficClass) override;
    void FrameReleased(const SharedBuffer& buffer,
                       uint32_t ingress,
                       uint32_t egress,
                       uint32_t trafficClass,
                       uint64_t bytes) override;

    /// @param trafficClass 0 to 7 @return its congested egress queues, n_p
    uint32_t GetCongestedEgressQueues(uint32_t trafficClass) const
    {
        return m_egress.congested[trafficClass];
    }

    /// @param trafficClass 0 to 7 @return its congested ingress accounts, n_p
    uint32_t GetCongestedIngressAccounts(uint32_t trafficClass) const
    {
        return m_ingress.congested[trafficClass];
    }

    /// @param port egress port @param trafficClass 0 to 7 @return mu/b of that queue
    double GetEgressDrain(uint32_t port, uint32_t trafficClass) const
    {
        return m_egress.queues[port][trafficClass].drain;
    }

  private:
    struct Queue
    {
        double drain{1};             ///< mu/b, as of the last window
        uint64_t windowWireBytes{0}; ///< that left since its start
        int64_t windowStart{0};
        bool wasEmpty{true}; ///< at some time of the window
        bool congested{false};
    };

    /// The queues of one side.
    struct Side
    {
        std::vector<std::array<Queue, N_TRAFFIC_CLASSES>> queues; ///< by port
        std::array<uint32_t, N_TRAFFIC_CLASSES> congested{};      ///< n_p
    };

    static uint64_t Limit(const Side& side,
                          uint32_t port,
                          uint32_t trafficClass,
                          double alpha,
                          uint64_t freeBytes);
    /// Brings both of a frame's queues up to date.
    void Look(const SharedBuffer& buffer, uint32_t ingress, uint32_t egress, uint32_t trafficClass);
    void Measure(Queue& queue, uint64_t bitsPerSecond, int64_t now) const;
    void Update(Side& side,
                uint32_t port,
                uint32_t trafficClass,
                uint64_t queueBytes,
                uint64_t limit) const;

    Time m_updateInterval;
    double m_congestedShare{0};
    Side m_ingress;
    Side m_egress;
};

} // namespace ns3

#endif // ABM_BUFFER_POLICY_H
