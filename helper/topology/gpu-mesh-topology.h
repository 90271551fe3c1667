// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_MESH_TOPOLOGY_H
#define GPU_MESH_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a mesh of GPUs is made of.
struct GpuMeshParameters
{
    uint32_t gpus{8};                   ///< each a host of its own, 2 to 256
    uint32_t linksPerPair{1};           ///< parallel cables between two GPUs
    DataRate linkRate{400'000'000'000}; ///< of every cable, each way
    Time linkDelay{NanoSeconds(25)};    ///< of every cable, one way: 5 m

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * GPUs that have a cable (or several) to each other, and no switch: n (n - 1) / 2 x linksPerPair
 * cables. A GPU does not forward, so each cable is a network of its own with two ports.
 *
 * Vertices: gpu0... The ports of a GPU lead to gpu0, gpu1, .., itself left out.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeGpuMesh(const GpuMeshParameters& parameters);

} // namespace ns3

#endif // GPU_MESH_TOPOLOGY_H
