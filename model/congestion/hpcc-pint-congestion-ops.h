// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_PINT_CONGESTION_OPS_H
#define HPCC_PINT_CONGESTION_OPS_H

#include "hpcc-congestion-ops.h"

#include "ns3/pint-code.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief HPCC with one or two bytes of telemetry for the whole path (Ben Basat et al., "PINT:
 * Probabilistic In-band Network Telemetry", SIGCOMM 2020, sections 3.3 and 4.3, appendix B).
 *
 * The switches average their utilization themselves, and a frame carries a code of the highest one
 * (IntStamper, PintCode). Here U is what the code stands for; all else is HPCC's, with its
 * attributes. Of the answers one in 1/SamplingProbability is looked at: those whose frames would
 * have carried another query's digest tell nothing.
 */
class HpccPintCongestionOps : public HpccCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    HpccPintCongestionOps();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;

    /**
     * All objects that have been forked from this one, and are yet to be, draw from one stream.
     * @param stream its number
     * @return streams used: 1
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    Told Measure(const RdmaAckSignal& signal) override;

  private:
    double m_samplingProbability{1};
    double m_logBase{0};
    uint32_t m_digestBytes{1};
    bool m_started{false};
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // HPCC_PINT_CONGESTION_OPS_H
