// SPDX-License-Identifier: GPL-2.0-only
#ifndef NIC_PRESETS_H
#define NIC_PRESETS_H

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3
{

/// One attribute of a NIC preset.
struct NicSetting
{
    std::string attribute; ///< of RdmaHostInterface
    std::string value;     ///< as text, with its unit
    std::string origin;    ///< where it is from: a document, or "fitted" to which measurement
};

/**
 * @brief A NIC as it is in a host: what its RdmaHostInterface is set to, and why.
 */
struct NicPreset
{
    std::string name;        ///< as in scenario files
    std::string description; ///< one line
    DataRate portRate;       ///< of its port; 0: any
    /// In the order of doc/nic.rst; empty: an ideal NIC, which has no RdmaHostInterface.
    std::vector<NicSetting> settings;
};

/// @return the names of all presets, "ideal" first
std::vector<std::string> GetNicPresetNames();

/// @param name of a preset @return it, or null if there is none of that name
const NicPreset* FindNicPreset(const std::string& name);

/**
 * Sets a factory to make the host interface of a preset. What was set in it before is lost; what is
 * set afterwards beats the preset.
 * @param name of a preset
 * @param hostInterface makes RdmaHostInterface objects; without a TypeId if the NIC has none
 * (ideal)
 * @return empty, or what is wrong with the name
 */
std::string ApplyNicPreset(const std::string& name, ObjectFactory& hostInterface);

} // namespace ns3

#endif // NIC_PRESETS_H
