// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-results.h"

#include <cinttypes>
#include <cstdio>

namespace ns3
{

uint32_t
GetHpccAddress(uint32_t node)
{
    return 0x0b000001 + node / 256 * 0x10000 + node % 256 * 0x100;
}

void
WriteHpccFct(std::ostream& out, const HpccFctRecord& record)
{
    char line[160]; // six numbers of at most 20 digits, two of 8
    std::snprintf(line,
                  sizeof(line),
                  "%08" PRIx32 " %08" PRIx32 " %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                  "\n",
                  GetHpccAddress(record.source),
                  GetHpccAddress(record.destination),
                  record.sourcePort,
                  record.destinationPort,
                  record.bytes,
                  record.startNs,
                  record.durationNs,
                  record.idealNs);
    out << line;
}

void
WriteHpccPfc(std::ostream& out, const HpccPfcRecord& record)
{
    out << record.timeNs << ' ' << record.node << ' ' << (record.isSwitch ? 1 : 0) << ' '
        << record.port << ' ' << (record.pause ? 1 : 0) << '\n';
}

} // namespace ns3
