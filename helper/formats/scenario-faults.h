// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_FAULTS_H
#define SCENARIO_FAULTS_H

#include "ns3/data-rate.h"
#include "ns3/fabric-graph.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// Something that goes wrong in a fabric, and when.
struct FaultConfig
{
    /// What goes wrong.
    enum class Kind : uint8_t
    {
        LINK_DOWN,     ///< a cable is unplugged; both ends see it
        LINK_FLAP,     ///< likewise, again and again
        ONE_WAY,       ///< one direction of a cable carries nothing, and nobody sees it
        DEGRADED_RATE, ///< a cable's both directions get slower
        BIT_ERRORS,    ///< a cable flips bits
        LOSS,          ///< a cable loses frames
        SWITCH_REBOOT, ///< a switch loses its packets and its links for a time
        SLOW_RECEIVER, ///< a NIC takes frames in at a lower rate than its cable
        PAUSE_STORM,   ///< a NIC asks for PFC pauses without end
        NIC_STOP,      ///< a NIC neither sends nor takes anything, its link is up
        SLOW_GPU,      ///< the clock of a GPU is lower than it should be
    };

    Kind kind{Kind::LINK_DOWN};
    Time at;                   ///< simulated time
    std::optional<Time> lasts; ///< none: for ever; of a flap: each time that it is down
    uint32_t edge{0};   ///< of the graph: the cable, also that of a NIC; not of a switch reboot
    uint32_t vertex{0}; ///< the host, the switch, or the end whose frames a one-way cable loses
    std::string where;  ///< what reports call the place: "leaf0-spine1", "server0:3", "spine1"
    std::vector<std::string> ends; ///< names of the cable's ends, or of host or switch alone
    uint32_t index{0};             ///< of the cable among those of both ends, or of the host's port

    std::string from;         ///< of a one-way fault: name of the end whose frames are lost
    Time period;              ///< of a flap, from one time down to the next
    uint32_t count{1};        ///< of a flap: times that it goes down
    DataRate rate{0};         ///< degraded, or of the slow receiver
    uint64_t bufferBytes{0};  ///< of the slow receiver; 0: the NIC's own
    uint32_t gpu{0};          ///< the slow GPU: its number in the cluster
    double clock{1};          ///< of the slow GPU: part of the nominal one
    double probability{0};    ///< that a bit is flipped, or a frame lost
    std::string fec{"none"};  ///< against bit errors: none, kr4, kp4
    uint8_t classes{1U << 3}; ///< bit c: a pause storm stops class c

    /// @return when it has ended for good; none: never
    std::optional<Time> GetEnd() const;
};

/// @param kind some @return its name in a scenario: "link-down", ...
std::string GetFaultName(FaultConfig::Kind kind);

/// @return the names of all kinds, each with one line
std::vector<std::pair<std::string, std::string>> GetFaultList();

/**
 * @param graph the fabric
 * @param edge one of its cables
 * @param at when it goes down, for ever
 * @return the fault
 */
FaultConfig MakeLinkDown(const FabricGraph& graph, uint32_t edge, Time at);

} // namespace ns3

#endif // SCENARIO_FAULTS_H
