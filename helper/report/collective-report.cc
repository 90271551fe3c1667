// SPDX-License-Identifier: GPL-2.0-only
#include "collective-report.h"

#include "results-folder.h"

#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

void
WriteCollectiveCsvHeader(std::ostream& out)
{
    out << "job,collective,op,algorithm,protocol,channels,bytes,ranks,start_us,end_us,time_us,"
           "algbw_gbytes_per_s,busbw_gbytes_per_s,straggler_rank,error\n";
}

void
WriteCollectiveCsv(std::ostream& out, const std::string& job, const CollectiveRecord& record)
{
    out << job << ',' << record.sequence << ',' << ToString(record.request.operation) << ','
        << record.algorithm << ',' << record.protocol << ',' << record.channels << ','
        << record.request.GetBytes() << ',' << record.ranks << ','
        << MicrosecondText(record.start.GetTimeStep()) << ','
        << MicrosecondText(record.end.GetTimeStep()) << ','
        << MicrosecondText((record.end - record.start).GetTimeStep()) << ','
        << FixedText(record.GetAlgorithmBandwidth() / 1e9, 6) << ','
        << FixedText(record.GetBusBandwidth() / 1e9, 6) << ',' << record.stragglerRank << ','
        << std::quoted(record.error) << '\n';
}

void
PrintCollectiveTableHeader(std::ostream& out, const std::string& title)
{
    out << "# " << title << "\n"
        << "#       size         count      type       time     algbw     busbw\n"
        << "#        (B)    (elements)                 (us)    (GB/s)    (GB/s)" << std::endl;
}

void
PrintCollectiveTableRow(std::ostream& out, const CollectiveRecord& record, const std::string& type)
{
    out << std::setw(12) << record.request.GetBytes() << std::setw(14) << record.request.count
        << std::setw(10) << type << std::setw(11)
        << FixedText((record.end - record.start).GetSeconds() * 1e6, 2) << std::setw(10)
        << FixedText(record.GetAlgorithmBandwidth() / 1e9, 2) << std::setw(10)
        << FixedText(record.GetBusBandwidth() / 1e9, 2) << (record.error.empty() ? "" : "  FAILED")
        << std::endl;
}

nlohmann::ordered_json
CollectiveSummary(const std::string& job, const CollectiveRecord& record)
{
    return {{"job", job},
            {"op", ToString(record.request.operation)},
            {"algorithm", record.algorithm},
            {"channels", record.channels},
            {"ranks", record.ranks},
            {"bytes", record.request.GetBytes()},
            {"time_us", (record.end - record.start).GetSeconds() * 1e6},
            {"algbw_gbytes_per_s", record.GetAlgorithmBandwidth() / 1e9},
            {"busbw_gbytes_per_s", record.GetBusBandwidth() / 1e9}};
}

} // namespace ns3
