// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Congestion controls of the HPCC family, run on its own configurations, beside what another
 * simulator of that family found: slowdowns by flow size.
 *
 * The peer is astra-sim/astra-network-ns3 at 8fd3604, compiled with -O3. Slowdowns of both sides
 * are over the same ideal time, the family's own formula; frame sizes are the peer's. What the two
 * do differently, and what the numbers say: doc/peer-comparison.rst.
 */

#include "program-run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iomanip>
#include <map>
#include <numeric>
#include <sstream>

using namespace test;

namespace
{

/// Source, destination, source port.
using FlowKey = std::vector<int>;

struct Flow
{
    double bytes;
    double durationNs;
};

using Flows = std::map<FlowKey, Flow>;

/// All links of these scenarios: 100 Gb/s and 1 us.
constexpr double NS_PER_BYTE = 0.08;
constexpr double DELAY_NS = 1000;
constexpr double PAYLOAD_BYTES = 1000;

int
NodeOf(const std::string& text)
{
    bool address = text.size() == 8; // ours are 0b000001 + 256 n, the peer's are n
    return address ? static_cast<int>((std::stoul(text, nullptr, 16) - 0x0b000001) / 256)
                   : std::stoi(text);
}

Flows
ReadFlows(const std::string& path)
{
    Flows flows;
    for (const auto& words : ReadWords(path))
    {
        flows[{NodeOf(words.at(0)), NodeOf(words.at(1)), std::stoi(words.at(2))}] = {
            std::stod(words.at(4)),
            std::stod(words.at(6))};
    }
    return flows;
}

/// @return the family's ideal: 2 x propagation, a payload on each link, all bytes on one of them
double
IdealNs(double bytes, int links)
{
    return links * (2 * DELAY_NS + PAYLOAD_BYTES * NS_PER_BYTE) +
           (bytes - PAYLOAD_BYTES) * NS_PER_BYTE;
}

struct Summary
{
    size_t flows;
    double mean;
    double p99;
};

/// Slowdowns of the flows of some sizes. @param links that each flow passes
Summary
Summarize(const Flows& flows, double from, double below, int links)
{
    std::vector<double> slowdowns;
    for (const auto& [key, flow] : flows)
    {
        if (flow.bytes >= from && flow.bytes < below)
        {
            slowdowns.push_back(flow.durationNs / IdealNs(flow.bytes, links));
        }
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    auto count = static_cast<double>(slowdowns.size());
    size_t rank = std::min(slowdowns.size() - 1, static_cast<size_t>(0.99 * count));
    return {slowdowns.size(),
            std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) / count,
            slowdowns[rank]};
}

/// Options that make our frames as large as the peer's: 36 B of headers and an acknowledgement of
/// 48 B, no preamble, no gap. Its telemetry has room for five hops from the start, 42 B; ours has
/// 10 B after the first switch, and the difference is added.
std::string
WireOf(const std::string& algorithm)
{
    return algorithm == "hpcc" ? "68,66,0,0" : "36,48,0,0";
}

/// @param config path @param algorithm short name @param extra options @return flows, if it ran
Flows
RunOurs(const std::string& config, const std::string& algorithm, const std::string& extra = "")
{
    TemporaryFolder folder;
    // The peer's switches put acknowledgements into the class of the data whatever ACK_HIGH_PRIO
    // says: its program never tells them.
    ProgramResult run =
        RunProgram("run --hpcc " + config + " --set ACK_HIGH_PRIO=0 --wire " + WireOf(algorithm) +
                   " --quiet --out " + folder.PathOf("r") + extra);
    EXPECT_EQ(run.status, 0) << run.output;
    return run.status == 0 ? ReadFlows(folder.PathOf("r/fct.txt")) : Flows{};
}

// ---------------------------------------------------------------- small, with inputs of our own

/// Links of 100 Gb/s and 1 us, flows that are quickly written, and what the peer found.
struct SmallCase
{
    const char* name;
    std::string topology; ///< its first two lines
    std::vector<std::pair<int, int>> links;
    std::string flows;
    std::vector<FlowKey> keys;                       ///< in the order of the times
    std::map<std::string, std::vector<double>> peer; ///< completion times by algorithm, ns
    double dcqcnMean;    ///< under DCQCN, of fifteen runs of the peer (RngRun 1 to 15) the median:
                         ///< of the flows' mean, ns
    double dcqcnSlowest; ///< and of the slowest flow
};

/// Four flows of 20 MB, each half a millisecond after the one before, over one link between two
/// switches.
SmallCase
Fair4()
{
    SmallCase c{"fair4", "10 2 9\n8 9\n", {{8, 9}}, "4\n", {}, {}, 0, 0};
    for (int h = 0; h < 8; ++h)
    {
        c.links.push_back({8 + h / 4, h});
    }
    for (int f = 0; f < 4; ++f)
    {
        c.flows += std::to_string(f) + " " + std::to_string(4 + f) + " 3 100 20000000 " +
                   std::to_string(0.0005 * f) + "\n";
        c.keys.push_back({f, 4 + f, 10000});
    }
    c.peer["hpcc"] = {6443526, 6788812, 6171357, 5519272};
    c.peer["dctcp"] = {4470997, 5476783, 5478933, 5146178};
    c.dcqcnMean = 6354982;
    c.dcqcnSlowest = 7440031;
    return c;
}

/// A flow over two links, each of which it shares with a flow that has only this one.
SmallCase
Parking()
{
    SmallCase c{"parking", "9 3 8\n6 7 8\n", {{6, 7}, {7, 8}}, "3\n", {}, {}, 0, 0};
    for (int h = 0; h < 6; ++h)
    {
        c.links.push_back({6 + h / 2, h});
    }
    c.flows += "0 5 3 100 10000000 0\n1 3 3 100 10000000 0\n2 4 3 100 10000000 0\n";
    c.keys = {{0, 5, 10000}, {1, 3, 10000}, {2, 4, 10000}};
    c.peer["hpcc"] = {1896799, 1264176, 1262256};
    c.peer["dctcp"] = {1668265, 1327289, 1322309};
    c.dcqcnMean = 2172529;
    c.dcqcnSlowest = 2436492;
    return c;
}

/// Fifteen flows of 4 MB to one host at once.
SmallCase
Incast15()
{
    SmallCase c{"incast15", "17 1 16\n16\n", {}, "15\n", {}, {}, 0, 0};
    for (int h = 0; h < 16; ++h)
    {
        c.links.push_back({16, h});
    }
    for (int h = 0; h < 15; ++h)
    {
        c.flows += std::to_string(h) + " 15 3 100 4000000 0\n";
        c.keys.push_back({h, 15, 10000});
    }
    c.peer["hpcc"] = {5354490,
                      5475308,
                      2739652,
                      4961885,
                      4781290,
                      5315225,
                      4880233,
                      5391856,
                      5285569,
                      5246776,
                      3782556,
                      5485228,
                      4330528,
                      5472956,
                      4822179};
    c.peer["dctcp"] = {4357856,
                       4586438,
                       4873784,
                       4760572,
                       4591003,
                       4477625,
                       4475799,
                       4783397,
                       4859674,
                       4890799,
                       4943919,
                       5003356,
                       4938109,
                       4919766,
                       4957282};
    c.dcqcnMean = 5985546;
    c.dcqcnSlowest = 6420890;
    return c;
}

/// What run.py of the family's first simulator writes for an algorithm at 100 Gb/s.
std::string
ConfigOf(const std::string& algorithm)
{
    std::string text = "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000\n"
                       "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nSIMULATOR_STOP_TIME 1.0\n"
                       "ALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\n"
                       "FAST_RECOVERY_TIMES 1\nMIN_RATE 100Mb/s\nDCTCP_RATE_AI 615Mb/s\n"
                       "L2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1\nGLOBAL_T 1\nU_TARGET 0.95\n"
                       "MI_THRESH 0\nMULTI_RATE 0\nENABLE_TRACE 0\nBUFFER_SIZE 32\n";
    if (algorithm == "hpcc")
    {
        return text + "CC_MODE 3\nRATE_AI 40Mb/s\nHAS_WIN 1\nVAR_WIN 1\nFAST_REACT 1\nINT_MULTI 4\n"
                      "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
                      "PMAX_MAP 1 100000000000 0.2\n";
    }
    if (algorithm == "dctcp")
    {
        return text + "CC_MODE 8\nEWMA_GAIN 0.0625\nHAS_WIN 1\nVAR_WIN 1\n"
                      "KMAX_MAP 1 100000000000 300\nKMIN_MAP 1 100000000000 300\n"
                      "PMAX_MAP 1 100000000000 1.0\n";
    }
    return text + "CC_MODE 1\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\nHAS_WIN 0\n"
                  "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
                  "PMAX_MAP 1 100000000000 0.2\n";
}

/// @return completion times in the order of the case's keys, ns
std::vector<double>
RunSmall(const SmallCase& c, const std::string& algorithm)
{
    TemporaryFolder folder;
    std::string topology = c.topology;
    for (const auto& [a, b] : c.links)
    {
        topology += std::to_string(a) + " " + std::to_string(b) + " 100Gbps 0.001ms 0\n";
    }
    folder.Write("config.txt", ConfigOf(algorithm));
    folder.Write("topology.txt", topology);
    folder.Write("flow.txt", c.flows);
    Flows flows = RunOurs(folder.PathOf("config.txt"), algorithm);
    std::vector<double> times;
    for (const FlowKey& key : c.keys)
    {
        times.push_back(flows.at(key).durationNs);
    }
    return times;
}

double
MeanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(PeerResults, FlowsThatAreNotAlikeEndWhenThePeersDo)
{
    for (const SmallCase& c : {Fair4(), Parking()})
    {
        for (const char* algorithm : {"hpcc", "dctcp"})
        {
            SCOPED_TRACE(std::string(c.name) + " " + algorithm);
            std::vector<double> ours = RunSmall(c, algorithm);
            const std::vector<double>& peers = c.peer.at(algorithm);
            for (size_t i = 0; i < peers.size(); ++i)
            {
                EXPECT_NEAR(ours[i] / peers[i], 1, 0.05) << "flow " << i;
            }
        }
    }
}

TEST(PeerResults, OfFlowsThatAreAlikeMeanAndSlowestAgree)
{
    // Which of fifteen equal flows is first is chance.
    for (const SmallCase& c : {Fair4(), Parking(), Incast15()})
    {
        for (const char* algorithm : {"hpcc", "dctcp"})
        {
            SCOPED_TRACE(std::string(c.name) + " " + algorithm);
            std::vector<double> ours = RunSmall(c, algorithm);
            const std::vector<double>& peers = c.peer.at(algorithm);
            EXPECT_NEAR(MeanOf(ours) / MeanOf(peers), 1, 0.05);
            EXPECT_NEAR(*std::max_element(ours.begin(), ours.end()) /
                            *std::max_element(peers.begin(), peers.end()),
                        1,
                        0.06);
        }
    }
}

double
MedianOf(std::vector<double> values)
{
    auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

TEST(PeerResults, UnderDcqcnWhoseMarksAreDrawnTheMediansOfRunsAgree)
{
    constexpr int RUNS = 9;
    for (const SmallCase& c : {Fair4(), Parking(), Incast15()})
    {
        SCOPED_TRACE(c.name);
        std::vector<double> means;
        std::vector<double> slowest;
        for (int run = 1; run <= RUNS; ++run)
        {
            setenv("NS_GLOBAL_VALUE", ("RngRun=" + std::to_string(run)).c_str(), 1);
            std::vector<double> times = RunSmall(c, "dcqcn");
            means.push_back(MeanOf(times));
            slowest.push_back(*std::max_element(times.begin(), times.end()));
        }
        unsetenv("NS_GLOBAL_VALUE");
        EXPECT_NEAR(MedianOf(means) / c.dcqcnMean, 1, 0.02);
        EXPECT_NEAR(MedianOf(slowest) / c.dcqcnSlowest, 1, 0.03);
    }
}

TEST(PeerResults, AFlowAloneUnderHpccTakesThePeersNanoseconds)
{
    // Telemetry makes a frame of 1070 B one of 1078 B in the switch: 86 ns, not 86 and 1.
    const std::map<int, double> peers{{1000, 4184}, {10000, 4958}, {20000, 5818}, {30753, 6744}};
    setenv("NS_ATTRIBUTE_DEFAULT", "ns3::FabricNetDevice::WholeNanoseconds=true", 1);
    for (const auto& [bytes, peersNs] : peers)
    {
        SmallCase c{"alone", "3 1 2\n2\n", {{2, 0}, {2, 1}}, "", {{0, 1, 10000}}, {}, 0, 0};
        c.flows = "1\n0 1 3 100 " + std::to_string(bytes) + " 0\n";
        EXPECT_EQ(RunSmall(c, "hpcc"), std::vector<double>{peersNs}) << bytes;
    }
    unsetenv("NS_ATTRIBUTE_DEFAULT");
}

// ---------------------------------------------------------------- large, with the peer's inputs

/// A scenario and an algorithm, and how close its slowdowns are to be.
struct LargeCase
{
    const char* scenario;
    const char* algorithm;
    double meanBand; ///< of the mean of each bin
    double p99Band;  ///< of the 99th percentile of each bin; see doc/peer-comparison.rst
};

/// @param scenario a folder of the peer's results @return its path; empty: they are not there
std::string
SharedFolder(const std::string& scenario)
{
    std::string folder = AI_FABRIC_SOURCE_DIR "/../shared/data/peer-results/" + scenario + "/";
    return std::filesystem::exists(folder + "flow.txt") ? folder : "";
}

/// @param scenario a folder of the peer's results @return limits of the sizes that make a bin
std::vector<double>
BoundsOf(const std::string& scenario)
{
    return scenario == "fb50_star32"
               ? std::vector<double>{0, 500, 1e3, 5e3, 20e3, 100e3, 1e6, INFINITY}
               : std::vector<double>{0, 20e3, 100e3, 500e3, 2e6, 5e6, INFINITY};
}

constexpr int LINKS_OF_A_STAR = 2;

class LargePeerResults : public testing::TestWithParam<LargeCase>
{
};

TEST_P(LargePeerResults, SlowdownsOfEachSizeAgree)
{
    const LargeCase& c = GetParam();
    const std::string shared = SharedFolder(c.scenario);
    if (shared.empty())
    {
        GTEST_SKIP() << "the peer's per-flow results are not in ../shared/data/peer-results";
    }
    Flows peers = ReadFlows(shared + c.algorithm + ".fct.txt");
    Flows ours = RunOurs(shared + c.algorithm + ".config.txt", c.algorithm);
    ASSERT_EQ(ours.size(), peers.size());
    const std::vector<double> bounds = BoundsOf(c.scenario);
    for (size_t i = 0; i + 1 < bounds.size(); ++i)
    {
        SCOPED_TRACE("from " + std::to_string(bounds[i]) + " B");
        Summary theirs = Summarize(peers, bounds[i], bounds[i + 1], LINKS_OF_A_STAR);
        Summary found = Summarize(ours, bounds[i], bounds[i + 1], LINKS_OF_A_STAR);
        ASSERT_EQ(found.flows, theirs.flows);
        EXPECT_NEAR(found.mean / theirs.mean, 1, c.meanBand);
        EXPECT_NEAR(found.p99 / theirs.p99, 1, c.p99Band);
    }
    Summary theirs = Summarize(peers, 0, INFINITY, LINKS_OF_A_STAR);
    Summary found = Summarize(ours, 0, INFINITY, LINKS_OF_A_STAR);
    EXPECT_NEAR(found.mean / theirs.mean, 1, 0.05);
}

INSTANTIATE_TEST_SUITE_P(All,
                         LargePeerResults,
                         testing::Values(LargeCase{"fb50_star32", "none", 0.05, 0.05},
                                         LargeCase{"fb50_star32", "dctcp", 0.05, 0.05},
                                         LargeCase{"fb50_star32", "hpcc", 0.05, 0.15},
                                         LargeCase{"web50_star32", "none", 0.05, 0.05},
                                         LargeCase{"web50_star32", "dctcp", 0.05, 0.05},
                                         LargeCase{"web50_star32", "hpcc", 0.05, 0.20}),
                         [](const auto& info) {
                             return std::string(info.param.scenario) + "_" + info.param.algorithm;
                         });

TEST(DctcpPeerResults, AgreeToAThousandthWhereTimesAreWholeNanoseconds)
{
    // Nothing is drawn, and nothing is paced: what is left are the peer's rounded times.
    const std::string shared = SharedFolder("web50_star32");
    if (shared.empty())
    {
        GTEST_SKIP() << "the peer's per-flow results are not in ../shared/data/peer-results";
    }
    Flows peers = ReadFlows(shared + "dctcp.fct.txt");
    setenv("NS_ATTRIBUTE_DEFAULT", "ns3::FabricNetDevice::WholeNanoseconds=true", 1);
    Flows ours = RunOurs(shared + "dctcp.config.txt", "dctcp");
    unsetenv("NS_ATTRIBUTE_DEFAULT");
    ASSERT_EQ(ours.size(), peers.size());
    const std::vector<double> bounds = BoundsOf("web50_star32");
    for (size_t i = 0; i + 1 < bounds.size(); ++i)
    {
        SCOPED_TRACE("from " + std::to_string(bounds[i]) + " B");
        Summary theirs = Summarize(peers, bounds[i], bounds[i + 1], LINKS_OF_A_STAR);
        Summary found = Summarize(ours, bounds[i], bounds[i + 1], LINKS_OF_A_STAR);
        EXPECT_NEAR(found.mean / theirs.mean, 1, 0.002);
    }
}

/// Of a bin, by mean and 99th percentile: least, median and most of several runs of the peer.
struct PeerRange
{
    double from;
    size_t flows;
    std::array<double, 3> mean;
    std::array<double, 3> p99;
};

std::vector<PeerRange>
ReadPeerRanges(const std::string& scenario, const std::string& algorithm)
{
    std::vector<PeerRange> ranges;
    for (const CsvRow& row : ReadCsv(AI_FABRIC_SOURCE_DIR "/test/data/peer-ranges.csv"))
    {
        if (row.at("scenario") == scenario && row.at("algorithm") == algorithm)
        {
            auto of = [&row](const std::string& what) {
                return std::array<double, 3>{std::stod(row.at(what + "_least")),
                                             std::stod(row.at(what + "_median")),
                                             std::stod(row.at(what + "_most"))};
            };
            ranges.push_back({std::stod(row.at("from_bytes")),
                              std::stoul(row.at("flows")),
                              of("mean"),
                              of("p99")});
        }
    }
    return ranges;
}

/// Copies a configuration of the peer, with each start moved. @param run 0: none is
void
CopyMoved(const std::string& from, const std::string& to, const std::string& algorithm, int run)
{
    for (const std::string& file : {algorithm + ".config.txt", std::string("topology.txt")})
    {
        std::filesystem::copy_file(from + file, to + file);
    }
    std::ofstream(to + "trace.txt") << "0\n\n";
    std::ofstream flows(to + "flow.txt");
    int number = 0;
    for (const std::vector<std::string>& words : ReadWords(from + "flow.txt"))
    {
        for (size_t i = 0; i < words.size(); ++i)
        {
            if (i < 5)
            {
                flows << words[i] << ' ';
                continue;
            }
            // At most 20 ns either way, as the peer's were.
            int64_t moved = run > 0 ? (++number * 17 + run * 29) % 41 - 20 : 0;
            flows << std::fixed << std::setprecision(9)
                  << std::stod(words[i]) + 1e-9 * static_cast<double>(moved);
        }
        flows << '\n';
    }
}

/// Both draw, or are chaotic: medians of several runs are compared. (A 99th percentile of some tens
/// of flows is the time of one of them.)
struct RangeCase
{
    const char* scenario;
    const char* algorithm;
    const char* attributes; ///< of the peer's peculiarities
    double meanBand;        ///< by which the medians may differ
    double p99Band;
};

class PeerRanges : public testing::TestWithParam<RangeCase>
{
};

TEST_P(PeerRanges, AgreeByTheirMedians)
{
    const RangeCase& c = GetParam();
    const std::string shared = SharedFolder(c.scenario);
    if (shared.empty())
    {
        GTEST_SKIP() << "the peer's inputs are not in ../shared/data/peer-results";
    }
    constexpr int RUNS = 25;
    std::vector<Flows> runs;
    setenv("NS_ATTRIBUTE_DEFAULT", c.attributes, 1);
    for (int run = 0; run < RUNS; ++run)
    {
        TemporaryFolder folder;
        CopyMoved(shared, folder.PathOf(""), c.algorithm, run);
        setenv("NS_GLOBAL_VALUE", ("RngRun=" + std::to_string(run + 1)).c_str(), 1);
        runs.push_back(RunOurs(folder.PathOf(c.algorithm) + ".config.txt", c.algorithm));
    }
    unsetenv("NS_ATTRIBUTE_DEFAULT");
    unsetenv("NS_GLOBAL_VALUE");
    const std::vector<PeerRange> ranges = ReadPeerRanges(c.scenario, c.algorithm);
    ASSERT_EQ(ranges.size() + 1, BoundsOf(c.scenario).size());
    for (size_t i = 0; i < ranges.size(); ++i)
    {
        SCOPED_TRACE("from " + std::to_string(ranges[i].from) + " B");
        std::vector<double> means;
        std::vector<double> p99s;
        for (const Flows& run : runs)
        {
            const double below = i + 1 < ranges.size() ? ranges[i + 1].from : INFINITY;
            Summary found = Summarize(run, ranges[i].from, below, LINKS_OF_A_STAR);
            ASSERT_EQ(found.flows, ranges[i].flows);
            means.push_back(found.mean);
            p99s.push_back(found.p99);
        }
        EXPECT_NEAR(MedianOf(means) / ranges[i].mean[1], 1, c.meanBand);
        EXPECT_NEAR(MedianOf(p99s) / ranges[i].p99[1], 1, c.p99Band);
    }
}

constexpr const char* PECULIARITIES =
    "ns3::RdmaNic::WaitingPairStopsTimer=true;ns3::FabricNetDevice::WholeNanoseconds=true";

INSTANTIATE_TEST_SUITE_P(
    All,
    PeerRanges,
    testing::Values(RangeCase{"fb50_star32", "hpcc", PECULIARITIES, 0.01, 0.07},
                    RangeCase{"web50_star32", "hpcc", PECULIARITIES, 0.01, 0.05},
                    RangeCase{"fb50_star32", "dcqcn", "", 0.025, 0.07},
                    RangeCase{"web50_star32", "dcqcn", "", 0.025, 0.07}),
    [](const auto& info) { return std::string(info.param.scenario) + "_" + info.param.algorithm; });

} // namespace
