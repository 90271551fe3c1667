// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_PATH_H
#define RDMA_PATH_H

#include "ns3/fabric-frame.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

namespace ns3
{

/// An IPv4 or IPv6 address, without the cost of ns-3's generic one.
struct RdmaAddress
{
    bool ipv6{false};
    uint32_t key{0};                 ///< IPv4, host byte order; IPv6: its low 32 bits
    std::array<uint8_t, 16> bytes{}; ///< IPv6

    /// @param address IPv4, host byte order @return it
    static RdmaAddress FromIpv4(uint32_t address);
    /// @param bytes IPv6, network byte order @return it
    static RdmaAddress FromIpv6(const std::array<uint8_t, 16>& bytes);

    /// @return 224.0.0.0/4 or ff00::/8
    bool IsMulticast() const;
    /// @return as people write it
    std::string ToString() const;

    /// @param o other @return same address
    bool operator==(const RdmaAddress& o) const
    {
        return ipv6 == o.ipv6 && key == o.key && bytes == o.bytes;
    }

    /// @param o other @return an order, for maps
    bool operator<(const RdmaAddress& o) const
    {
        return std::tie(ipv6, key, bytes) < std::tie(o.ipv6, o.key, o.bytes);
    }
};

/**
 * @ingroup ai-fabric
 * @brief What brings a frame to its destination: the address vector of verbs.
 *
 * A connected queue pair has one; a UD work request names one (its address handle).
 * RdmaPort::ResolvePath fills it.
 */
struct RdmaPath
{
    RdmaAddress source;
    RdmaAddress destination;
    Mac48Address nextHop; ///< MAC of the destination, or of the router on the way
    uint16_t udpSourcePort{0};
    uint32_t flowHash{0}; ///< of the above
};

/// The address handle of verbs: a path that UD work requests share.
using RdmaAddressHandle = std::shared_ptr<const RdmaPath>;

} // namespace ns3

#endif // RDMA_PATH_H
