// SPDX-License-Identifier: GPL-2.0-only
#ifndef RED_ECN_MARKER_H
#define RED_ECN_MARKER_H

#include "ecn-marker.h"

#include "ns3/data-rate.h"
#include "ns3/random-stream.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Decides whether a frame is marked: RED on the length of its queue.
 *
 * Below Kmin never; between Kmin and Kmax with a probability that grows linearly to Pmax; above
 * Kmax always (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM
 * 2015, 3.1).
 *
 * The length is the instantaneous one, or with a QueueWeight w the moving average of Floyd and
 * Jacobson ("Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Transactions on
 * Networking 1(4), 1993): each frame of the class moves it by w times the difference to the
 * length that it finds. A frame that finds an empty queue ends an idle period, in which m frames of
 * MeanFrameBytes could have been sent at LinkRate: the average is multiplied by (1 - w)^m. The
 * period began when what the frame before had found, and a mean frame, could be gone. Marks are
 * independent draws; the paper's even spacing of marks is not done.
 */
class RedEcnMarker : public EcnMarker
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RedEcnMarker();

    bool ShouldMark(uint64_t queueBytes, int64_t now) override
    {
        if (m_queueWeight > 0)
        {
            Observe(queueBytes, now);
            queueBytes = static_cast<uint64_t>(m_average);
        }
        if (queueBytes <= m_kminBytes)
        {
            return false;
        }
        return queueBytes > m_kmaxBytes || Draw(queueBytes);
    }

    bool KeepsState() const override
    {
        return m_queueWeight > 0;
    }

    void Observe(uint64_t queueBytes, int64_t now) override;

    /// @return the moving average, bytes; 0 without a QueueWeight
    double GetAverage() const
    {
        return m_average;
    }

    /// @param queueBytes bytes waiting, or their average @return probability of a mark
    double GetProbability(uint64_t queueBytes) const;

    int64_t AssignStreams(int64_t stream) override;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    bool Draw(uint64_t queueBytes);
    int64_t StepsFor(double bytes) const;

    uint64_t m_kminBytes{0};
    uint64_t m_kmaxBytes{0};
    double m_pmax{0};
    double m_queueWeight{0};
    double m_average{0};
    uint64_t m_lastQueueBytes{0};
    int64_t m_lastLook{0}; ///< time steps
    DataRate m_linkRate;
    uint32_t m_meanFrameBytes{0};
    RandomStream m_random;
};

} // namespace ns3

#endif // RED_ECN_MARKER_H
