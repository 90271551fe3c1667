// SPDX-License-Identifier: GPL-2.0-only
#ifndef TRANSFER_GENERATOR_H
#define TRANSFER_GENERATOR_H

#include "scenario.h"

#include "ns3/collective-request.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Transfers of an all-to-all-v or of a group of sends. The generated ones are those of a mixture of
 * experts whose experts are not equally in demand: every rank sends `bytes` in all, and each
 * destination gets the same share of every rank.
 * @param config what the scenario says
 * @param bytes that each rank sends, of generators
 * @param typeBytes of an element
 * @param ranks of the communicator
 * @return what goes from whom to whom; nothing of 0 elements
 */
std::vector<PointToPoint> GenerateTransfers(const TransfersConfig& config,
                                            uint64_t bytes,
                                            uint32_t typeBytes,
                                            uint32_t ranks);

} // namespace ns3

#endif // TRANSFER_GENERATOR_H
