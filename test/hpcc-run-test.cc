// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Input files of the HPCC family, run as they are, beside what another simulator of that
 * family found on the same files.
 *
 * The peer's figures are flow completion times (ns) of astra-sim/astra-network-ns3 at 8fd3604,
 * compiled with -O3, PFC alone (ENABLE_QCN 0). It sends 1000 B of payload in frames of 1036 B,
 * acknowledgements of 60 B, and nothing for preamble and gap, hence --wire 36,60,0,0.
 */

#include "program-run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace test;

namespace
{

const char* const CONFIG = "ENABLE_QCN 0\n"
                           "USE_DYNAMIC_PFC_THRESHOLD 1\n"
                           "PACKET_PAYLOAD_SIZE 1000\n"
                           "TOPOLOGY_FILE topology.txt\n"
                           "FLOW_FILE flow.txt\n"
                           "TRACE_FILE trace.txt\n"
                           "TRACE_OUTPUT_FILE out.tr\n"
                           "FCT_OUTPUT_FILE out.fct\n"
                           "PFC_OUTPUT_FILE out.pfc\n"
                           "SIMULATOR_STOP_TIME 1.0\n"
                           "CC_MODE 1\n"
                           "RATE_AI 20Mb/s\n"
                           "RATE_HAI 200Mb/s\n"
                           "RP_TIMER 300\n"
                           "EWMA_GAIN 0.00390625\n"
                           "FAST_RECOVERY_TIMES 1\n"
                           "L2_CHUNK_SIZE 4000\n"
                           "L2_ACK_INTERVAL 1\n"
                           "L2_BACK_TO_ZERO 0\n"
                           "HAS_WIN 0\n"
                           "ACK_HIGH_PRIO 0\n"
                           "ENABLE_TRACE 0\n"
                           "KMAX_MAP 1 100000000000 1600\n"
                           "KMIN_MAP 1 100000000000 400\n"
                           "PMAX_MAP 1 100000000000 0.2\n"
                           "BUFFER_SIZE 32\n";

/// Completion times by source, destination and start (all in ns).
using Times = std::map<std::tuple<int, int, long long>, double>;

int
NodeOf(const std::string& hexAddress)
{
    return static_cast<int>((std::stoul(hexAddress, nullptr, 16) - 0x0b000001) / 256);
}

Times
ReadFct(const std::string& path)
{
    Times times;
    for (const auto& words : ReadWords(path))
    {
        EXPECT_EQ(words.size(), 8u);
        times[{NodeOf(words[0]), NodeOf(words[1]), std::stoll(words[5])}] = std::stod(words[6]);
    }
    return times;
}

/// A fabric of 100 Gb/s links of 1 us and flows on it.
struct Case
{
    std::string topology; ///< first two lines
    std::vector<std::pair<int, int>> links;
    std::string flows;
    Times peer;
};

void
ExpectAgreement(const Case& c, double tolerance)
{
    TemporaryFolder folder;
    folder.Write("config.txt", CONFIG);
    folder.Write("trace.txt", "0\n");
    folder.Write("flow.txt", c.flows);
    std::ostringstream topology;
    topology << c.topology;
    for (auto [a, b] : c.links)
    {
        topology << a << " " << b << " 100Gbps 0.001ms 0\n";
    }
    folder.Write("topology.txt", topology.str());
    ProgramResult run = RunProgram("run --hpcc " + folder.PathOf("config.txt") +
                                   " --wire 36,60,0,0 --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_NE(run.output.find("drops = 0"), std::string::npos) << run.output;
    Times ours = ReadFct(folder.PathOf("r/fct.txt"));
    ASSERT_EQ(ours.size(), c.peer.size());
    for (const auto& [flow, time] : c.peer)
    {
        ASSERT_TRUE(ours.count(flow));
        EXPECT_NEAR(ours[flow] / time, 1.0, tolerance)
            << std::get<0>(flow) << " to " << std::get<1>(flow);
    }
    // PFC held the senders: a pause and a resume for each, "time node type port pause".
    auto pauses = ReadWords(folder.PathOf("r/pfc.txt"));
    ASSERT_FALSE(pauses.empty());
    for (const auto& words : pauses)
    {
        ASSERT_EQ(words.size(), 5u);
    }
}

} // namespace

TEST(HpccRun, FourFlowsOverOneLinkAgreeWithThePeer)
{
    // Two switches with four hosts each and one link between them; flows start 0.5 ms apart.
    ExpectAgreement({"10 2 9\n8 9\n",
                     {{8, 0}, {8, 1}, {8, 2}, {8, 3}, {9, 4}, {9, 5}, {9, 6}, {9, 7}, {8, 9}},
                     "4\n0 4 3 100 20000000 0.0\n1 5 3 100 20000000 0.0005\n"
                     "2 6 3 100 20000000 0.001\n3 7 3 100 20000000 0.0015\n",
                     {{{0, 4, 0}, 3971835},
                      {{1, 5, 500000}, 4931141},
                      {{2, 6, 1000000}, 5434943},
                      {{3, 7, 1500000}, 5146178}}},
                    0.01);
}

TEST(HpccRun, ParkingLotAgreesWithThePeer)
{
    // Three switches in a row with two hosts each; one flow crosses both links, two cross one.
    ExpectAgreement({"9 3 8\n6 7 8\n",
                     {{6, 0}, {6, 1}, {7, 2}, {7, 3}, {8, 4}, {8, 5}, {6, 7}, {7, 8}},
                     "3\n0 5 3 100 10000000 0.0\n1 3 3 100 10000000 0.0\n2 4 3 100 10000000 0.0\n",
                     {{{2, 4, 0}, 1250597}, {{1, 3, 0}, 1666178}, {{0, 5, 0}, 1668182}}},
                    0.01);
}

TEST(HpccRun, IncastAgreesWithThePeer)
{
    Case c{"17 1 16\n16\n", {}, "15\n", {}};
    // The peer's completion times by source, ns.
    const double peer[] = {4971973,
                           4983510,
                           4980937,
                           4973882,
                           4974961,
                           4976787,
                           4982763,
                           4981020,
                           4968072,
                           4984091,
                           4961764,
                           4971558,
                           4981850,
                           4983925,
                           4972139};
    for (int h = 0; h < 16; ++h)
    {
        c.links.push_back({h, 16});
    }
    for (int h = 0; h < 15; ++h)
    {
        c.flows += std::to_string(h) + " 15 3 100 4000000 0.0\n";
        c.peer[{h, 15, 0}] = peer[h];
    }
    ExpectAgreement(c, 0.01);
}

TEST(HpccRun, OneFlowTakesTheClosedForm)
{
    // 10 frames of 1000 B over two links of 100 Gb/s and 1 us, real RoCEv2 frames: each 1082 B on
    // the wire (82 besides the payload), the first 16 more (RETH), no gap after the last; the
    // largest once more at the switch (8 + 62 + 16 + 1000), 4 us of cable, and an ACK of 74 B
    // twice. Times in fct.txt are whole nanoseconds, rounded down.
    double bytes = 9 * 1082 + 16 + 1070 + 1086 + 2 * 74;
    auto expected = static_cast<long long>(bytes * 0.08) + 4000;
    TemporaryFolder folder;
    folder.Write("config.txt", CONFIG);
    folder.Write("trace.txt", "0\n");
    folder.Write("flow.txt", "1\n0 1 3 100 10000 0.00001\n");
    folder.Write("topology.txt", "3 1 2\n2\n2 0 100Gbps 0.001ms 0\n2 1 100Gbps 0.001ms 0\n");
    ProgramResult run = RunProgram("run --hpcc " + folder.PathOf("config.txt") + " --quiet --out " +
                                   folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    auto lines = ReadWords(folder.PathOf("r/fct.txt"));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0],
              (std::vector<std::string>{"0b000001",
                                        "0b000101",
                                        "10000",
                                        "100",
                                        "10000",
                                        "10000",
                                        std::to_string(expected),
                                        std::to_string(expected)}));
}

