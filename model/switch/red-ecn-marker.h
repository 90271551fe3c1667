// SPDX-License-Identifier: GPL-2.0-only
#ifndef RED_ECN_MARKER_H
#define RED_ECN_MARKER_H

#include "ecn-marker.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Decides whether a frame is marked: RED on the instantaneous length of its queue.
 *
 * Below Kmin never; between Kmin and Kmax with a probability that grows linearly to Pmax; above
 * Kmax always (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM
 * 2015, 3.1).
 */
class RedEcnMarker : public EcnMarker
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RedEcnMarker();

    bool ShouldMark(uint64_t queueBytes, int64_t) override
    {
        if (queueBytes <= m_kminBytes)
        {
            return false;
        }
        return queueBytes > m_kmaxBytes || Draw(queueBytes);
    }

    /// @param queueBytes bytes waiting @return probability of a mark
    double GetProbability(uint64_t queueBytes) const;

    int64_t AssignStreams(int64_t stream) override;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    bool Draw(uint64_t queueBytes);

    uint64_t m_kminBytes{0};
    uint64_t m_kmaxBytes{0};
    double m_pmax{0};
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // RED_ECN_MARKER_H
