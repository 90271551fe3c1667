// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_DISTRIBUTION_H
#define QUEUE_DISTRIBUTION_H

#include "link-report.h"
#include "results-folder.h"

#include "ns3/nstime.h"
#include "ns3/time-weighted-distribution.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief queue-distribution.csv: for each switch port the bytes that waited in it, over time, by
 * samples at equal intervals. The last row is of all ports together.
 */
class QueueDistribution
{
  public:
    /// @param interval between samples, above 0
    explicit QueueDistribution(Time interval);

    /// @param port of a switch
    void AddPort(const ReportedPort& port);

    /// Samples from now on.
    void Start();

    /// @param folder where to @param percents of the time, each above 0 to 100
    void Write(const ResultsFolder& folder, const std::vector<double>& percents) const;

  private:
    struct SampledPort
    {
        ReportedPort reported;
        TimeWeightedDistribution lengths;
    };

    void Look();

    Time m_interval;
    std::vector<SampledPort> m_ports;
    TimeWeightedDistribution m_all;
};

} // namespace ns3

#endif // QUEUE_DISTRIBUTION_H
