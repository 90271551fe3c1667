// SPDX-License-Identifier: GPL-2.0-only
#include "collective-plan.h"

#include <strings.h>

namespace ns3
{

namespace
{

constexpr CollectiveProtocol ALL_PROTOCOLS[] = {
    CollectiveProtocol::LL,
    CollectiveProtocol::LL128,
    CollectiveProtocol::SIMPLE,
};

} // namespace

const char*
ToString(CollectiveProtocol protocol)
{
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return "LL";
    case CollectiveProtocol::LL128:
        return "LL128";
    case CollectiveProtocol::SIMPLE:
        return "Simple";
    }
    return "unknown";
}

std::vector<std::string>
GetCollectiveProtocolNames()
{
    std::vector<std::string> names;
    for (CollectiveProtocol protocol : ALL_PROTOCOLS)
    {
        names.emplace_back(ToString(protocol));
    }
    return names;
}

bool
ParseCollectiveProtocol(const std::string& name, CollectiveProtocol& protocol)
{
    for (CollectiveProtocol candidate : ALL_PROTOCOLS)
    {
        if (strcasecmp(name.c_str(), ToString(candidate)) == 0)
        {
            protocol = candidate;
            return true;
        }
    }
    return false;
}

uint64_t
GetProtocolBytes(CollectiveProtocol protocol, uint64_t bytes)
{
    constexpr uint64_t LL128_LINE = 128;
    constexpr uint64_t LL128_DATA = 120;
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return 2 * bytes;
    case CollectiveProtocol::LL128:
        return (bytes + LL128_DATA - 1) / LL128_DATA * LL128_LINE;
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return bytes;
}

uint64_t
GetProtocolBufferBytes(CollectiveProtocol protocol)
{
    // src/include/device.h of NCCL: lines per thread, threads, steps, bytes of a line.
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return 8 * 512 * PROTOCOL_STEPS * 16;
    case CollectiveProtocol::LL128:
        return 120 * 640 * PROTOCOL_STEPS * 8;
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return 4 * 1024 * 1024;
}

} // namespace ns3
