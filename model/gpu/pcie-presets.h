// SPDX-License-Identifier: GPL-2.0-only
#ifndef PCIE_PRESETS_H
#define PCIE_PRESETS_H

#include "pcie-tree.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief PCIe trees of well-known servers.
 *
 * Nodes are named cpu0, cpu1; switch0, ...; gpu0, ...; nic0, ... Each switch hangs at a host bridge
 * by 16 lanes, each device at its switch likewise; sockets have halves of the switches, in order.
 *
 *  - dgx-h100-like: two sockets, a switch for each GPU and its NIC, generation 5. (NVIDIA, "DGX
 * H100 User Guide": eight GPUs, eight ConnectX-7.)
 *  - a100-4-switches: two sockets, four switches, each with two GPUs and two NICs, generation 4.
 *    (NVIDIA, "DGX A100 User Guide".)
 *  - flat: one socket, each device at a root port of its own, generation 5.
 */

/// @return the names of all presets
std::vector<std::string> GetPciePresetNames();

/**
 * @param preset name of one
 * @param gpus how many GPUs the server has
 * @param nics how many NIC ports
 * @param error empty, or why there is no such tree
 * @return the tree; null if there is an error
 */
Ptr<PcieTree> MakePcieTree(const std::string& preset,
                           uint32_t gpus,
                           uint32_t nics,
                           std::string& error);

} // namespace ns3

#endif // PCIE_PRESETS_H
