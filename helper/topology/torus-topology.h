// SPDX-License-Identifier: GPL-2.0-only
#ifndef TORUS_TOPOLOGY_H
#define TORUS_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a torus of two or three dimensions is made of.
struct TorusParameters
{
    uint32_t dimensions{2}; ///< 2 or 3
    uint32_t x{4};          ///< switches of a ring along x, at least 2
    uint32_t y{4};          ///< likewise
    uint32_t z{4};          ///< likewise; of three dimensions only
    uint32_t hostsPerSwitch{1};
    DataRate linkRate{400'000'000'000}; ///< host to switch
    DataRate torusRate{0};              ///< between switches; 0: as linkRate
    Time linkDelay{NanoSeconds(25)};    ///< host to switch, one way: 5 m
    Time torusDelay{NanoSeconds(50)};   ///< between switches, one way: 10 m

    /// @return the parameters with nothing left at "0: ...", z = 1 in two dimensions
    TorusParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Switches on a grid whose rows are rings: switch (i, j, k) has a cable to each neighbour in each
 * dimension; in a ring of two the two ways are one cable. A ring of n switches has n cables, and
 * its ends are floor(n / 2) apart at most.
 *
 * Its shortest paths have cyclic buffer dependencies: lossless in one class it can deadlock.
 *
 * Vertices: host0.. (switch by switch), switch-0-0, switch-1-0, .. (x first), in three dimensions
 * switch-0-0-0, ...
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeTorus(const TorusParameters& parameters);

} // namespace ns3

#endif // TORUS_TOPOLOGY_H
