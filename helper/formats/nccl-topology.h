// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TOPOLOGY_H
#define NCCL_TOPOLOGY_H

#include "ns3/collective-platform.h"
#include "ns3/pcie-tree.h"
#include "ns3/server-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A server as NCCL sees it: what NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE reads.
 *
 * Elements: `system` holds `cpu` (a NUMA node); these hold `pci` (a bridge, a GPU with a `gpu`, a
 * card with a `nic`, which has a `net` for each port) and NICs without a PCI device. A `gpu` has
 * `nvlink`s: to a GPU, or to a switch (class 0x068000). Bandwidths are NCCL's: lanes times the rate
 * that link_speed names, in GB/s; 100 Mb/s steps of a port's speed.
 */
struct NcclTopology
{
    /// A NUMA node.
    struct Cpu
    {
        int64_t numa;
        std::string architecture; ///< "x86_64", "arm64", ...
        std::string vendor;       ///< "GenuineIntel", "AuthenticAMD", ...
    };

    /// NVLinks of a GPU to one other end.
    struct NvLinks
    {
        std::string target; ///< bus id
        uint32_t count;
        bool toSwitch; ///< or to a CPU: not to a GPU
    };

    /// A GPU.
    struct Gpu
    {
        std::string busId;
        uint32_t device;            ///< CUDA's number
        uint32_t computeCapability; ///< 90 for 9.0
        double pcieGBps;            ///< of its PCIe link
        std::vector<NvLinks> links;

        /// @return NVLinks in all
        uint32_t CountLinks() const;
    };

    /// A port of a NIC.
    struct Net
    {
        std::string name;
        uint32_t device; ///< NCCL's number
        double gbps;
        double latencyUs;
        bool gpuDirect; ///< GPUs may read and write through it
    };

    std::vector<Cpu> cpus; ///< in file order
    std::vector<Gpu> gpus; ///< by device
    std::vector<Net> nets; ///< by device
    /// Nodes: cpu0 and so on by place in cpus, gpu0 and nic0 by place in gpus and nets, bridges by
    /// their bus id.
    Ptr<PcieTree> tree;

    /// @return what a tuner wants to know of a cluster of such servers
    CollectivePlatform MakePlatform() const;

    /// @return how far GPUs and NICs are apart, for FindChannelOrders()
    ServerGraph MakeServerGraph() const;
};

/**
 * @param path of an XML file
 * @return the server; InputError with file, line and field where there is something wrong
 */
NcclTopology ReadNcclTopology(const std::string& path);

/**
 * @param text XML
 * @param file name for messages
 * @return the server; InputError with file, line and field where there is something wrong
 */
NcclTopology ParseNcclTopology(const std::string& text, const std::string& file);

} // namespace ns3

#endif // NCCL_TOPOLOGY_H
