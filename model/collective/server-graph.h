// SPDX-License-Identifier: GPL-2.0-only
#ifndef SERVER_GRAPH_H
#define SERVER_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// How far two devices of a server are apart, nearest first; NCCL's words.
enum class ServerPath : uint8_t
{
    NVL, ///< NVLink, direct or by switches
    PIX, ///< one PCIe switch at most
    PXB, ///< PCIe switches
    PHB, ///< the host bridge of a socket
    SYS, ///< the link between sockets
};

/// GPUs and NICs of a server or scale-up domain, and what is between them.
struct ServerGraph
{
    bool switched{true}; ///< a GPU's NVLinks lead to switches, and serve all of its peers
    std::vector<std::vector<ServerPath>> gpuPaths; ///< from GPU to GPU
    std::vector<std::vector<double>> gpuGBps;      ///< from GPU to GPU, of the way of gpuPaths
    std::vector<std::vector<ServerPath>> nicPaths; ///< from GPU to NIC

    /// @return number of GPUs
    uint32_t GetGpus() const
    {
        return static_cast<uint32_t>(gpuPaths.size());
    }

    /// @return number of NICs
    uint32_t GetNics() const
    {
        return nicPaths.empty() ? 0 : static_cast<uint32_t>(nicPaths.front().size());
    }

    /// @param gpus numbers of some of its GPUs @return what is left with these; all NICs
    ServerGraph Select(const std::vector<uint32_t>& gpus) const;

    /**
     * @param gpus that reach each other through switches
     * @param nics NIC n is near to the GPUs from n x gpus / nics on; several NICs of a GPU likewise
     * @param gbps of a GPU's links
     * @return such a server
     */
    static ServerGraph Switched(uint32_t gpus, uint32_t nics, double gbps);
};

} // namespace ns3

#endif // SERVER_GRAPH_H
