// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-tests-report.h"

#include "results-folder.h"

#include <cstdio>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr double US_PER_S = 1e6;
constexpr double BYTES_PER_GB = 1e9;

/// As many decimals as there is room for, up to two.
std::string
Fitted(double value, size_t width)
{
    for (int decimals : {2, 1, 0})
    {
        const std::string text = FixedText(value, decimals);
        if (text.size() <= width)
        {
            return text;
        }
    }
    char text[32];
    std::snprintf(text, sizeof(text), width >= 7 ? "%.1e" : "%.0e", value);
    return text;
}

/// @return what the tests call the reduction: none where nothing is reduced
std::string
RedopOf(const NcclTestOptions& options)
{
    return Reduces(FindNcclTest(options.test)->operation) ? options.reduction : "none";
}

void
PrintHalf(std::ostream& out, const std::optional<NcclTestHalf>& half)
{
    if (!half)
    {
        out << std::setw(9) << "-" << std::setw(8) << "-" << std::setw(8) << "-" << std::setw(8)
            << "-";
        return;
    }
    out << "  " << std::setw(7) << Fitted(half->seconds * US_PER_S, 7) << "  " << std::setw(6)
        << Fitted(half->bandwidth.algorithm / BYTES_PER_GB, 6) << "  " << std::setw(6)
        << Fitted(half->bandwidth.bus / BYTES_PER_GB, 6) << "  " << std::setw(6)
        << (half->wrong ? std::to_string(*half->wrong) : "N/A");
}

} // namespace

void
PrintNcclTestHeader(std::ostream& out,
                    const NcclTestOptions& options,
                    uint32_t ranks,
                    const std::string& cluster)
{
    const std::vector<uint64_t> sizes = GetNcclTestSizes(options);
    out << "# Collective test starting: " << options.test << "\n"
        << "# nThread " << options.threads << " nGpus " << options.gpus << " minBytes "
        << sizes.front() << " maxBytes " << sizes.back() << " step: ";
    if (!options.sizes.empty())
    {
        out << "listed";
    }
    else if (options.stepFactor > 1)
    {
        out << options.stepFactor << "(factor)";
    }
    else
    {
        out << options.stepBytes << "(bytes)";
    }
    out << " warmup iters: " << options.warmUp << " iters: " << options.iterations
        << " agg iters: 1 validation: " << options.check << " graph: 0\n"
        << "#\n# Using devices\n#  " << ranks << " ranks of " << cluster << "\n#\n"
        << "#                                                       out-of-place                   "
           "    in-place\n"
        << "#       size         count      type   redop    root     time   algbw   busbw  #wrong  "
           "   time   algbw   busbw  #wrong\n"
        << "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)          "
           "   (us)  (GB/s)  (GB/s)"
        << std::endl;
}

void
PrintNcclTestRow(std::ostream& out, const NcclTestOptions& options, const NcclTestRow& row)
{
    out << std::right << std::setw(12) << row.size.bytes << "  " << std::setw(12)
        << row.size.elements << "  " << std::setw(8) << options.dataType << "  " << std::setw(6)
        << RedopOf(options) << "  " << std::setw(6) << row.root;
    PrintHalf(out, row.outOfPlace);
    PrintHalf(out, row.inPlace);
    out << std::endl;
}

void
PrintNcclTestEnd(std::ostream& out, const NcclTestOptions& options, double averageBus)
{
    out << "# Out of bounds values : 0 OK\n"
        << "# Avg bus bandwidth    : " << averageBus / BYTES_PER_GB << "\n#\n"
        << "# Collective test concluded: " << options.test << std::endl;
}

void
WriteNcclTestCsvHeader(std::ostream& out)
{
    out << "job,test,size_bytes,count,type,redop,root,place,time_us,algbw_gbytes_per_s,"
           "busbw_gbytes_per_s,wrong,algorithm,protocol,channels,chunk_bytes,predicted_us,why\n";
}

void
WriteNcclTestCsv(std::ostream& out,
                 const std::string& job,
                 const NcclTestOptions& options,
                 const NcclTestRow& row)
{
    auto write = [&](const char* place, const std::optional<NcclTestHalf>& half) {
        if (!half)
        {
            return;
        }
        out << job << ',' << options.test << ',' << row.size.bytes << ',' << row.size.elements
            << ',' << options.dataType << ',' << RedopOf(options) << ',' << row.root << ',' << place
            << ',' << FixedText(half->seconds * US_PER_S, 6) << ','
            << FixedText(half->bandwidth.algorithm / BYTES_PER_GB, 6) << ','
            << FixedText(half->bandwidth.bus / BYTES_PER_GB, 6) << ','
            << (half->wrong ? std::to_string(*half->wrong) : "") << ',' << half->plan.algorithm
            << ',' << ToString(half->plan.protocol) << ',' << half->plan.channels << ','
            << half->plan.chunkBytes << ','
            << (half->plan.predictedUs > 0 ? FixedText(half->plan.predictedUs, 3) : "") << ','
            << std::quoted(half->plan.why) << '\n';
    };
    write("out-of-place", row.outOfPlace);
    write("in-place", row.inPlace);
}

nlohmann::ordered_json
NcclTestSummary(const std::string& job, const NcclTestOptions& options, const NcclTestRow& row)
{
    nlohmann::ordered_json json{{"job", job},
                                {"test", options.test},
                                {"size_bytes", row.size.bytes},
                                {"count", row.size.elements},
                                {"root", row.root}};
    auto add = [&json](const char* place, const std::optional<NcclTestHalf>& half) {
        if (half)
        {
            json[place] = {{"time_us", half->seconds * US_PER_S},
                           {"algbw_gbytes_per_s", half->bandwidth.algorithm / BYTES_PER_GB},
                           {"busbw_gbytes_per_s", half->bandwidth.bus / BYTES_PER_GB},
                           {"algorithm", half->plan.algorithm},
                           {"protocol", ToString(half->plan.protocol)},
                           {"channels", half->plan.channels}};
        }
    };
    add("out_of_place", row.outOfPlace);
    add("in_place", row.inPlace);
    return json;
}

} // namespace ns3
