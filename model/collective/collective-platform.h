// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_PLATFORM_H
#define COLLECTIVE_PLATFORM_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief What a tuner knows of the machines. A group is a scale-up domain, or a server without one
 * (NCCL's node, or its MNNVL clique).
 */
struct CollectivePlatform
{
    uint32_t computeCapability{90}; ///< of the GPUs: 80 A100, 90 H100, 100 B200
    double scaleUpGBps{0};    ///< nominal bandwidth of a GPU's scale-up links, each way; 0: none
    uint32_t scaleUpLinks{0}; ///< links that it consists of
    bool hasSwitch{true};     ///< the domain has switches (NVSwitch), not a mesh
    bool hasInSwitchReduction{true}; ///< and they can reduce and multicast (NVLS)
    double pcieGBps{0};              ///< between GPUs of a server without scale-up links
    double nicGBps{0};               ///< nominal bandwidth of a NIC, each way
    double nicLatencyUs{0};          ///< what the network plugin reports for it
    uint32_t nicsPerGroup{0};        ///< that the ranks of a group use
    std::string cpuVendor{"intel"};  ///< "intel", "amd" or "arm"
    bool pxn{true};                  ///< a GPU may send by the NIC of another one of its group
};

} // namespace ns3

#endif // COLLECTIVE_PLATFORM_H
