// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_ALGORITHMS_H
#define COLLECTIVE_ALGORITHMS_H

#include "collective-algorithm.h"

#include <string>
#include <vector>

namespace ns3
{

/// An algorithm of the module.
struct CollectiveAlgorithmEntry
{
    std::string name; ///< as CollectiveAlgorithm::GetName() gives it
    TypeId typeId;
    std::string description; ///< one line
};

/// @return all algorithms of the module; a study's own ones are not among them
const std::vector<CollectiveAlgorithmEntry>& GetCollectiveAlgorithms();

/**
 * @param name of one of GetCollectiveAlgorithms(), or a TypeId's that is a CollectiveAlgorithm's
 * @return a new one, with the defaults of its attributes; null if there is none of that name
 */
Ptr<CollectiveAlgorithm> MakeCollectiveAlgorithm(const std::string& name);

} // namespace ns3

#endif // COLLECTIVE_ALGORITHMS_H
