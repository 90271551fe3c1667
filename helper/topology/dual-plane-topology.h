// SPDX-License-Identifier: GPL-2.0-only
#ifndef DUAL_PLANE_TOPOLOGY_H
#define DUAL_PLANE_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a dual-ToR dual-plane fabric is made of.
struct DualPlaneParameters
{
    uint32_t segments{1};
    uint32_t serversPerSegment{4};
    uint32_t gpusPerServer{8};            ///< with a NIC each: the number of rails
    uint32_t planes{2};                   ///< ports of a NIC, each in a plane of its own
    uint32_t aggregationsPerPlane{4};     ///< 0 with one segment: ToRs alone
    uint32_t linksPerAggregation{1};      ///< parallel cables between a ToR and an aggregation
    DataRate linkRate{200'000'000'000};   ///< NIC port to ToR
    DataRate uplinkRate{400'000'000'000}; ///< ToR to aggregation
    Time linkDelay{NanoSeconds(25)};      ///< NIC port to ToR, one way: 5 m
    Time uplinkDelay{NanoSeconds(500)};   ///< ToR to aggregation, one way: 100 m

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * The two tiers of a pod of Alibaba's HPN 7.0 (Qian, Xi, Cao et al., "Alibaba HPN: A Data Center
 * Network for Large Language Model Training", SIGCOMM 2024): in each segment a rail has a ToR in
 * each plane; port q of NIC r of every server goes to the ToR of rail r and plane q; the ToRs of a
 * plane, of all rails and segments, have cables to all aggregation switches of that plane. Nothing
 * joins the planes: the third tier, which joins pods, is not part of it.
 *
 * Vertices: server0.., segment0-rail0-plane0, segment0-rail0-plane1, segment0-rail1-plane0, ..,
 * plane0-aggregation0... Port r x planes + q of a server is port q of its NIC r.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeDualPlane(const DualPlaneParameters& parameters);

} // namespace ns3

#endif // DUAL_PLANE_TOPOLOGY_H
