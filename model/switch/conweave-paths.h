// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONWEAVE_PATHS_H
#define CONWEAVE_PATHS_H

#include "forwarding-table.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief What a top-of-rack switch knows of the paths to the others: how many there are, how long a
 * round takes when nothing is in the way, and which ones are said to be congested.
 *
 * A path has a number, whose digits are the choices along the way: where a switch has n ports to
 * choose from, it takes port (number mod n) and leaves (number / n) to the next one. That needs no
 * idea of tiers or of the form of the fabric. In a two-tier fabric the number is the uplink, in a
 * three-tier one it is uplink of the ToR + uplinks x uplink of the aggregation switch. Where
 * branches have different numbers of paths, some paths have several numbers.
 */
class ConWeavePaths
{
  public:
    /// The paths to another ToR.
    struct Destination
    {
        uint32_t paths{1};              ///< how many numbers there are
        int64_t fixedSteps{0};          ///< of a round, but the request's bytes; time steps
        int64_t mebibyteSteps{0};       ///< that 2^20 bytes spend on the wires there; time steps
        std::vector<int64_t> busyUntil; ///< by path; empty: none was ever busy

        /// @param bytes of the request's frame @return a round trip, ToR to ToR, time steps
        int64_t BaseRtt(uint32_t bytes) const
        {
            return fixedSteps + ((bytes * mebibyteSteps) >> 20);
        }

        /// @param path its number @param now time steps @return whether it is said to be congested
        bool IsBusy(uint32_t path, int64_t now) const
        {
            return path < busyUntil.size() && busyUntil[path] > now;
        }

        /// @param path its number @param until time steps
        void MarkBusy(uint32_t path, int64_t until);
    };

    /**
     * @param from the ToR that asks
     * @param address of a host
     * @param maxPaths paths of higher numbers are left out
     * @return the paths to the host's ToR; null if there is no choice: that is @p from, or there is
     * one way, or none, or the ToR there does not speak ConWeave
     */
    Destination* Find(FabricSwitch& from, uint32_t address, uint32_t maxPaths);

    /**
     * Makes a path's choice at a switch.
     * @param choicesLeft what is left of the path's number, and gets less
     * @param ports where the frame may leave
     * @return one of @p ports
     */
    static uint32_t Choose(uint16_t& choicesLeft, ForwardingTable::Ports ports)
    {
        uint32_t chosen = ports.first[choicesLeft % ports.count];
        choicesLeft = static_cast<uint16_t>(choicesLeft / ports.count);
        return chosen;
    }

    /// Forgets everything: routes have changed.
    void Clear();

  private:
    std::unordered_map<uint32_t, Destination*> m_ofAddress;             ///< null: no choice
    std::unordered_map<uint32_t, std::unique_ptr<Destination>> m_ofTor; ///< by node id
};

} // namespace ns3

#endif // CONWEAVE_PATHS_H
