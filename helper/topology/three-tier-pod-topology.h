// SPDX-License-Identifier: GPL-2.0-only
#ifndef THREE_TIER_POD_TOPOLOGY_H
#define THREE_TIER_POD_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a three-tier fabric of pods is made of.
struct ThreeTierPodParameters
{
    uint32_t pods{2};
    uint32_t leavesPerPod{4};
    uint32_t hostsPerLeaf{4};
    uint32_t gpusPerServer{1};          ///< of a host, each with a NIC; all go to the host's leaf
    uint32_t spinesPerPod{4};           ///< each leaf is joined with all of its pod
    uint32_t linksPerSpine{1};          ///< parallel cables between a leaf and a spine
    uint32_t coresPerSpine{4};          ///< that a spine is joined with; 0 with one pod
    uint32_t linksPerCore{1};           ///< parallel cables between a spine and a core
    DataRate linkRate{400'000'000'000}; ///< NIC to leaf
    DataRate spineRate{0};              ///< leaf to spine; 0: as linkRate
    DataRate coreRate{0};               ///< spine to core; 0: as spineRate
    Time linkDelay{NanoSeconds(25)};    ///< NIC to leaf, one way: 5 m
    Time spineDelay{NanoSeconds(250)};  ///< leaf to spine, one way: 50 m
    Time coreDelay{NanoSeconds(1000)};  ///< spine to core, one way: 200 m

    /// @return the parameters with nothing left at "0: ..."
    ThreeTierPodParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Pods of leaves and spines, joined by cores in planes: spine j of every pod is joined with the
 * cores j c to (j+1) c - 1, c = coresPerSpine. So there are spinesPerPod x coresPerSpine cores.
 *
 * Oversubscription of a leaf: hostsPerLeaf x gpusPerServer x linkRate : spinesPerPod x
 * linksPerSpine x spineRate; of a spine: leavesPerPod x linksPerSpine x spineRate : coresPerSpine x
 * linksPerCore x coreRate.
 *
 * Vertices: host0.. (pod by pod, leaf by leaf), leaf0.., spine0.. (pod by pod), core0... Port r of
 * a host is its NIC r.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeThreeTierPod(const ThreeTierPodParameters& parameters);

} // namespace ns3

#endif // THREE_TIER_POD_TOPOLOGY_H
