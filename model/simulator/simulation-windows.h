// SPDX-License-Identifier: GPL-2.0-only
#ifndef SIMULATION_WINDOWS_H
#define SIMULATION_WINDOWS_H

#include <cstdint>

namespace ns3
{

/**
 * @brief How far a process may simulate its part of a network before it has to hear from the
 * processes that simulate the others.
 */
class SimulationWindows
{
  public:
    /// A time that never comes, time steps.
    static constexpr uint64_t NO_TIME = UINT64_MAX;

    virtual ~SimulationWindows() = default;

    /// @return number of this process
    virtual uint32_t GetRank() const = 0;

    /**
     * Waits for all processes, and schedules here what they have sent here.
     * @param next time of the earliest event of this process, time steps; NO_TIME: it has none
     * @param stopped an event of this process has stopped the simulation
     * @return end of the next window: no process may call an event at that time or later; NO_TIME:
     * the simulation has ended
     */
    virtual uint64_t Next(uint64_t next, bool stopped) = 0;
};

} // namespace ns3

#endif // SIMULATION_WINDOWS_H
