// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_CONSTANTS_H
#define NCCL_CONSTANTS_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The figures of NCCL's cost model, channel search and chunking, by its version.
 *
 * They were read off NVIDIA/nccl at the tags v2.18.6-1, v2.19.4-1, v2.20.5-1, v2.21.5-1, v2.22.3-1,
 * v2.23.4-1, v2.24.3-1, v2.25.1-1, v2.26.2-1 (the same), v2.27.7-1, v2.28.9-1, v2.29.7-1 and
 * v2.30.7-1: src/graph/tuning.cc (latencies, bandwidths), src/graph/topo.h (links),
 * src/graph/search.cc (speeds), src/transport/nvls.cc, src/enqueue.cc, src/init.cc,
 * src/graph/paths.cc and src/include/device.h. Microseconds, GB/s and bytes.
 */

/// Algorithms of NCCL that are modelled: all but the two that need SHARP in the network.
enum class NcclAlgorithm : uint8_t
{
    TREE,
    RING,
    NVLS,
    NVLS_TREE,
    PAT,
};

/// Number of NcclAlgorithm.
constexpr uint32_t NCCL_ALGORITHMS = 5;

/// @param algorithm one @return the name of the CollectiveAlgorithm that does it
const char* ToString(NcclAlgorithm algorithm);

/// By NcclAlgorithm and CollectiveProtocol, us.
using NcclLatencies = std::array<std::array<double, 3>, NCCL_ALGORITHMS>;

/// By GPU generation (Volta, Ampere, Hopper, Blackwell) and number of nodes (1, 2, more), GB/s.
using NcclRates = std::array<std::array<double, 3>, 4>;

/// Three sets of speeds: up to Ampere, Hopper, Blackwell.
using NcclSpeeds = std::array<std::vector<double>, 3>;

/// What a version of NCCL reckons with. The comments name what changed, and when.
struct NcclConstants
{
    uint32_t since; ///< first version that these hold for, as MakeNcclVersion() gives it

    // ---- latencies

    NcclLatencies baseLatency;   ///< whatever the machines
    NcclLatencies nvlinkLatency; ///< of a step by NVLink
    NcclLatencies pcieLatency;   ///< of a step within a node by PCIe
    NcclLatencies netLatency;    ///< of a step between nodes
    bool addsNvlsLatency;        ///< NVLS by nvlinkLatency, NVLS tree by log2(nodes); else linear
    bool exposesNetLatency;      ///< one GPU a node: the tree's network latency for all
    bool closesRing;             ///< 2 (nodes - 1) network steps in an all-reduce, not 2 nodes

    // ---- bandwidths

    NcclRates llMost;        ///< of LL; between nodes row 1 is for AMD CPUs, row 0 for others
    NcclRates ringLl128Most; ///< of a channel
    NcclRates treeLl128Most; ///< of a channel
    NcclRates treeMost;      ///< of a channel
    NcclRates nvlsTreeMost;  ///< of a channel; 0: no such limit
    std::array<double, 4> nvlsEfficiency; ///< by generation; 0: the model before 2.28
    bool halvesRingLl;                    ///< ring LL gets 1/2 of the bandwidth; before: 1/4 or 1/3
    bool discountsSingleLl128;            ///< ring LL128 gets 0.7 where a node has one GPU
    double patShare;                      ///< of the bandwidth that PAT gets; 0: there is no PAT
    bool scalesAllGather;   ///< algorithms but ring get their all-reduce ratio for all-gather too
    bool nvlsTreeCorrected; ///< NVLS tree on Blackwell gets the tree's correction by size
    double nvlsGatherShare; ///< all-gather by NVLS: (ppn-1)/ppn; 0: as the all-reduce

    // ---- channels

    double nvlinkHopper;       ///< of a link of SM 90
    double nvlinkBlackwell;    ///< of a link of SM 100
    NcclSpeeds intraSpeeds;    ///< that a channel may have in one node, falling
    NcclSpeeds interSpeeds;    ///< and where there are several
    bool doublesBeforeRaising; ///< doubles channels of 25 GB/s and more, then raises ring's speed
    uint32_t mostChannels;     ///< MAXCHANNELS
    uint32_t mostToDouble;     ///< Hopper between nodes: up to so many channels are doubled
    bool doublesNewer;         ///< and those of newer GPUs too
    bool followsNvls;          ///< rings and trees have as many channels as NVLS, if it has more
    uint32_t nvlsArity;        ///< heads at most
    uint32_t nvlsLeastGpus;    ///< in a node
    bool nvlsAcrossNodes;      ///< NVLS tree is to be had
    std::array<uint32_t, 3> nvlsChannels; ///< Hopper, Blackwell one node, Blackwell several
    bool tunesNvlsTree;                   ///< Blackwell's channels and chunks by NIC and node
    bool nvlsGathers;                     ///< all-gather and reduce-scatter by NVLS

    // ---- data

    uint64_t leastTraffic;    ///< of a channel; 0: channels share evenly
    bool sharesAligned;       ///< channels get aligned shares (2.20 and 2.21)
    bool treeChunksByDepth;   ///< tree Simple: smaller chunks for smaller shares
    bool nvlsTreeOwnChunk;    ///< NVLS tree's chunk begins at NVLS' size, not at the buffer's step
    bool nvlsLimitsTreeChunk; ///< NVLS tree: 64 KiB at most on 4 nodes and more

    // ---- send and receive

    int64_t p2pChannelsPerNetPeer; ///< -1: from NICs and ranks; -2: from the NIC's bandwidth
    bool p2pSmallPartsEverywhere;  ///< parts of 1/8 step between nodes too
    enum class LlRule : uint8_t
    {
        PART,                ///< a part is at most the threshold
        ALL_PARTS,           ///< the whole is at most the threshold times most parts
        USED_PARTS,          ///< the whole is at most the threshold times its parts
    } p2pLlRule;             ///< when a transfer goes by LL
    bool p2pDoublesArmChunk; ///< twice the network's chunk for Blackwell on ARM
};

/// @param major 2 @param minor such as 26 @param patch such as 2 @return one number that compares
constexpr uint32_t
MakeNcclVersion(uint32_t major, uint32_t minor, uint32_t patch)
{
    return major * 10000 + minor * 100 + patch;
}

/**
 * @param text such as "2.26.2" or "2.26"
 * @param version receives it
 * @return empty, or what is wrong: not a version, or one before 2.18
 */
std::string ParseNcclVersion(const std::string& text, uint32_t& version);

/// @param version from ParseNcclVersion() @return its figures: those of the last row up to it
const NcclConstants& GetNcclConstants(uint32_t version);

/// Powers of two from 64 bytes: what trees really get of their bandwidth, by protocol.
constexpr std::array<std::array<double, 24>, 3> NCCL_TREE_CORRECTION{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
}};

} // namespace ns3

#endif // NCCL_CONSTANTS_H