TEST(HpccRun, UnknownCongestionControlIsNamed)
{
    TemporaryFolder folder;
    std::string config = CONFIG;
    config.replace(config.find("ENABLE_QCN 0"), 12, "ENABLE_QCN 1");
    config.replace(config.find("CC_MODE 1"), 9, "CC_MODE 4");
    folder.Write("config.txt", config);
    folder.Write("trace.txt", "0\n");
    folder.Write("flow.txt", "1\n0 1 3 100 10000 0.0\n");
    folder.Write("topology.txt", "3 1 2\n2\n2 0 100Gbps 0.001ms 0\n2 1 100Gbps 0.001ms 0\n");
    ProgramResult run =
        RunProgram("run --hpcc " + folder.PathOf("config.txt") + " --out " + folder.PathOf("r"));
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("config.txt:11: CC_MODE: 4 does not exist"), std::string::npos)
        << run.output;
}

TEST(HpccRun, SampledFeedbackIsRefused)
{
    TemporaryFolder folder;
    std::string config = CONFIG;
    config.replace(config.find("CC_MODE 1"), 9, "CC_MODE 3");
    folder.Write("config.txt", config + "SAMPLE_FEEDBACK 1\n");
    folder.Write("trace.txt", "0\n");
    folder.Write("flow.txt", "1\n0 1 3 100 10000 0.0\n");
    folder.Write("topology.txt", "3 1 2\n2\n2 0 100Gbps 0.001ms 0\n2 1 100Gbps 0.001ms 0\n");
    ProgramResult run =
        RunProgram("run --hpcc " + folder.PathOf("config.txt") + " --out " + folder.PathOf("r"));
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("SAMPLE_FEEDBACK: 1"), std::string::npos) << run.output;
}

