// SPDX-License-Identifier: GPL-2.0-only
#ifndef BRUCK_ALGORITHM_H
#define BRUCK_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bruck's all-gather and all-to-all in ceil(log2 n) rounds, for any number of ranks.
 *
 * Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in
 * multiport message-passing systems", IEEE TPDS 8(11), 1997.
 *
 * All-gather: a rank that has the blocks of 2^k ranks, its own first, sends them to rank - 2^k and
 * gets as many from rank + 2^k; in the last round only what is missing. Blocks are put in place at
 * once. ceil(log2 n) alpha + (n - 1) / n S beta.
 *
 * All-to-all: a block for rank + i goes by the bits of i: in round k all blocks whose i has bit k
 * go to rank + 2^k, packed into one message. With n a power of two that is
 * log2 n alpha + log2 n S / 2 beta: fewer messages and more bytes than pairwise exchange.
 */
class BruckAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;
};

} // namespace ns3

#endif // BRUCK_ALGORITHM_H
