// SPDX-License-Identifier: GPL-2.0-only
#include "collective-report.h"

#include "results-folder.h"

#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr double GBYTE = 1e9;

/// What a rank waited. @return zero if the record does not say
Time
WaitedOf(const CollectiveRecord& record, uint32_t rank)
{
    return rank < record.rankWaits.size() ? record.rankWaits[rank] : Time(0);
}

/// What the ranks waited, on average.
Time
MeanWaited(const CollectiveRecord& record)
{
    Time sum(0);
    for (const Time& waited : record.rankWaits)
    {
        sum += waited;
    }
    return record.rankWaits.empty()
               ? sum
               : TimeStep(sum.GetTimeStep() / static_cast<int64_t>(record.rankWaits.size()));
}

} // namespace

void
WriteCollectiveCsvHeader(std::ostream& out)
{
    out << "job,communicator,collective,op,algorithm,protocol,channels,chunk_bytes,in_place,bytes,"
           "ranks,start_us,end_us,time_us,algbw_gbytes_per_s,busbw_gbytes_per_s,chosen_by,"
           "predicted_us,straggler_rank,straggler_waited_us,mean_waited_us,error,why\n";
}

void
WriteCollectiveCsv(std::ostream& out, const ReportedCollective& collective)
{
    const CollectiveRecord& record = collective.record;
    const CollectivePlan& plan = record.plan;
    out << collective.job << ',' << record.communicator << ',' << record.sequence << ','
        << ToString(record.request.operation) << ',' << plan.algorithm << ','
        << ToString(plan.protocol) << ',' << plan.channels << ',' << plan.chunkBytes << ','
        << (record.request.inPlace ? "yes" : "no") << ',' << record.request.GetBytes() << ','
        << record.ranks << ',' << MicrosecondText(record.start.GetTimeStep()) << ','
        << MicrosecondText(record.end.GetTimeStep()) << ','
        << MicrosecondText((record.end - record.start).GetTimeStep()) << ','
        << FixedText(record.GetAlgorithmBandwidth() / GBYTE, 6) << ','
        << FixedText(record.GetBusBandwidth() / GBYTE, 6) << ',' << collective.chosenBy << ','
        << (plan.predictedUs > 0 ? FixedText(plan.predictedUs, 3) : "") << ','
        << record.stragglerRank << ','
        << MicrosecondText(WaitedOf(record, record.stragglerRank).GetTimeStep()) << ','
        << MicrosecondText(MeanWaited(record).GetTimeStep()) << ',' << std::quoted(record.error)
        << ',' << std::quoted(plan.why) << '\n';
}

void
PrintCollectiveTableHeader(std::ostream& out, const std::string& title)
{
    out << "# " << title << "\n"
        << "#       size         count      type       time     algbw     busbw  how\n"
        << "#        (B)    (elements)                 (us)    (GB/s)    (GB/s)" << std::endl;
}

void
PrintCollectiveTableRow(std::ostream& out, const CollectiveRecord& record, const std::string& type)
{
    out << std::setw(12) << record.request.GetBytes() << std::setw(14) << record.request.count
        << std::setw(10) << type << std::setw(11)
        << FixedText((record.end - record.start).GetSeconds() * 1e6, 2) << std::setw(10)
        << FixedText(record.GetAlgorithmBandwidth() / GBYTE, 2) << std::setw(10)
        << FixedText(record.GetBusBandwidth() / GBYTE, 2) << "  " << DescribePlan(record.plan)
        << (record.error.empty() ? "" : "  FAILED") << std::endl;
}

nlohmann::ordered_json
CollectiveSummary(const ReportedCollective& collective)
{
    const CollectiveRecord& record = collective.record;
    return {{"job", collective.job},
            {"communicator", record.communicator},
            {"op", ToString(record.request.operation)},
            {"algorithm", record.plan.algorithm},
            {"protocol", ToString(record.plan.protocol)},
            {"channels", record.plan.channels},
            {"chosen_by", collective.chosenBy},
            {"ranks", record.ranks},
            {"bytes", record.request.GetBytes()},
            {"time_us", (record.end - record.start).GetSeconds() * 1e6},
            {"predicted_us", record.plan.predictedUs},
            {"algbw_gbytes_per_s", record.GetAlgorithmBandwidth() / GBYTE},
            {"busbw_gbytes_per_s", record.GetBusBandwidth() / GBYTE},
            {"straggler_rank", record.stragglerRank}};
}

std::string
DescribePlan(const CollectivePlan& plan)
{
    return plan.algorithm + " " + ToString(plan.protocol) + ", " + std::to_string(plan.channels) +
           (plan.channels == 1 ? " channel" : " channels");
}

} // namespace ns3
