// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRESS_H
#define PROGRESS_H

#include "ns3/nstime.h"

#include <chrono>
#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A line on standard error that shows how far a run is: simulated time, share done, events a
 * second, time left.
 *
 * It looks at the clock every so many events of simulated time and rewrites the line twice a
 * second; where standard error is no terminal it writes a line every ten seconds.
 */
class Progress
{
  public:
    /**
     * @param quiet show nothing
     * @param shareDone asks how much of the work is done, 0 to 1
     */
    Progress(bool quiet, std::function<double()> shareDone);
    ~Progress();

    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Starts to look at the clock; call it before Simulator::Run.
    void Start();

    /// Clears the line, for something else to be written.
    void Clear();

    /// Stops, and clears the line.
    void Finish();

  private:
    using Clock = std::chrono::steady_clock;

    void Look();
    void Show(double elapsed);

    bool m_quiet;
    bool m_terminal;
    bool m_running{false};
    bool m_shown{false};
    std::function<double()> m_shareDone;
    Clock::time_point m_start;
    Clock::time_point m_lastLook;
    Clock::time_point m_lastShown;
    Time m_interval;
};

} // namespace ns3

#endif // PROGRESS_H
