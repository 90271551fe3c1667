// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOW_GENERATOR_H
#define FLOW_GENERATOR_H

#include "flow-size-distribution.h"
#include "traffic-matrix.h"

#include "ns3/nstime.h"

#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A flow that is to be.
struct GeneratedFlow
{
    uint32_t source;
    uint32_t destination;
    uint64_t bytes;
    int64_t start; ///< after the generator's start, time steps
    bool incast;   ///< of an incast, not of the background
};

/// Sources are quiet at times; both durations are exponential.
struct OnOffPattern
{
    Time on;  ///< mean time in which flows arrive, above 0
    Time off; ///< mean time in which none does, above 0
};

/// At random times a number of hosts send to one.
struct IncastPattern
{
    uint32_t senders{0};              ///< other hosts, drawn anew each time
    uint64_t bytes{0};                ///< of each sender
    double load{0};                   ///< share of all hosts' links together that incasts take
    std::optional<uint32_t> receiver; ///< always this host; none: drawn anew each time
};

/// Headers that count as load; all 0: the load is payload.
struct LoadOverhead
{
    uint32_t mtu{0};        ///< payload of a full frame
    uint32_t frameBytes{0}; ///< of each frame besides its payload
    uint32_t flowBytes{0};  ///< of each flow besides that
};

/// What a FlowGenerator makes.
struct FlowGeneratorParameters
{
    FlowSizeDistribution sizes;
    double load{0};                    ///< of the background: share of each host's link; 0: none
    std::vector<uint64_t> hostRateBps; ///< by host: rate of its link
    TrafficMatrix matrix{TrafficMatrix::Kind::UNIFORM, 2};
    LoadOverhead overhead;
    std::optional<OnOffPattern> onOff;   ///< none: arrivals are Poisson
    std::optional<IncastPattern> incast; ///< beside the background
    Time duration;                       ///< flows start before; 0: no limit
    uint64_t flows{0};                   ///< most flows; 0: no limit
};

/**
 * @ingroup ai-fabric
 * @brief Flows that arrive by chance, so many that links have a given load; made one by one as they
 * are wanted, in order of their starts.
 *
 * The background of each host is a Poisson process: mean interval = mean flow size (bits) / (load x
 * rate), or the same within random on-times, then denser by (on + off) / on. Incasts are a Poisson
 * process of the whole fabric: mean interval = senders x bytes (bits) / (load x sum of rates).
 */
class FlowGenerator
{
  public:
    /// @param parameters what to make; aborts where they make no sense (see Check())
    explicit FlowGenerator(const FlowGeneratorParameters& parameters);

    /// @param parameters some @return what is wrong with them; empty: nothing
    static std::string Check(const FlowGeneratorParameters& parameters);

    /// @param stream first of the random streams to use @return how many are used
    int64_t AssignStreams(int64_t stream);

    /// @param flow filled @return false: there is no further flow
    bool Next(GeneratedFlow& flow);

    /// @return flows that Next() has made
    uint64_t GetCount() const
    {
        return m_count;
    }

    /// @return bytes of a background flow that count as load, on average
    double GetMeanLoadBytes() const
    {
        return m_meanLoadBytes;
    }

  private:
    void Start();
    double MeanIntervalSteps(uint32_t source) const;
    int64_t NextArrival(uint32_t source, int64_t now);
    int64_t NextOnOffArrival(uint32_t source, int64_t now);
    void StartIncast();

    FlowGeneratorParameters m_parameters;
    double m_meanLoadBytes;
    double m_incastIntervalSteps{0};
    bool m_started{false};
    uint64_t m_count{0};

    using Arrival = std::pair<int64_t, uint32_t>; ///< time, source
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> m_arrivals;
    std::vector<int64_t> m_onUntil;     ///< by source, of an on-off pattern
    int64_t m_nextIncast{INT64_MAX};    ///< time steps
    std::queue<GeneratedFlow> m_incast; ///< of the incast that has begun

    Ptr<UniformRandomVariable> m_sizes;
    Ptr<UniformRandomVariable> m_destinations;
    Ptr<ExponentialRandomVariable> m_intervals;
    Ptr<UniformRandomVariable> m_states;
    Ptr<ExponentialRandomVariable> m_incastIntervals;
    Ptr<UniformRandomVariable> m_incastHosts;
};

} // namespace ns3

#endif // FLOW_GENERATOR_H
