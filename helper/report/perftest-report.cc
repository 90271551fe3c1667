// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-report.h"

#include "results-folder.h"

#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

const std::string RULE(87, '-');

/// @param text a cell @param width at least so many characters @return left-aligned
std::string
Cell(const std::string& text, size_t width)
{
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

/// @param value of a cell @return as perftest prints it
std::string
Cell(double value, int decimals = 2)
{
    return Cell(FixedText(value, decimals), 7);
}

std::string
TitleOf(const PerftestConfig& config)
{
    std::string verb;
    switch (PerftestOperation(config))
    {
    case RdmaOperation::WRITE:
        verb = "RDMA_Write";
        break;
    case RdmaOperation::SEND:
        verb = "Send";
        break;
    case RdmaOperation::READ:
        verb = "RDMA_Read";
        break;
    case RdmaOperation::FETCH_ADD:
        verb = "Atomic FETCH_AND_ADD";
        break;
    default:
        verb = "Atomic CMP_AND_SWAP";
    }
    return verb + (config.bidirectional ? " Bidirectional" : "") +
           (MeasuresLatency(config) ? " Latency Test" : " BW Test");
}

} // namespace

void
PrintPerftestHeader(std::ostream& out, const PerftestConfig& config, uint32_t mtu)
{
    bool latency = MeasuresLatency(config);
    out << RULE << "\n"
        << "                    " << TitleOf(config) << "\n"
        << " Number of qps   : " << config.queuePairs << "\n"
        << " Connection type : " << config.connection << "\n"
        << " TX depth        : " << config.txDepth << "\n";
    if (PerftestOperation(config) == RdmaOperation::SEND)
    {
        out << " RX depth        : " << config.rxDepth << "\n";
    }
    if (!latency)
    {
        out << " CQ Moderation   : " << config.cqModeration << "\n";
    }
    out << " Mtu             : " << mtu << "[B]\n";
    if (!ReturnsData(PerftestOperation(config)))
    {
        out << " Max inline data : " << *config.inlineBytes << "[B]\n";
    }
    out << RULE << "\n";
    if (latency)
    {
        out << " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
               "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n";
    }
    else
    {
        out << " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
               "MsgRate[Mpps]\n";
    }
}

void
PrintPerftestRow(std::ostream& out, const PerftestResult& result)
{
    std::string bytes = Cell(std::to_string(result.bytes), 7);
    std::string iterations = std::to_string(result.iterations);
    if (!result.error.empty())
    {
        out << " " << bytes << "    " << result.error << std::endl;
        return;
    }
    if (!result.isLatency)
    {
        const PerftestBandwidth& row = result.bandwidth;
        out << " " << bytes << "    " << Cell(iterations, 10) << "       "
            << Cell(row.peakMibPerSecond) << "            " << Cell(row.averageMibPerSecond)
            << "\t\t     " << Cell(row.messagesPerMicrosecond, 6) << std::endl;
        return;
    }
    const PerftestLatency& row = result.latency;
    out << " " << bytes << " " << iterations << "          " << Cell(row.minimum) << "        "
        << Cell(row.maximum) << "      " << Cell(row.typical) << "  \t       " << Cell(row.average)
        << "     \t" << Cell(row.deviation) << "\t\t" << Cell(row.percentile99) << " \t\t"
        << Cell(row.percentile999) << std::endl;
}

void
PrintPerftestEnd(std::ostream& out)
{
    out << RULE << std::endl;
}

void
WritePerftestCsvHeader(std::ostream& csv)
{
    csv << "job,test,connection,queue_pairs,bytes,iterations,bw_peak_mib_per_s,"
           "bw_average_mib_per_s,message_rate_mpps,t_min_us,t_max_us,t_typical_us,t_avg_us,"
           "t_stdev_us,p99_us,p999_us,error\n";
}

void
WritePerftestCsv(std::ostream& csv,
                 const std::string& job,
                 const PerftestConfig& config,
                 const PerftestResult& result)
{
    csv << job << ',' << config.test << ',' << config.connection << ',' << config.queuePairs << ','
        << result.bytes << ',' << result.iterations;
    const PerftestBandwidth& bandwidth = result.bandwidth;
    const PerftestLatency& latency = result.latency;
    bool failed = !result.error.empty();
    for (double value : {bandwidth.peakMibPerSecond,
                         bandwidth.averageMibPerSecond,
                         bandwidth.messagesPerMicrosecond})
    {
        csv << ',' << (failed || result.isLatency ? "" : FixedText(value, 6));
    }
    for (double value : {latency.minimum,
                         latency.maximum,
                         latency.typical,
                         latency.average,
                         latency.deviation,
                         latency.percentile99,
                         latency.percentile999})
    {
        csv << ',' << (failed || !result.isLatency ? "" : FixedText(value, 6));
    }
    csv << ',' << std::quoted(result.error) << '\n';
}

nlohmann::ordered_json
PerftestSummary(const std::string& job, const PerftestConfig& config, const PerftestResult& result)
{
    nlohmann::ordered_json row{{"job", job},
                               {"test", config.test},
                               {"connection", config.connection},
                               {"queue_pairs", config.queuePairs},
                               {"bytes", result.bytes},
                               {"iterations", result.iterations}};
    if (!result.error.empty())
    {
        row["error"] = result.error;
    }
    else if (result.isLatency)
    {
        row["t_typical_us"] = result.latency.typical;
        row["p99_us"] = result.latency.percentile99;
    }
    else
    {
        row["bw_average_mib_per_s"] = result.bandwidth.averageMibPerSecond;
        row["message_rate_mpps"] = result.bandwidth.messagesPerMicrosecond;
    }
    return row;
}

} // namespace ns3
