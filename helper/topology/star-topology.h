// SPDX-License-Identifier: GPL-2.0-only
#ifndef STAR_TOPOLOGY_H
#define STAR_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a star is made of.
struct StarParameters
{
    uint32_t hosts{16};                 ///< at least 2
    DataRate linkRate{400'000'000'000}; ///< of every cable, each way
    Time linkDelay{NanoSeconds(500)};   ///< of every cable, one way

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Hosts around one switch: host0, host1, ... in this order, then "switch".
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeStar(const StarParameters& parameters);

} // namespace ns3

#endif // STAR_TOPOLOGY_H
