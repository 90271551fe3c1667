// SPDX-License-Identifier: GPL-2.0-only
#ifndef DCQCN_PRESETS_H
#define DCQCN_PRESETS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A named set of DCQCN's parameters: reaction point, congestion point, notification point.
 * Where each value is from: doc/congestion.rst.
 */
struct DcqcnPreset
{
    std::string name;        ///< as in scenario files
    std::string description; ///< one line, with the source
    ObjectFactory reaction;  ///< makes a DcqcnCongestionOps
    uint64_t kminBytes;      ///< of RedEcnMarker
    uint64_t kmaxBytes;      ///< of RedEcnMarker
    double pmax;             ///< of RedEcnMarker
    Time cnpInterval;        ///< of RdmaNic
    bool markAtDequeue;      ///< FabricSwitch's MarkingPoint
};

/// @return the names that GetDcqcnPreset knows
std::vector<std::string> GetDcqcnPresetNames();

/**
 * @param name a name of GetDcqcnPresetNames(); another one aborts
 * @param lineRate of the links: some sets scale with it
 * @return the set
 */
DcqcnPreset GetDcqcnPreset(const std::string& name, DataRate lineRate);

} // namespace ns3

#endif // DCQCN_PRESETS_H
