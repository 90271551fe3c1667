// SPDX-License-Identifier: GPL-2.0-only
#include "icrc.h"

#include "wire-format.h"

#include "ns3/assert.h"

#include <cstring>
#include <zlib.h>

namespace ns3
{

uint32_t
ComputeIcrc(const uint8_t* ipPacket, size_t bytes)
{
    constexpr size_t LRH = 8; // ones stand for the header that RoCEv2 does not have
    const bool ipv6 = (ipPacket[0] >> 4) == 6;
    const size_t udp = ipv6 ? wire::IPV6_BYTES : wire::IPV4_BYTES;
    const size_t bth = udp + wire::UDP_BYTES;
    const size_t headers = bth + wire::BTH_BYTES;
    NS_ASSERT_MSG(bytes >= headers, "ICRC needs IP, UDP and BTH");

    uint8_t masked[LRH + wire::IPV6_BYTES + wire::UDP_BYTES + wire::BTH_BYTES];
    std::memset(masked, 0xff, LRH);
    uint8_t* ip = masked + LRH;
    std::memcpy(ip, ipPacket, headers);
    if (ipv6)
    {
        ip[0] |= 0x0f;                // traffic class, its high half
        ip[1] = ip[2] = ip[3] = 0xff; // its low half, flow label
        ip[7] = 0xff;                 // hop limit
    }
    else
    {
        ip[1] = 0xff;           // TOS: DSCP and ECN
        ip[8] = 0xff;           // TTL
        ip[10] = ip[11] = 0xff; // IP header checksum
    }
    ip[udp + 6] = ip[udp + 7] = 0xff; // UDP checksum
    ip[bth + 4] = 0xff;               // FECN, BECN and reserved bits

    uLong crc = crc32_z(0, masked, LRH + headers);
    return static_cast<uint32_t>(crc32_z(crc, ipPacket + headers, bytes - headers));
}

} // namespace ns3
