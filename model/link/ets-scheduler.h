// SPDX-License-Identifier: GPL-2.0-only
#ifndef ETS_SCHEDULER_H
#define ETS_SCHEDULER_H

#include "deficit-round-robin.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Enhanced transmission selection (IEEE 802.1Q clause 37): groups of traffic classes share
 * what the strict classes leave, by percent; what one does not use goes to the others by their
 * shares. The classes of a group share evenly.
 *
 * Written as text: entries CLASSES:PERCENT separated by commas, for example "0:20,3:50,4+5:30",
 * where a plus joins the classes of a group. The percentages add up to 100.
 */
class EtsScheduler
{
  public:
    /// @param text the entries @return empty, or what is wrong: the text and what is allowed
    std::string Configure(const std::string& text);

    /// @return bit c: class c belongs to a group
    uint8_t GetClasses() const
    {
        return m_listed;
    }

    /**
     * @param ready bit c: class c has a frame and may send; at least one bit is set
     * @return the class to serve: by shares; one without a share only if no other is ready
     */
    uint32_t Pick(uint8_t ready);

    /// Charges a frame. @param trafficClass its class @param bytes its size
    void Charge(uint32_t trafficClass, uint32_t bytes);

  private:
    std::string Add(const std::string& entry);

    uint32_t m_nGroups{0};
    uint64_t m_percent{0};
    uint8_t m_listed{0};
    DeficitRoundRobin m_groups;
    std::array<DeficitRoundRobin, N_TRAFFIC_CLASSES> m_members; ///< by group
    std::array<uint8_t, N_TRAFFIC_CLASSES> m_classesOf{};       ///< by group
    std::array<uint8_t, N_TRAFFIC_CLASSES> m_groupOf{};         ///< by class
};

} // namespace ns3

#endif // ETS_SCHEDULER_H
