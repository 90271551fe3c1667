// SPDX-License-Identifier: GPL-2.0-only
#include "drop-report.h"

#include "ns3/drop-reason.h"

namespace ns3
{

namespace
{

/// @param port some @param report called with each reason that it has, and how many frames
template <typename Report>
void
ForEachReason(const ReportedPort& port, Report report)
{
    const PortCounters& counters = port.port->GetCounters();
    for (size_t r = 0; r < counters.dropsByReason.size(); ++r)
    {
        if (counters.dropsByReason[r] > 0)
        {
            report(ToString(static_cast<DropReason>(r)), counters.dropsByReason[r]);
        }
    }
    if (counters.lostFrames > 0)
    {
        report(LOST_ON_CABLE, counters.lostFrames);
    }
}

} // namespace

std::map<std::string, uint64_t>
CountDrops(const std::vector<ReportedPort>& ports)
{
    std::map<std::string, uint64_t> byReason;
    for (const ReportedPort& port : ports)
    {
        ForEachReason(port,
                      [&](const char* reason, uint64_t frames) { byReason[reason] += frames; });
    }
    return byReason;
}

void
WriteDropReport(std::ostream& out, const std::vector<ReportedPort>& ports)
{
    out << "port,reason,frames\n";
    for (const ReportedPort& port : ports)
    {
        ForEachReason(port, [&](const char* reason, uint64_t frames) {
            out << port.name << ',' << reason << ',' << frames << '\n';
        });
    }
}

} // namespace ns3
