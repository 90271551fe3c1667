// SPDX-License-Identifier: GPL-2.0-only
#ifndef ICRC_H
#define ICRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @brief Invariant CRC of a RoCEv2 packet over IPv4 (IBA vol. 1, annex A17.3.3).
 *
 * CRC-32 of IEEE 802.3 over 8 bytes of ones, then the IP packet with the fields that routers may
 * change (TOS, TTL, header checksum, UDP checksum, BTH's FECN/BECN byte) read as ones, up to the
 * byte before the ICRC itself.
 *
 * @param ipPacket the IPv4 header and all that follows, without the ICRC
 * @param bytes its length: at least IPv4, UDP and BTH (40 bytes)
 * @return the ICRC; it goes onto the wire least significant byte first
 */
uint32_t ComputeIcrc(const uint8_t* ipPacket, size_t bytes);

} // namespace ns3

#endif // ICRC_H