TEST(HpccRun, OneFlowIsAloneInEveryMode)
{
    // As OneFlowTakesTheClosedForm: 10 frames over two links, and nobody to give way to. Telemetry
    // makes frames longer. HPCC: 2 B on the first link, 8 more on the second one, and the
    // acknowledgement has all 10. HPCC-PINT: 1 B everywhere. The second link, whose frames are as
    // long or longer, never waits after the first frame.
    struct Mode
    {
        const char* number;
        int first;  ///< bytes of telemetry on the first link
        int second; ///< on the second one, and in the acknowledgement
    };

    for (const Mode& mode :
         {Mode{"1", 0, 0}, {"3", 2, 10}, {"7", 0, 0}, {"8", 0, 0}, {"10", 1, 1}, {"12", 0, 0}})
    {
        SCOPED_TRACE(std::string("CC_MODE ") + mode.number);
        TemporaryFolder folder;
        folder.Write("config.txt", CONFIG);
        folder.Write("trace.txt", "0\n");
        folder.Write("flow.txt", "1\n0 1 3 100 10000 0.00001\n");
        folder.Write("topology.txt", "3 1 2\n2\n2 0 100Gbps 0.001ms 0\n2 1 100Gbps 0.001ms 0\n");
        ProgramResult run = RunProgram("run --hpcc " + folder.PathOf("config.txt") +
                                       " --set ENABLE_QCN=1 --set CC_MODE=" + mode.number +
                                       " --set HAS_WIN=1 --quiet --out " + folder.PathOf("r"));
        ASSERT_EQ(run.status, 0) << run.output;
        double bytes = 8 + 62 + 16 + 1000 + mode.first       // the first frame, first link
                       + 10 * (1082 + mode.second) + 16 - 12 // all of them, second link
                       + 2 * (74 + mode.second);             // the acknowledgement
        auto lines = ReadWords(folder.PathOf("r/fct.txt"));
        ASSERT_EQ(lines.size(), 1u);
        EXPECT_EQ(std::stoll(lines[0][6]), static_cast<long long>(bytes * 0.08) + 4000);
    }
}

TEST(HpccRun, FacebookLoadAgreesFlowByFlow)
{
    // 1126 flows of the FB_Hadoop distribution at 50 % load on a star of 32 hosts.
    const std::string shared = AI_FABRIC_SOURCE_DIR "/../shared/data/peer-results/fb50_star32/";
    if (!std::filesystem::exists(shared + "none.config.txt"))
    {
        GTEST_SKIP() << "the peer's per-flow results are not at " << shared;
    }
    TemporaryFolder folder;
    // Its switches put acknowledgements into the class of the data whatever ACK_HIGH_PRIO says.
    ProgramResult run =
        RunProgram("run --hpcc " + shared + "none.config.txt --set ACK_HIGH_PRIO=0" +
                   " --wire 36,60,0,0 --quiet --out " + folder.PathOf("r"));
    ASSERT_EQ(run.status, 0) << run.output;
    std::map<std::vector<int>, double> peer; // by source, destination, source port
    for (const auto& words : ReadWords(shared + "none.fct.txt"))
    {
        peer[{std::stoi(words[0]), std::stoi(words[1]), std::stoi(words[2])}] = std::stod(words[6]);
    }
    std::vector<double> ratios;
    for (const auto& words : ReadWords(folder.PathOf("r/fct.txt")))
    {
        auto found = peer.find({NodeOf(words[0]), NodeOf(words[1]), std::stoi(words[2])});
        ASSERT_NE(found, peer.end());
        ratios.push_back(std::stod(words[6]) / found->second);
    }
    ASSERT_EQ(ratios.size(), peer.size());
    std::sort(ratios.begin(), ratios.end());
    auto at = [&](double p) {
        return ratios[static_cast<size_t>(p * static_cast<double>(ratios.size()))];
    };
    EXPECT_NEAR(at(0.5), 1.0, 0.01);
    EXPECT_GT(at(0.1), 0.95);
    EXPECT_LT(at(0.9), 1.05);
}
