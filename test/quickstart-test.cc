// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The quickstart, run as a user runs it: what its numbers must be, and why.
 */

#include "program-run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace test;

namespace
{

const std::string SCENARIO = AI_FABRIC_SOURCE_DIR "/examples/scenarios/quickstart.json";

/// Sizes 1 MiB, 2 MiB, ... 256 MiB.
constexpr uint64_t SUM_OF_SIZES = (uint64_t{1} << 20) * ((1 << 9) - 1);

} // namespace

TEST(Quickstart, IsWhatTheHardwareAllows)
{
    TemporaryFolder folder;
    ProgramResult run = RunProgram("run " + SCENARIO + " --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    auto summary = nlohmann::json::parse(ReadBytes(folder.PathOf("r/summary.json")));
    auto collectives = summary["collectives"];
    ASSERT_EQ(collectives.size(), 9u);

    // 8 NICs of 400 Gb/s carry 50 GB/s each; of a frame's 4178 bytes on the wire (preamble 8,
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, payload 4096, ICRC 4, FCS 4, gap 12) 4096 are payload:
    // 392.2 GB/s, less than the scale-up's 450.
    double bound = std::min(450.0, 8 * 50.0 * 4096 / 4178);
    double measured = collectives[8]["busbw_gbytes_per_s"];
    EXPECT_EQ(collectives[8]["bytes"], 1 << 28);
    EXPECT_GT(measured, 0.9 * bound);
    EXPECT_LE(measured, bound);
    for (size_t i = 1; i < collectives.size(); ++i)
    {
        // Latency is paid once, so that a larger size has a higher bandwidth.
        EXPECT_GT(collectives[i]["busbw_gbytes_per_s"], collectives[i - 1]["busbw_gbytes_per_s"]);
    }
    EXPECT_EQ(summary["fabric"]["drops"], 0);
    EXPECT_EQ(summary["fabric"]["lost_frames"], 0);
    EXPECT_EQ(summary["fabric"]["retransmitted_frames"], 0);

    // A ring edge carries 2 (n - 1) / n of a channel's share, and each of the 8 channels leaves a
    // server by a NIC of its own.
    uint64_t perNic = SUM_OF_SIZES * 2 * 15 / 16 / 8;
    // Inside a server 7 of the 8 GPUs pass a channel on to their neighbour; over 8 channels that
    // takes turns, so that each GPU's port sends 7 channels' shares.
    uint64_t perGpu = 7 * perNic;
    size_t nics = 0;
    size_t gpus = 0;
    uint64_t clearToSend = 0;
    for (const CsvRow& row : ReadCsv(folder.PathOf("r/links.csv")))
    {
        EXPECT_EQ(row.at("drops"), "0");
        if (row.at("port").rfind("server", 0) != 0)
        {
            continue;
        }
        if (row.at("port").find("/gpu") != std::string::npos)
        {
            EXPECT_EQ(row.at("tx_payload_bytes"), std::to_string(perGpu)) << row.at("port");
            ++gpus;
        }
        else if (row.at("port").find('/') == std::string::npos)
        {
            // Besides, the 64 bytes of a clear-to-send for each message that it receives.
            uint64_t sent = std::stoull(row.at("tx_payload_bytes"));
            EXPECT_GT(sent, perNic) << row.at("port");
            EXPECT_EQ((sent - perNic) % 64, 0u) << row.at("port");
            clearToSend += sent - perNic;
            ++nics;
        }
    }
    EXPECT_EQ(nics, 16u);
    EXPECT_EQ(gpus, 16u);
    ExpectClearToSend(clearToSend, ReadCsv(folder.PathOf("r/messages.csv")));
}

