// SPDX-License-Identifier: GPL-2.0-only
#ifndef HALVING_DOUBLING_ALGORITHM_H
#define HALVING_DOUBLING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Recursive halving and doubling: all-reduce, reduce-scatter, all-gather.
 *
 * Reduce-scatter by recursive halving: in each of log2 n rounds a rank exchanges with a partner the
 * half of its vector that it gives up for the half that it keeps, and adds. All-gather by recursive
 * doubling is the reverse. All-reduce is the one after the other (Rabenseifner), which takes
 * 2 log2 n alpha + 2 (n - 1) / n S beta.
 *
 * Where n is not a power of two, with p the largest one below it, the first 2 (n - p) ranks fold:
 * each even one gives its whole input to the odd one after it, which takes part for both, and gets
 * its result back at the end (Thakur, Rabenseifner, Gropp, "Optimization of collective
 * communication operations in MPICH", IJHPCA 19(1), 2005, sections 4.4 and 4.5).
 */
class HalvingDoublingAlgorithm : public CollectiveAlgorithm
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

#endif // HALVING_DOUBLING_ALGORITHM_H
