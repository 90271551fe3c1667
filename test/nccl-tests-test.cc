// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The programs of nccl-tests: options, sizes, counts and bandwidths against what the real
 * programs print, and a run's arithmetic against its own records.
 */

#include "program-run.h"

#include "ns3/nccl-tests-config.h"
#include "ns3/nccl-tests-report.h"
#include "ns3/transfer-generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;
using namespace test;

namespace
{

const InputPlace PLACE{"test", 0, "args"};
constexpr uint64_t MIB = 1 << 20;

NcclTestOptions
Parse(const std::string& text)
{
    NcclTestOptions options;
    ParseNcclTestArguments(text, PLACE, options);
    return options;
}

std::string
Refusal(const std::string& text)
{
    try
    {
        CheckNcclTestOptions(Parse(text), PLACE);
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

/// Checks a line that a real program printed: time, and both bandwidths with two decimals.
void
ExpectLine(const char* test, uint64_t bytes, uint32_t ranks, double us, double algbw, double busbw)
{
    SCOPED_TRACE(test);
    const NcclTest& program = *FindNcclTest(test);
    const NcclTestSize size = MakeNcclTestSize(program, bytes, 4, ranks);
    const NcclTestBandwidth bandwidth = GetNcclTestBandwidth(program, size, 4, ranks, us * 1e-6);
    EXPECT_EQ(size.bytes, bytes);
    // The printed time has four digits.
    EXPECT_NEAR(bandwidth.algorithm / 1e9, algbw, algbw * 2e-4 + 0.006);
    EXPECT_NEAR(bandwidth.bus / 1e9, busbw, busbw * 2e-4 + 0.006);
}

} // namespace

TEST(NcclTests, Options)
{
    NcclTestOptions options = Parse("all_reduce_perf -b 8 -e 128M -f 2 -g 8");
    EXPECT_EQ(options.test, "all_reduce_perf");
    EXPECT_EQ(options.gpus, 8u);
    std::vector<uint64_t> sizes = GetNcclTestSizes(options);
    ASSERT_EQ(sizes.size(), 25u); // 2^3 to 2^27
    EXPECT_EQ(sizes.front(), 8u);
    EXPECT_EQ(sizes.back(), 128 * MIB);
    // The programs' own defaults (src/common.cu).
    EXPECT_EQ(options.iterations, 20u);
    EXPECT_EQ(options.warmUp, 1u);
    EXPECT_EQ(options.check, 1u);
    EXPECT_EQ(options.dataType, "float");

    options = Parse("mpirun -np 2 ./build/alltoall_perf_mpi --minbytes=1M -e4M --stepbytes 1M -n 7 "
                    "-w 3 -c 0 -d half -t 2 -g 4 -r -1 -o max -a 3");
    EXPECT_EQ(options.test, "alltoall_perf");
    EXPECT_EQ(options.processes, 2u);
    EXPECT_EQ(GetNcclTestSizes(options), (std::vector<uint64_t>{MIB, 2 * MIB, 3 * MIB, 4 * MIB}));
    EXPECT_EQ(options.iterations, 7u);
    EXPECT_EQ(options.warmUp, 3u);
    EXPECT_EQ(options.check, 0u);
    EXPECT_EQ(options.threads, 2u);
    EXPECT_EQ(options.root, -1);
    EXPECT_EQ(options.average, 3u);
    EXPECT_EQ(GetNcclTypeBytes(options.dataType), 2u);

    // Alone, the programs measure 32 MiB.
    EXPECT_EQ(GetNcclTestSizes(Parse("reduce_perf")), std::vector<uint64_t>{32 * MIB});
}

TEST(NcclTests, WrongOptionsAreNamed)
{
    EXPECT_NE(Refusal("all_reduce_perf -b 8Q").find("8Q"), std::string::npos);
    EXPECT_NE(Refusal("all_reduce_pref").find("did you mean \"all_reduce_perf\""),
              std::string::npos);
    EXPECT_NE(Refusal("all_reduce_perf -e 1K -b 2K").find("above -e"), std::string::npos);
    EXPECT_NE(Refusal("all_reduce_perf -b 0 -e 1M -f 2").find("-b is 0"), std::string::npos);
    EXPECT_NE(Refusal("all_reduce_perf -b 1 -e 1G -i 1").find("too many sizes"), std::string::npos);
    EXPECT_NE(Refusal("all_reduce_perf -n 0").find("-n: 0 is out of range"), std::string::npos);
    EXPECT_NE(Refusal("all_reduce_perf -z 1").find("not simulated"), std::string::npos);
    EXPECT_EQ(Refusal("all_reduce_perf -z 0 -G 0 -m 1 -p 1"), "");
}

/// Lines of real tables (test/data/measured) and of nccl-tests issue 128.
TEST(NcclTests, CountsAndBandwidthsAreThoseOfRealTables)
{
    // Google A4, 16 ranks: "1024  16  float  none", "8589934592  134217728".
    const NcclTest& gather = *FindNcclTest("all_gather_perf");
    EXPECT_EQ(MakeNcclTestSize(gather, 1024, 4, 16).elements, 16u);
    EXPECT_EQ(MakeNcclTestSize(gather, 1024, 4, 16).bytes, 1024u);
    EXPECT_EQ(MakeNcclTestSize(gather, 8589934592, 4, 16).elements, 134217728u);
    // Two ranks: 8 and 16 bytes become "0  0", 32 bytes "32  4".
    EXPECT_EQ(MakeNcclTestSize(gather, 16, 4, 2).bytes, 0u);
    EXPECT_EQ(MakeNcclTestSize(gather, 32, 4, 2).elements, 4u);
    // Issue 128, 8 ranks: five lines "0  0", then "128  4  float  sum".
    const NcclTest& scatter = *FindNcclTest("reduce_scatter_perf");
    EXPECT_EQ(MakeNcclTestSize(scatter, 64, 4, 8).bytes, 0u);
    EXPECT_EQ(MakeNcclTestSize(scatter, 128, 4, 8).elements, 4u);
    // Of an all-reduce the count is that of the buffer.
    EXPECT_EQ(MakeNcclTestSize(*FindNcclTest("all_reduce_perf"), 8, 4, 8).elements, 2u);

    ExpectLine("all_reduce_perf", 1073741824, 8, 4253.0, 252.47, 441.81);   // AWS p5
    ExpectLine("all_reduce_perf", 8589934592, 32, 45606, 188.35, 364.93);   // XE9680
    ExpectLine("reduce_scatter_perf", 134217728, 8, 377.2, 355.81, 311.34); // NCCL issue 1047
    ExpectLine("all_gather_perf", 1073741824, 2, 1186.1, 905.28, 452.64);   // Google A4
    ExpectLine("sendrecv_perf", 1073741824, 8, 5503.4, 195.10, 195.10);     // A100
    ExpectLine("alltoall_perf", 1073741824, 16, 14720.0, 72.94, 68.39);     // Vultr
}

TEST(NcclTests, BandwidthOfTheOthers)
{
    // PERFORMANCE.md: broadcast and reduce have factor 1, gather and scatter (n - 1) / n; the
    // hypercube counts what a rank receives.
    auto of = [](const char* name) {
        const NcclTest& test = *FindNcclTest(name);
        return GetNcclTestBandwidth(test, MakeNcclTestSize(test, 1 << 20, 4, 8), 4, 8, 1.0);
    };
    for (const char* name : {"broadcast_perf", "reduce_perf"})
    {
        EXPECT_DOUBLE_EQ(of(name).algorithm, 1 << 20);
        EXPECT_DOUBLE_EQ(of(name).bus, 1 << 20);
    }
    for (const char* name : {"gather_perf", "scatter_perf"})
    {
        EXPECT_DOUBLE_EQ(of(name).algorithm, 1 << 20);
        EXPECT_DOUBLE_EQ(of(name).bus, (1 << 20) * 7 / 8);
    }
    EXPECT_DOUBLE_EQ(of("hypercube_perf").algorithm, (1 << 20) * 7 / 8);
    EXPECT_DOUBLE_EQ(of("hypercube_perf").bus, (1 << 20) * 7 / 8);
}

TEST(NcclTests, PrintsAsTheProgramsDo)
{
    NcclTestOptions options = Parse("all_reduce_perf");
    NcclTestRow row{};
    row.size = {1073741824, 268435456, 268435456};
    row.root = -1;
    row.outOfPlace = NcclTestHalf{4253.0e-6, {252.47e9, 441.81e9}, 0, {}};
    row.inPlace = NcclTestHalf{15773e-6, {272.29e9, 476.51e9}, std::nullopt, {}};
    std::ostringstream out;
    PrintNcclTestRow(out, options, row);
    // As on AWS p5, but for the columns' distances, which differ between versions.
    std::istringstream in(out.str());
    std::vector<std::string> words;
    for (std::string word; in >> word;)
    {
        words.push_back(word);
    }
    EXPECT_EQ(words,
              (std::vector<std::string>{"1073741824",
                                        "268435456",
                                        "float",
                                        "sum",
                                        "-1",
                                        "4253.00",
                                        "252.47",
                                        "441.81",
                                        "0",
                                        "15773.0",
                                        "272.29",
                                        "476.51",
                                        "N/A"}));
}

TEST(NcclTests, GeneratedTransfersMakeUpTheWhole)
{
    TransfersConfig config;
    config.kind = "hot";
    config.hotRanks = 1;
    config.factor = 3;
    // 6 parts to 4 ranks: 3 to the first, 1 to each other one.
    for (const PointToPoint& transfer : GenerateTransfers(config, 600 * 4, 4, 4))
    {
        EXPECT_EQ(transfer.count, transfer.destination == 0 ? 300u : 100u);
    }
    config.kind = "zipf";
    config.exponent = 1;
    // Shares 12, 6, 4, 3 of 25.
    std::vector<uint64_t> counts;
    for (const PointToPoint& transfer : GenerateTransfers(config, 2500 * 4, 4, 4))
    {
        if (transfer.source == 2)
        {
            counts.push_back(transfer.count);
        }
    }
    EXPECT_EQ(counts, (std::vector<uint64_t>{1200, 600, 400, 300}));
    const auto odd = GenerateTransfers(config, 1001 * 4, 4, 7);
    uint64_t sum = 0;
    for (const PointToPoint& transfer : odd)
    {
        sum += transfer.source == 6 ? transfer.count : 0;
    }
    EXPECT_EQ(sum, 1001u);
}

/// A time is that of all iterations, launched back to back, over their number.
TEST(NcclTests, TimesAreMeansOfIterationsBackToBack)
{
    TemporaryFolder folder;
    folder.Write("s.json",
                 R"({ "topology": { "type": "star", "hosts": 4, "linkRate": "100Gbps" },
                      "jobs": [ { "name": "t", "workload": { "type": "nccl-tests",
                        "args": "all_reduce_perf -b 4K -e 64K -f 16 -n 3 -w 2 -a 3",
                        "algorithm": "ring" } } ],
                      "output": { "messages": false, "report": false } })");
    const ProgramResult run =
        RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_NE(run.output.find("# Avg bus bandwidth"), std::string::npos);
    EXPECT_NE(run.output.find("# Out of bounds values : 0 OK"), std::string::npos);

    const std::vector<CsvRow> rows = ReadCsv(folder.PathOf("r/nccl-tests.csv"));
    const std::vector<CsvRow> records = ReadCsv(folder.PathOf("r/collectives.csv"));
    ASSERT_EQ(rows.size(), 4u);         // two sizes, out of place and in place
    ASSERT_EQ(records.size(), 4u * 5u); // two warm up, three are measured
    for (size_t i = 0; i < rows.size(); ++i)
    {
        EXPECT_EQ(rows[i].at("place"), i % 2 == 0 ? "out-of-place" : "in-place");
        EXPECT_EQ(rows[i].at("wrong"), "0");
        EXPECT_EQ(rows[i].at("algorithm"), "ring");
        EXPECT_EQ(records[5 * i].at("in_place"), i % 2 == 0 ? "no" : "yes");
        // From the end of the warm-up, when all streams are idle, to the end of the last one.
        const long long begin = Picoseconds(records[5 * i + 1].at("end_us"));
        const long long end = Picoseconds(records[5 * i + 4].at("end_us"));
        EXPECT_NEAR(static_cast<double>(Picoseconds(rows[i].at("time_us"))),
                    static_cast<double>(end - begin) / 3,
                    2);
    }
}

/// Ranks 0 to 3 and 4 to 7 beside each other, and each pair across: all run, and say who they are.
TEST(NcclTests, SplitJobsRunBesideEachOther)
{
    TemporaryFolder folder;
    folder.Write("s.json",
                 R"({ "topology": { "type": "star", "hosts": 8, "linkRate": "100Gbps" },
                      "jobs": [
                        { "name": "tp", "split": { "size": 4 }, "workload": { "type": "collective",
                          "op": "all-reduce", "sizes": "1MiB", "algorithm": "ring" } },
                        { "name": "dp", "split": { "size": 2, "by": "stride" }, "workload": {
                          "type": "collective", "op": "all-gather", "sizes": "1MiB",
                          "algorithm": "ring" } } ],
                      "output": { "messages": true, "report": false } })");
    const ProgramResult run =
        RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<std::string> names;
    for (const CsvRow& row : ReadCsv(folder.PathOf("r/collectives.csv")))
    {
        names.push_back(row.at("communicator"));
        EXPECT_EQ(row.at("ranks"), row.at("job") == "tp" ? "4" : "2");
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"dp.0", "dp.1", "dp.2", "dp.3", "tp.0", "tp.1"}));
    // What a rank sends: 2 (n - 1) / n of the buffer, and (n - 1) / n.
    std::map<std::string, uint64_t> sent;
    std::map<std::string, std::set<std::string>> pairs;
    for (const CsvRow& row : ReadCsv(folder.PathOf("r/messages.csv")))
    {
        if (row.at("bytes") == "64")
        {
            continue; // a receiver's clear-to-send
        }
        sent[row.at("job")] += std::stoull(row.at("bytes"));
        pairs[row.at("job")].insert(row.at("source") + ">" + row.at("destination"));
    }
    EXPECT_EQ(sent["tp"], 8 * MIB * 2 * 3 / 4);
    EXPECT_EQ(sent["dp"], 8 * MIB * 1 / 2);
    EXPECT_EQ(pairs["tp"].size(), 8u); // two rings of four
    EXPECT_EQ(pairs["dp"].size(), 8u); // four pairs, both ways
    EXPECT_EQ(pairs["dp"].count("host0>host4"), 1u);
}
