// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWITCH_PRESETS_H
#define SWITCH_PRESETS_H

#include "ns3/data-rate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What is public about a generation of switches.
struct SwitchPreset
{
    std::string name;     ///< as in GetSwitchPresetNames()
    std::string chip;     ///< the vendor's name for it
    uint64_t bufferBytes; ///< packet memory
    uint32_t ports;       ///< at portRate
    DataRate portRate;    ///< with all ports in use
    uint32_t cellBytes;   ///< unit of the memory; 0: not public
    std::string note;     ///< what the figures leave out
};

/// @return the names of all presets, by vendor and generation
std::vector<std::string> GetSwitchPresetNames();

/**
 * @param name one of GetSwitchPresetNames(); any other stops the program with the list of them
 * @return the preset
 */
SwitchPreset GetSwitchPreset(const std::string& name);

} // namespace ns3

#endif // SWITCH_PRESETS_H
