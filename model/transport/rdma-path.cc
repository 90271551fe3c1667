// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-path.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

RdmaAddress
RdmaAddress::FromIpv4(uint32_t address)
{
    RdmaAddress result;
    result.key = address;
    return result;
}

RdmaAddress
RdmaAddress::FromIpv6(const std::array<uint8_t, 16>& bytes)
{
    RdmaAddress result;
    result.ipv6 = true;
    result.bytes = bytes;
    for (size_t i = 12; i < 16; ++i)
    {
        result.key = result.key << 8 | bytes[i];
    }
    return result;
}

bool
RdmaAddress::IsMulticast() const
{
    return ipv6 ? bytes[0] == 0xff : key >> 28 == 0xe;
}

std::string
RdmaAddress::ToString() const
{
    std::ostringstream text;
    if (ipv6)
    {
        text << Ipv6Address::Deserialize(bytes.data());
    }
    else
    {
        text << Ipv4Address(key);
    }
    return text.str();
}

} // namespace ns3
