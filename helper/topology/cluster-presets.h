// SPDX-License-Identifier: GPL-2.0-only
#ifndef CLUSTER_PRESETS_H
#define CLUSTER_PRESETS_H

#include "dual-plane-topology.h"
#include "fat-tree-topology.h"
#include "leaf-spine-topology.h"
#include "rail-optimized-topology.h"
#include "three-tier-pod-topology.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{

/// The fabric of a cluster that was published.
struct ClusterPreset
{
    using Parameters = std::variant<RailOptimizedParameters,
                                    LeafSpineParameters,
                                    FatTreeParameters,
                                    ThreeTierPodParameters,
                                    DualPlaneParameters>;

    std::string name;
    std::string description; ///< one line
    std::string source;      ///< where the facts are from
    std::string assumptions; ///< what is not public and was assumed
    Parameters parameters;   ///< the whole cluster
};

/// @return the names, in order
std::vector<std::string> GetClusterPresetNames();

/// @param name of a preset @return it, or nothing if there is none
std::optional<ClusterPreset> FindClusterPreset(const std::string& name);

/**
 * A part of a cluster, as a job gets it that has but a share of the servers: whole segments or pods
 * first, then of one of them whole leaves or servers; the switches above stay as they are, those
 * that would join one pod with nothing are left out.
 * @param whole parameters of the cluster
 * @param share of its servers, above 0 to 1; rounded up to what is whole
 * @param part filled with the part's
 * @return empty, or why it cannot be cut
 */
std::string CutCluster(const ClusterPreset::Parameters& whole,
                       double share,
                       ClusterPreset::Parameters& part);

} // namespace ns3

#endif // CLUSTER_PRESETS_H
