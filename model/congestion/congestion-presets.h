// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONGESTION_PRESETS_H
#define CONGESTION_PRESETS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The part of a preset that is not the sender's: where frames are marked, how often marks are
/// told.
struct CongestionMarking
{
    uint64_t kminBytes{0};     ///< of RedEcnMarker; the threshold where it equals kmaxBytes
    uint64_t kmaxBytes{0};     ///< of RedEcnMarker
    double pmax{1};            ///< of RedEcnMarker
    bool markAtDequeue{false}; ///< FabricSwitch's MarkingPoint
    Time cnpInterval;          ///< of RdmaNic, for algorithms that react to CNPs
};

/**
 * @ingroup ai-fabric
 * @brief A named set of parameters of one congestion control, for sender, switch and receiver.
 *
 * Each algorithm's sets are a function of a file of its own, x-presets.cc, which names the sources;
 * the table of algorithms is in congestion-presets.cc.
 */
struct CongestionPreset
{
    std::string algorithm;                      ///< as in scenario files, such as "dcqcn"
    std::string name;                           ///< as in scenario files, such as "paper"
    std::string description;                    ///< one line, with the source
    ObjectFactory ops;                          ///< makes the RdmaCongestionOps
    std::optional<CongestionMarking> marking{}; ///< none: it looks at no marks
};

/// @return the names of all congestion controls, as in scenario files
std::vector<std::string> GetCongestionControlNames();

/// @param algorithm a name of GetCongestionControlNames() @return one line about it
std::string GetCongestionControlDescription(const std::string& algorithm);

/// @param algorithm a name of GetCongestionControlNames()
/// @return TypeId of its RdmaCongestionOps, by name
std::string GetCongestionControlType(const std::string& algorithm);

/// @param algorithm a name of GetCongestionControlNames() @return data frames for an answer where
/// nobody says otherwise: one where it measures from answers, else 16
uint32_t GetCongestionAckInterval(const std::string& algorithm);

/// @param algorithm a name of GetCongestionControlNames() @return its sets, the default one first
std::vector<std::string> GetCongestionPresetNames(const std::string& algorithm);

/**
 * @param algorithm a name of GetCongestionControlNames(); another one aborts
 * @param name a name of GetCongestionPresetNames(); another one aborts; empty: the default one
 * @param lineRate of the links: some sets scale with it
 * @return the set
 */
CongestionPreset GetCongestionPreset(const std::string& algorithm,
                                     const std::string& name,
                                     DataRate lineRate);

} // namespace ns3

#endif // CONGESTION_PRESETS_H
