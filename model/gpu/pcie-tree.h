// SPDX-License-Identifier: GPL-2.0-only
#ifndef PCIE_TREE_H
#define PCIE_TREE_H

#include "pcie-link.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a node of a server's PCIe tree is.
enum class PcieNodeKind
{
    HOST_BRIDGE, ///< a socket: its root complex and its memory
    ROOT_PORT,
    SWITCH,
    GPU,
    NIC,
};

/**
 * @ingroup ai-fabric
 * @brief The PCIe tree of a server: where GPUs and NICs are, and what a transfer between them
 * takes. It is aggregated to the server's node.
 *
 * Links, each way, and the links between sockets are serial resources: a transfer has a link for
 * itself for the time that its bytes take there, transfers follow each other in the order of their
 * booking. It is cut through from link to link: the next link begins when the first packet has
 * arrived, and the last byte passes it no earlier than it has passed the link before. With start
 * s, time on the link b, latency l of the node behind the link:
 *
 *     s[i] = max(s[i-1] + packet[i-1] + l[i-1], free[i])      free[i] = s[i] + b[i]
 *     end[i] = max(free[i], end[i-1] + l[i-1])
 *
 * A GPU and a NIC that are farther apart than GpuDirectReach, or for which GPU direct is off,
 * go by the host's memory: two passes, one after the other.
 */
class PcieTree : public Object
{
  public:
    /// How far two devices are apart, in the words of `nvidia-smi topo`, nearest first.
    enum PathKind
    {
        PIX, ///< at most one switch between them
        PXB, ///< more switches, no host bridge
        PHB, ///< the host bridge of one socket
        SYS, ///< the link between sockets
    };

    /// Number of a node that is not there.
    static constexpr uint32_t NO_NODE = UINT32_MAX;

    /// @return the TypeId
    static TypeId GetTypeId();

    PcieTree();
    ~PcieTree() override;

    // ---- set-up

    /**
     * @param name of the node, unlike all others'
     * @param kind of the node; GPUs and NICs are counted in the order in which they are added
     * @return its number
     */
    uint32_t AddNode(const std::string& name, PcieNodeKind kind);

    /**
     * Puts a link between two nodes that nothing joins yet. A cycle is refused.
     * @param upper name of the node that is nearer to the host bridge
     * @param lower name of the other one
     * @param link between them
     */
    void Connect(const std::string& upper, const std::string& lower, const PcieLink& link);

    /**
     * Joins two sockets.
     * @param one name of a host bridge
     * @param other name of another one
     * @param rate of the link between them (UPI, Infinity Fabric), each way; 0: SocketRate
     */
    void ConnectSockets(const std::string& one,
                        const std::string& other,
                        DataRate rate = DataRate());

    // ---- who is where

    /// @param name of a node @return its number, or NO_NODE
    uint32_t Find(const std::string& name) const;

    /// @return how many nodes there are
    uint32_t GetNodes() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// @param node number @return its name
    const std::string& GetName(uint32_t node) const
    {
        return m_nodes.at(node).name;
    }

    /// @param node number @return what it is
    PcieNodeKind GetKind(uint32_t node) const
    {
        return m_nodes.at(node).kind;
    }

    /// @param index of a GPU, its local index on the server @return its node, or NO_NODE
    uint32_t GetGpu(uint32_t index) const;

    /// @param index of a NIC port of the server @return its node, or NO_NODE
    uint32_t GetNic(uint32_t index) const;

    /// @param node number @return the host bridge above it, or itself
    uint32_t GetHostBridge(uint32_t node) const;

    /// @param from node @param to node @return how far they are apart
    PathKind GetPathKind(uint32_t from, uint32_t to) const;

    /// @param from node @param to node @return data rate of the slowest link between them
    DataRate GetPathRate(uint32_t from, uint32_t to) const;

    /// @param gpu node @param nic node @return whether transfers between them skip the host's
    /// memory
    bool IsGpuDirect(uint32_t gpu, uint32_t nic) const;

    /**
     * The NIC of a GPU: the nearest one by kind of path, then by number of links. Of NICs that are
     * as near, GPUs with the same choice take one each in turn, in the order of their index.
     * @param gpu index of the GPU
     * @return index of the NIC, or NO_NODE if there is none
     */
    uint32_t GetNearestNic(uint32_t gpu) const;

    // ---- transfers

    /**
     * Books a transfer.
     * @param from node
     * @param to node
     * @param bytes of data
     * @param now when it may start (time steps)
     * @return when its last byte has passed all links (time steps)
     */
    int64_t Book(uint32_t from, uint32_t to, uint64_t bytes, int64_t now);

    /// @param from node @param to node, a neighbour @return bytes of data booked on that link so
    /// far
    uint64_t GetBookedBytes(uint32_t from, uint32_t to) const;

  private:
    /// One way of a link.
    struct Way
    {
        uint32_t from;
        uint32_t to;
        double rate;       ///< data, bit/s
        int64_t freeAt{0}; ///< time steps
        uint64_t bytes{0}; ///< booked so far
    };

    struct Node
    {
        std::string name;
        PcieNodeKind kind;
        std::vector<uint32_t> ways; ///< that begin here
    };

    uint32_t Named(const std::string& name) const;
    void AddLink(uint32_t one, uint32_t other, double rate);
    bool FindPath(uint32_t from, uint32_t to, std::vector<uint32_t>& path) const;
    std::vector<uint32_t> GetPath(uint32_t from, uint32_t to) const;
    std::vector<uint32_t> GetNearestNics(uint32_t gpuNode) const;
    int64_t GetLatency(uint32_t node) const;
    int64_t BookPath(uint32_t from, uint32_t to, uint64_t bytes, int64_t now);

    uint32_t m_maxPayload{0};
    DataRate m_socketRate;
    Time m_switchLatency;
    Time m_hostBridgeLatency;
    bool m_gpuDirect{true};
    PathKind m_gpuDirectReach{PathKind::PXB};
    std::vector<Node> m_nodes;
    std::vector<Way> m_ways;
    std::vector<uint32_t> m_gpus; ///< nodes, by index
    std::vector<uint32_t> m_nics; ///< likewise
};

/// @param kind of a path @return its name in upper case
std::string ToString(PcieTree::PathKind kind);

} // namespace ns3

#endif // PCIE_TREE_H