TEST(Quickstart, TheTimeOfEveryMessageIsExplained)
{
    TemporaryFolder folder;
    ProgramResult run =
        RunProgram("run " + SCENARIO + " --set jobs[0].workload.sizes=1MiB:8MiB:2 --quiet --out " +
                   folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    auto rows = ReadCsv(folder.PathOf("r/messages.csv"));
    ASSERT_GT(rows.size(), 1000u);
    for (const CsvRow& row : rows)
    {
        long long parts = 0;
        for (const char* part : {"serialization_us",
                                 "propagation_us",
                                 "queueing_us",
                                 "pause_us",
                                 "congestion_control_us",
                                 "window_us",
                                 "nic_contention_us",
                                 "host_interface_us",
                                 "retransmission_us"})
        {
            long long share = Picoseconds(row.at(part));
            EXPECT_GE(share, 0) << part << " of message " << row.at("id");
            parts += share;
        }
        EXPECT_EQ(parts, Picoseconds(row.at("completion_us"))) << "message " << row.at("id");
        EXPECT_EQ(Picoseconds(row.at("end_us")) - Picoseconds(row.at("start_us")),
                  Picoseconds(row.at("completion_us")));
        EXPECT_GE(Picoseconds(row.at("completion_us")), Picoseconds(row.at("ideal_us")));
    }
}

TEST(Quickstart, TheSameTwice)
{
    TemporaryFolder folder;
    for (const char* name : {"a", "b"})
    {
        ProgramResult run = RunProgram("run " + SCENARIO +
                                       " --set jobs[0].workload.sizes=1MiB:4MiB:2 --quiet --out " +
                                       folder.PathOf(name));
        ASSERT_EQ(run.status, 0) << run.output;
    }
    for (const char* file : {"messages.csv", "collectives.csv", "links.csv", "summary.json"})
    {
        std::string a = ReadBytes(folder.PathOf(std::string("a/") + file));
        EXPECT_FALSE(a.empty()) << file;
        EXPECT_EQ(a, ReadBytes(folder.PathOf(std::string("b/") + file))) << file;
    }
}

TEST(Quickstart, QueuesAreSampledBesideScaleUpLinks)
{
    // The scale-up switches are no vertices of the graph; queues.csv has the fabric's switches.
    TemporaryFolder folder;
    ProgramResult run = RunProgram("run " + SCENARIO + " --set jobs.0.workload.sizes=[4194304]" +
                                   " --set output.sample=1us --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<CsvRow> rows = ReadCsv(folder.PathOf("r/queues.csv"));
    EXPECT_FALSE(rows.empty());
    for (const CsvRow& row : rows)
    {
        EXPECT_EQ(row.at("port").rfind("pod0-", 0), 0u) << row.at("port");
    }
}

TEST(Quickstart, IdealTimesFollowTheFramesThatWereInstalled)
{
    // Alone in its fabric a message takes its ideal time, also where an attribute set the MTU.
    TemporaryFolder folder;
    folder.Write("s.json",
                 R"({"topology": {"type": "star", "hosts": 2},
                     "attributes": {"ns3::QueuePair::Mtu": "1024"},
                     "jobs": [{"workload": {"type": "flows", "flows": [
                       {"source": 0, "destination": 1, "bytes": "1MiB"}]}}]})");
    ProgramResult run =
        RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    auto rows = ReadCsv(folder.PathOf("r/messages.csv"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("completion_us"), rows[0].at("ideal_us"));
}

TEST(Quickstart, ManifestSaysHowToRunItAgain)
{
    TemporaryFolder folder;
    ProgramResult run = RunProgram("run " + SCENARIO +
                                   " --set jobs[0].workload.sizes=1MiB --seed 7 --quiet --out " +
                                   folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    auto manifest = nlohmann::json::parse(ReadBytes(folder.PathOf("r/manifest.json")));
    EXPECT_EQ(manifest["seed"], 7);
    EXPECT_EQ(manifest["resolved"]["seed"], 7);
    EXPECT_EQ(manifest["inputs"][0]["sha1"].get<std::string>().size(), 40u);
    EXPECT_FALSE(manifest["ns3_version"].get<std::string>().empty());
}
