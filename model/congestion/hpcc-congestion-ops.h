// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_CONGESTION_OPS_H
#define HPCC_CONGESTION_OPS_H

#include "int-memory.h"
#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3,
 * algorithm 1).
 *
 * Each answer tells what the hops of the path have sent since the one before, and how long their
 * queues are: the utilization u = txRate/B + min(queue, queue before)/(B T) of the most utilized
 * hop goes into a moving average U over the round trip T of an empty network. Then
 *
 *     W = Wc/(U/eta) + W_AI    where U >= eta, or after maxStage additions in a row
 *     W = Wc + W_AI            else
 *
 * and the pace is R = W/T. Wc is W of the last answer of a round, which is one round trip long: it
 * ends with the answer to the first byte sent in the next one. So all answers of a round start from
 * the same Wc, and none is reacted to twice.
 *
 * Form Window is the paper's: additions are in bytes (WindowAi), and W bytes on the wire are
 * allowed in flight. Form Rate is that of the authors' simulator: additions are a rate (RateAi),
 * rates have a floor, the window (HasWindow) counts payload, and follows the rate (VariableWindow)
 * or not. With MultipleRates each hop has its own U, reference and stage, and the lowest rate
 * counts.
 *
 * Equations, parameters and limits: doc/congestion-int.rst.
 */
class HpccCongestionOps : public RdmaCongestionOps
{
  public:
    /// Whose rules hold where the paper and its authors' simulator differ.
    enum Form
    {
        WINDOW, ///< the paper's
        RATE,   ///< the simulator's
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    /// The headers have collected telemetry, too: as Acked(). @param state rate
    /// @param signal what is known
    void Trimmed(RdmaRateState& state, const RdmaAckSignal& signal) override;

    /// @param hop with MultipleRates its number, else 0 @return the moving average U
    double GetUtilization(size_t hop = 0) const
    {
        return m_controls.at(hop).utilization;
    }

    /// @param hop likewise @return Wc/T, bits a second
    double GetReferenceRate(size_t hop = 0) const
    {
        return m_controls.at(hop).referenceBps;
    }

    /// @param hop likewise @return additions in a row
    uint32_t GetStage(size_t hop = 0) const
    {
        return m_controls.at(hop).stage;
    }

  protected:
    /// What an answer has told.
    enum class Told
    {
        NOTHING, ///< as if it had not come
        START,   ///< what later ones are compared with: a round begins
        USE,     ///< the utilization is known
    };

    /// Updates the utilization. @param signal an answer @return what it was good for
    virtual Told Measure(const RdmaAckSignal& signal);

    /// @param utilization that was measured
    void SetUtilization(double utilization)
    {
        m_controls.front().utilization = utilization;
    }

    /// @return each hop is to have its own rate
    bool HasMultipleRates() const
    {
        return m_multipleRates;
    }

  private:
    /// The path, or, with MultipleRates, a hop.
    struct Control
    {
        double utilization;  ///< U
        double referenceBps; ///< Wc/T
        uint32_t stage;      ///< incStage
    };

    void Forget(double rateBps, size_t controls);
    double UtilizationOf(const IntHopInterval& hop) const;
    void Average(Control& control, double utilization, int64_t steps) const;
    double React(const RdmaRateState& state, bool roundEnds);
    void SetRate(RdmaRateState& state, double rateBps);
    uint64_t BytesInRoundTrip(double rateBps) const;

    // parameters
    int m_form{WINDOW};
    int m_telemetry{0};
    double m_eta{0};
    uint32_t m_maxStage{0};
    uint64_t m_windowAi{0};
    DataRate m_rateAi;
    DataRate m_minRate;
    bool m_fastReact{true};
    bool m_multipleRates{false};
    bool m_hasWindow{true};
    bool m_variableWindow{true};

    // variables
    double m_rttSteps{0};    ///< T
    double m_additionBps{0}; ///< W_AI/T
    double m_floorBps{0};    ///< no rate is below
    double m_rateBps{0};     ///< R
    uint64_t m_roundEnd{0};  ///< lastUpdateSeq: bytes sent when the round began
    IntMemory m_memory;
    std::vector<Control> m_controls;
};

} // namespace ns3

#endif // HPCC_CONGESTION_OPS_H
