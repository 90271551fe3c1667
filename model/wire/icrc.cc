// SPDX-License-Identifier: GPL-2.0-only
#include "icrc.h"

#include "wire-format.h"

#include "ns3/assert.h"

#include <boost/crc.hpp>
#include <cstring>

namespace ns3
{

uint32_t
ComputeIcrc(const uint8_t* ipPacket, size_t bytes)
{
    constexpr size_t HEADERS = wire::IPV4_BYTES + wire::UDP_BYTES + wire::BTH_BYTES;
    constexpr size_t UDP = wire::IPV4_BYTES;
    constexpr size_t BTH = UDP + wire::UDP_BYTES;
    NS_ASSERT_MSG(bytes >= HEADERS, "ICRC needs IPv4, UDP and BTH");

    uint8_t masked[8 + HEADERS];
    std::memset(masked, 0xff, 8); // stands for the LRH that RoCEv2 does not have
    uint8_t* ip = masked + 8;
    std::memcpy(ip, ipPacket, HEADERS);
    ip[1] = 0xff;                     // TOS: DSCP and ECN
    ip[8] = 0xff;                     // TTL
    ip[10] = ip[11] = 0xff;           // IP header checksum
    ip[UDP + 6] = ip[UDP + 7] = 0xff; // UDP checksum
    ip[BTH + 4] = 0xff;               // FECN, BECN and reserved bits

    boost::crc_32_type crc;
    crc.process_bytes(masked, sizeof(masked));
    crc.process_bytes(ipPacket + HEADERS, bytes - HEADERS);
    return crc.checksum();
}

} // namespace ns3
