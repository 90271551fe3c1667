// SPDX-License-Identifier: GPL-2.0-only
#ifndef PATH_CHOICE_H
#define PATH_CHOICE_H

#include "forwarding-table.h"

#include "ns3/fabric-frame.h"

#include <cstdint>

/**
 * @file
 * @brief What path selectors have in common: a flow's hash, shares of the hash space, a random
 * choice among ports whose links are up.
 */

namespace ns3
{

class FabricNetDevice;
class FabricSwitch;
class UniformRandomVariable;

/// Which fields of a frame tell one flow from another.
enum FlowFields : uint8_t
{
    HASH_FIVE_TUPLE,        ///< addresses, ports, protocol (IPv6: and flow label)
    HASH_FIVE_TUPLE_AND_QP, ///< and of RoCE the destination queue pair
    HASH_ADDRESSES,         ///< source and destination only
    HASH_DESTINATION,       ///< the destination only
};

/**
 * @param frame any
 * @param fields which count; fields that the frame's kind does not have are 0
 * @return 32 well-mixed bits
 */
uint32_t HashFlow(const FabricFrame& frame, FlowFields fields);

/**
 * @param hash of a flow
 * @param seed of a switch
 * @return another hash, by murmur3's finalizer: every bit of both reaches every bit of the result,
 * and no two hashes get the same one
 */
inline uint32_t
MixHash(uint32_t hash, uint32_t seed)
{
    uint32_t h = hash ^ (seed * 0x9e3779b9U);
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    h ^= h >> 16;
    return h;
}

/// @param hash 32 bits @param n size of a range @return hash x n / 2^32, rounded down: 0 to n - 1
inline uint64_t
ScaleHash(uint32_t hash, uint64_t n)
{
    return hash * (n >> 32) + ((hash * (n & 0xffffffff)) >> 32);
}

/// @param ports at least one @param hash 32 bits @return a port; each has the same share of hashes
inline uint32_t
PickByHash(ForwardingTable::Ports ports, uint32_t hash)
{
    return ports.first[(uint64_t{hash} * ports.count) >> 32];
}

/**
 * @param ports at least one, with weights
 * @param hash 32 bits
 * @return a port; the share of hashes of each is its weight over the sum of all, to 2^-32
 */
uint32_t PickByWeight(ForwardingTable::Ports ports, uint32_t hash);

/**
 * @param fabricSwitch whose ports they are
 * @param ports at least one
 * @param random drawn from once
 * @return a port whose link is up, by the weights if there are any; if all are down, the first
 */
uint32_t PickAtRandom(const FabricSwitch& fabricSwitch,
                      ForwardingTable::Ports ports,
                      UniformRandomVariable& random);

/// @param ports some @param port a number @return true: it is one of them
bool Contains(ForwardingTable::Ports ports, uint32_t port);

/**
 * @param device a port
 * @param now time steps
 * @return how long it takes until all that waits there now is on the wire, if nothing holds it
 * (time steps): the rest of the frame being sent and the bytes of all queues
 */
int64_t DrainSteps(const FabricNetDevice& device, int64_t now);

} // namespace ns3

#endif // PATH_CHOICE_H
