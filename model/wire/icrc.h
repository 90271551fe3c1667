// SPDX-License-Identifier: GPL-2.0-only
#ifndef ICRC_H
#define ICRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @brief Invariant CRC of a RoCEv2 packet (IBA vol. 1, annex A17.3.3).
 *
 * CRC-32 of IEEE 802.3 over 8 bytes of ones, then the IP packet with the fields that routers may
 * change read as ones, up to the byte before the ICRC itself. Those fields are, of IPv4, TOS, TTL
 * and header checksum; of IPv6, traffic class, flow label and hop limit; and of both the UDP
 * checksum and BTH's FECN/BECN byte.
 *
 * @param ipPacket the IPv4 header (without options) or the IPv6 header (without extension headers)
 *        and all that follows, without the ICRC; the version field says which it is
 * @param bytes its length: at least IP, UDP and BTH
 * @return the ICRC; it goes onto the wire least significant byte first
 */
uint32_t ComputeIcrc(const uint8_t* ipPacket, size_t bytes);

} // namespace ns3

#endif // ICRC_H
