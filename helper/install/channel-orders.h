// SPDX-License-Identifier: GPL-2.0-only
#ifndef CHANNEL_ORDERS_H
#define CHANNEL_ORDERS_H

#include "ns3/collective-platform.h"
#include "ns3/communicator.h"
#include "ns3/nccl-environment.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * Finds the orders of a communicator's rings and trees as NCCL does, on its GPUs as they have been
 * installed or, with NCCL_TOPO_FILE, on the server that the file describes: rank by rank, the GPU
 * of the file with the number that the rank has in its server.
 * @param communicator its ranks
 * @param environment NCCL_TOPO_FILE, NCCL_PXN_DISABLE, NCCL_P2P_PXN_LEVEL and NCCL_CROSS_NIC count;
 * a file that is wrong is an InputError
 * @param channels how many orders
 * @param platform gets what the file says, if there is one; else it is left as it is
 * @param error receives why there are no orders; else it is left empty
 * @return the orders, for RankLayout::SetOrders()
 */
std::shared_ptr<const ChannelOrders> FindOrders(const Communicator& communicator,
                                                const NcclEnvironment& environment,
                                                uint32_t channels,
                                                CollectivePlatform& platform,
                                                std::string& error);

} // namespace ns3

#endif // CHANNEL_ORDERS_H
