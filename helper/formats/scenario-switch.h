// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_SWITCH_H
#define SCENARIO_SWITCH_H

#include "attribute-setting.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/wire-format.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief What a scenario says about its switches, and about the links' flow control.
 */

/// A part that is chosen by name, and its attributes.
struct PartConfig
{
    std::string name;
    std::vector<AttributeSetting> parameters; ///< of the part's type
};

constexpr uint64_t DEFAULT_BUFFER_BYTES = 64 << 20; ///< of a switch without a preset
constexpr double DEFAULT_BUFFER_ALPHA = 0.125;      ///< likewise

/// The packet memory of all switches. What is not set is the preset's, else SharedBuffer's own.
struct BufferConfig
{
    std::string preset;                          ///< see GetSwitchPresetNames(); empty: none
    std::optional<uint64_t> sizeBytes;           ///< else the preset's, else 64 MiB
    std::optional<uint64_t> cellBytes;           ///< a frame takes whole cells
    std::optional<uint64_t> reservedBytes;       ///< of each ingress port and class
    std::optional<double> alpha;                 ///< of lossless ingress, above 0 to 64
    std::optional<double> lossyAlpha;            ///< of lossy egress queues, likewise
    std::optional<uint64_t> headroomPoolBytes;   ///< shared by all ports; else each has its own
    double headroomOversubscription{1};          ///< of the headroom pool, 1 or more
    std::optional<uint64_t> lossyPoolBytes;      ///< of lossy classes alone
    std::optional<uint64_t> egressLosslessBytes; ///< most in lossless egress queues
    std::optional<uint64_t> egressLossyBytes;    ///< most in lossy egress queues
    std::optional<DataRate> referenceRate;       ///< the above are for a port of this rate
    PartConfig policy{"dynamic-threshold", {}};
    std::vector<AttributeSetting> parameters; ///< of ns3::SharedBuffer, beat all of the above
};

/// What a switch does about a queue that is paused for too long.
struct WatchdogConfig
{
    Time detectionTime{MilliSeconds(200)};   ///< above 0
    Time restorationTime{MilliSeconds(400)}; ///< above 0
    std::string action{"drop"};              ///< drop, forward
};

/// Priority flow control.
struct PfcConfig
{
    bool enabled{true};
    uint8_t classes{1U << 3};               ///< bit c: class c is lossless
    bool global{false};                     ///< pauses of IEEE 802.3x, for all classes at once
    uint32_t quanta{65535};                 ///< that a pause asks for, 1 to 65535
    std::optional<uint8_t> hostsObey;       ///< classes for which hosts obey; else all
    std::optional<uint8_t> hostsAsk;        ///< classes for which hosts may ask; else all
    std::optional<WatchdogConfig> watchdog; ///< none: switches have none
};

/// ECN marking of some classes at every switch port; what is not set comes from the congestion
/// control's preset.
struct EcnConfig
{
    std::optional<uint8_t> classes;         ///< bit c: class c; none: those that are lossless
    std::string marker{"red"};              ///< red, step
    std::optional<uint64_t> kminBytes;      ///< nothing is marked up to this queue length
    std::optional<uint64_t> kmaxBytes;      ///< all is marked above this queue length
    std::optional<double> pmax;             ///< probability at Kmax, 0 to 1
    std::optional<uint64_t> thresholdBytes; ///< of step: all is marked above; else Kmin
    std::optional<double> queueWeight;      ///< of the average that RED looks at; none: the queue
};

/// How a switch chooses among the ports of a route.
struct PathSelectionConfig
{
    std::string name{"ecmp"};
    std::vector<AttributeSetting> parameters; ///< of the selector
    bool sharedSeed{false};                   ///< all switches hash alike
};

/// Where frames may go.
struct RoutingConfig
{
    std::string name{"shortest"};          ///< shortest, up-down, or file
    std::string file;                      ///< static tables
    Time convergenceTime{MilliSeconds(1)}; ///< from a link's change to new routes
};

/// The order in which all ports serve their classes.
struct SchedulingConfig
{
    /// Classes that share what the strict ones leave.
    struct Share
    {
        uint8_t classes;  ///< bit c: class c; several are one group
        uint32_t percent; ///< at least 1; all together 100
    };

    std::optional<uint8_t> strictClasses; ///< bit c: class c goes before those that share
    std::vector<Share> shares;            ///< empty: the device's own
    std::optional<DataRate> portRate;     ///< shaped to
    std::array<std::optional<DataRate>, N_TRAFFIC_CLASSES> classRates; ///< likewise
};

/// Who hears of dropped frames.
struct DropMirrorConfig
{
    std::string collector;                    ///< name of a host; its first port receives
    std::vector<AttributeSetting> parameters; ///< of ns3::DropMirror
};

/// What switches tell of themselves.
struct TelemetryConfig
{
    std::string intFormat{"none"};                         ///< none, int-md, hpcc
    std::optional<std::vector<AttributeSetting>> trimming; ///< none: frames are dropped whole
    std::optional<DropMirrorConfig> dropMirror;            ///< none: nobody hears of drops
};

/// @param classes bit c: class c @return as a scenario writes a group of them: "3", "4+5"
std::string FormatClasses(uint8_t classes);

/// @param name a path selector of a scenario @return its TypeId's name
std::string GetPathSelectorType(const std::string& name);
/// @param name a buffer policy of a scenario @return its TypeId's name
std::string GetBufferPolicyType(const std::string& name);
/// @param name a path selector @return true: frames of one flow may overtake each other
bool PathSelectorReorders(const std::string& name);

} // namespace ns3

#endif // SCENARIO_SWITCH_H
