// SPDX-License-Identifier: GPL-2.0-only
#ifndef FAIR_SHARE_H
#define FAIR_SHARE_H

#include <vector>

namespace ns3
{

/// What one party wants of a resource.
struct ShareClaim
{
    double wanted; ///< in units of the resource
    double weight; ///< its share of what is scarce, against the others' weights; above 0
};

/**
 * @ingroup ai-fabric
 * @brief Divides a resource max-min fairly (weighted): nobody gets more than he wants, and who gets
 * less gets as much a weight as everybody else who does.
 *
 * D. Bertsekas and R. Gallager, "Data Networks", 2nd edition, 1992, section 6.5.2.
 *
 * @param capacity of the resource
 * @param claims what is wanted
 * @return what each claim gets, in the order of the claims
 */
std::vector<double> ShareFairly(double capacity, const std::vector<ShareClaim>& claims);

} // namespace ns3

#endif // FAIR_SHARE_H
