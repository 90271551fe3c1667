// SPDX-License-Identifier: GPL-2.0-only
#ifndef PAUSE_DISTRIBUTION_H
#define PAUSE_DISTRIBUTION_H

#include "results-folder.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief pause-distribution.csv: how often and how long PFC stopped each port and class.
 */
class PauseDistribution
{
  public:
    /**
     * PFC stops or opens a class of a port, now.
     * @param port name
     * @param trafficClass of it
     * @param paused stopped
     * @param now time steps
     */
    void Changed(const std::string& port, uint32_t trafficClass, bool paused, int64_t now);

    /**
     * @param folder where to
     * @param percents of the pauses, each above 0 to 100
     * @param end of the run, time steps: pauses that last end there
     */
    void Write(const ResultsFolder& folder, const std::vector<double>& percents, int64_t end) const;

  private:
    struct Pauses
    {
        int64_t since{-1};                ///< of the one that lasts; -1: open
        std::vector<double> microseconds; ///< of those that have ended
    };

    std::map<std::pair<std::string, uint32_t>, Pauses> m_pauses; ///< by port and class
};

} // namespace ns3

#endif // PAUSE_DISTRIBUTION_H
