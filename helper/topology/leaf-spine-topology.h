// SPDX-License-Identifier: GPL-2.0-only
#ifndef LEAF_SPINE_TOPOLOGY_H
#define LEAF_SPINE_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a leaf-spine fabric is made of.
struct LeafSpineParameters
{
    uint32_t leaves{4};
    uint32_t hostsPerLeaf{4};
    uint32_t spines{4};
    uint32_t linksPerSpine{1};            ///< parallel cables between a leaf and a spine
    DataRate linkRate{400'000'000'000};   ///< host to leaf
    DataRate uplinkRate{400'000'000'000}; ///< leaf to spine
    Time linkDelay{NanoSeconds(500)};     ///< host to leaf, one way
    Time uplinkDelay{NanoSeconds(500)};   ///< leaf to spine, one way

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Every leaf has a cable (or several) to every spine. Vertices: host0.. (those of leaf 0 first),
 * leaf0.., spine0...
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeLeafSpine(const LeafSpineParameters& parameters);

} // namespace ns3

#endif // LEAF_SPINE_TOPOLOGY_H
