// SPDX-License-Identifier: GPL-2.0-only
#ifndef TIME_SERIES_H
#define TIME_SERIES_H

#include "link-report.h"
#include "results-folder.h"

#include "ns3/nstime.h"
#include "ns3/queue-pair.h"

#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief rates.csv and queues.csv: what flows got and what switches held, interval by interval.
 *
 * A row of rates.csv is a flow that had work in the interval that ends at time_us: payload that was
 * acknowledged in it, and the pacing rate and window in force at its end. A row of queues.csv is a
 * switch port with bytes waiting at time_us; a port that has run empty has one more row, of 0.
 */
class TimeSeries
{
  public:
    /// @param folder where to @param interval between samples, above 0
    TimeSeries(const ResultsFolder& folder, Time interval);

    /// @param port of a switch, whose queue is sampled
    void AddPort(const ReportedPort& port);

    /**
     * @param id of the flow
     * @param source name of its port
     * @param destination name of its port
     * @param sender its queue pair, connected
     * @param bytes its length
     */
    void AddFlow(uint64_t id,
                 const std::string& source,
                 const std::string& destination,
                 Ptr<QueuePair> sender,
                 uint64_t bytes);

    /// Samples from now on, once an interval.
    void Start();
    /// Writes what is left since the last sample.
    void Finish();

  private:
    struct SampledPort
    {
        ReportedPort reported;
        bool used{false}; ///< bytes have waited in it
    };

    struct SampledFlow
    {
        uint64_t id;
        std::string source;
        std::string destination;
        Ptr<QueuePair> sender;
        uint64_t bytes;
        uint64_t firstPsn;
        uint64_t ackedBytes{0}; ///< at the last sample
    };

    void Look();
    void Sample();
    void WriteQueue(const SampledPort& port, int64_t time, uint64_t bytes);
    void SampleFlow(SampledFlow& flow, int64_t now);

    Time m_interval;
    std::ofstream m_rates;
    std::ofstream m_queues;
    std::vector<SampledPort> m_ports;
    std::vector<SampledFlow> m_flows;
    int64_t m_last{0}; ///< the last sample, time steps
};

} // namespace ns3

#endif // TIME_SERIES_H
