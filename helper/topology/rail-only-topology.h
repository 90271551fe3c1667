// SPDX-License-Identifier: GPL-2.0-only
#ifndef RAIL_ONLY_TOPOLOGY_H
#define RAIL_ONLY_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a rail-only fabric is made of.
struct RailOnlyParameters
{
    uint32_t servers{2};
    uint32_t gpusPerServer{8};          ///< with a NIC each: the number of rails
    DataRate linkRate{400'000'000'000}; ///< NIC to rail switch
    Time linkDelay{NanoSeconds(25)};    ///< NIC to rail switch, one way: 5 m

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * NIC r of every server has its cable to rail switch r, and nothing joins the rails: what is to go
 * from one rail to another goes through a server's scale-up domain (Wang, Ghobadi, Shakeri et al.,
 * "Rail-only: A Low-Cost High-Performance Network for Training LLMs with Trillion Parameters",
 * HOTI 2024). The fabric falls into as many parts as it has rails.
 *
 * Vertices: server0.., rail0... Port r of a server is its NIC r.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeRailOnly(const RailOnlyParameters& parameters);

} // namespace ns3

#endif // RAIL_ONLY_TOPOLOGY_H
