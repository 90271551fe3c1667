// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What goes wrong in a fabric, through the program as a user runs it: each fault of a
 * scenario against times and counts that were computed by hand.
 *
 * Frames of a WRITE of 4096 B payloads: 62 B of headers, ICRC and FCS, 16 B more (RETH) in the
 * first one; preamble 8 B before and gap 12 B after each. An ACK is 66 B.
 */

#include "program-run.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace test;

namespace
{

constexpr double PAYLOAD = 4096;
constexpr double FRAME = PAYLOAD + 62;
constexpr double RETH = 16;
constexpr double PREAMBLE = 8;
constexpr double GAP = 12;
constexpr double ACK = 66;
constexpr double DELAY_US = 0.5; ///< of each cable

/// @param n of network.timeout @return the transport timer, us (InfiniBand 9.7.6.1.3)
double
TimerUs(uint32_t n)
{
    return 4.096 * std::pow(2, n);
}

/// @param bytes some @param gbps a rate @return how long they take, us
double
Us(double bytes, double gbps)
{
    return bytes * 8 / gbps / 1e3;
}

/// A run of a scenario that is written here, in a folder of its own.
class FaultScenario : public testing::Test
{
  protected:
    /// @param topology object @param network object @param jobs list @param faults list
    ProgramResult Run(const std::string& topology,
                      const std::string& network,
                      const std::string& jobs,
                      const std::string& faults = "[]")
    {
        folder.Write("scenario.json",
                     "{\n\"topology\": " + topology + ",\n\"network\": " + network +
                         ",\n\"jobs\": " + jobs + ",\n\"faults\": " + faults +
                         ",\n\"output\": { \"pfc\": true }\n}\n");
        return RunFile(folder.PathOf("scenario.json"));
    }

    ProgramResult RunFile(const std::string& path, const std::string& options = "")
    {
        results = folder.PathOf("results" + std::to_string(++runs));
        return RunProgram("run " + path + " --quiet --out " + results + " " + options);
    }

    nlohmann::json Summary() const
    {
        return nlohmann::json::parse(ReadBytes(results + "/summary.json"));
    }

    std::vector<CsvRow> Csv(const std::string& name) const
    {
        return ReadCsv(results + "/" + name);
    }

    /// @return frames in drops.csv of that reason, at that port or at all of them
    uint64_t Drops(const std::string& reason, const std::string& port = "") const
    {
        uint64_t frames = 0;
        for (const CsvRow& row : Csv("drops.csv"))
        {
            bool counts = row.at("reason") == reason && (port.empty() || row.at("port") == port);
            frames += counts ? std::stoull(row.at("frames")) : 0;
        }
        return frames;
    }

    /// @return the lines of faults.csv about faults: "time_us what"
    std::vector<std::string> Happened() const
    {
        std::vector<std::string> lines;
        for (const CsvRow& row : Csv("faults.csv"))
        {
            if (row.at("type") != "routing")
            {
                lines.push_back(row.at("time_us") + " " + row.at("what"));
            }
        }
        return lines;
    }

    /// @return completion time of the only message, us
    double CompletionUs() const
    {
        std::vector<CsvRow> rows = Csv("messages.csv");
        EXPECT_EQ(rows.size(), 1u);
        return rows.empty() ? 0 : std::stod(rows[0].at("completion_us"));
    }

    /// @return when the flow from one host to another one ended, us; below 0: never
    double EndUs(const std::string& from, const std::string& to) const
    {
        for (const CsvRow& row : Csv("messages.csv"))
        {
            if (row.at("source") == from && row.at("destination") == to)
            {
                return std::stod(row.at("end_us"));
            }
        }
        return -1;
    }

    TemporaryFolder folder;
    std::string results; ///< of the last run
    int runs{0};
};

std::string
Star(int hosts)
{
    return R"({ "type": "star", "hosts": )" + std::to_string(hosts) +
           R"(, "linkRate": "100Gbps", "linkDelay": "500ns" })";
}

std::string
Flow(int source, int destination, uint64_t bytes)
{
    return R"({ "source": )" + std::to_string(source) + R"(, "destination": )" +
           std::to_string(destination) + R"(, "bytes": )" + std::to_string(bytes) + " }";
}

/// @param flows separated by commas @return a job list
std::string
Flows(const std::string& flows)
{
    return R"([ { "name": "f", "workload": { "type": "flows", "flows": [ )" + flows + " ] } } ]";
}

bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

// ---------------------------------------------------------------- links that fail

TEST_F(FaultScenario, ALinkThatFailsDuringAnAllReduceDelaysItByConvergenceAndTimersAtMost)
{
    // Ranks alternate between two leaves: each message of the ring crosses a spine.
    auto topology = [](int spines) {
        return R"({ "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 4, "linkRate": "100Gbps",
                    "linkDelay": "500ns", "spines": )" +
               std::to_string(spines) + " }";
    };
    // Windows keep what stands in the queues of a spine below 8 x 2 x 64 KiB = 84 us, so that no
    // timer (131 us) runs out because of waiting alone.
    const std::string network = R"({ "congestionControl": "none", "timeout": 5, "window": "64KiB",
                                     "routing": { "convergenceTime": "50us" } })";
    const std::string jobs = R"([ { "name": "c", "ranks": [ 0, 4, 1, 5, 2, 6, 3, 7 ], "workload": {
        "type": "collective", "op": "all-reduce", "sizes": "4MiB", "channels": 2 } } ])";
    auto lastEnd = [this]() { return std::stod(Csv("collectives.csv").at(0).at("end_us")); };

    ASSERT_EQ(Run(topology(2), network, jobs).status, 0);
    double whole = lastEnd();
    // The last clear-to-send may or may not be there yet at the end.
    auto dataMessages = [](const std::vector<CsvRow>& rows) {
        return std::count_if(rows.begin(), rows.end(), [](const CsvRow& row) {
            return std::stoul(row.at("bytes")) > 64;
        });
    };
    const auto messages = dataMessages(Csv("messages.csv"));
    EXPECT_TRUE(ReadBytes(results + "/faults.csv").empty()) << "nothing went wrong";
    ASSERT_EQ(Run(topology(1), network, jobs).status, 0);
    double oneSpine = lastEnd();

    // Both links of spine 1 to a leaf carry something in the middle of it, by whatever hash.
    double at = whole / 2;
    std::ostringstream faults;
    faults << R"([ { "type": "link-down", "link": "leaf0-spine1", "at": ")" << std::fixed << at
           << R"(us" } ])";
    ProgramResult run = Run(topology(2), network, jobs, faults.str());
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_EQ(Summary()["outcome"], "finished");
    std::vector<CsvRow> rows = Csv("messages.csv");
    EXPECT_EQ(dataMessages(rows), messages);
    for (const CsvRow& row : rows)
    {
        EXPECT_EQ(row.at("status"), "WC_SUCCESS") << row.at("id");
    }
    uint64_t lost = Drops("cable") + Drops("link-down");
    EXPECT_GT(lost, 0u) << "frames ran into the dead link";
    EXPECT_GT(Summary()["fabric"]["timeouts"], 0);
    // What was lost before convergence is repeated by a timer, which may run out once before it in
    // vain. From then on one spine is left, which could carry all of it in oneSpine.
    EXPECT_GT(lastEnd(), at + TimerUs(5));
    EXPECT_LT(lastEnd(), at + 50 + 2 * TimerUs(5) + oneSpine);
}

TEST_F(FaultScenario, FramesOnADeadLinkAreLostAndCountedAndItsPausesAreForgotten)
{
    // 1 ms down. The timer of 65.536 us repeats until the link is back: with so many retries.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 4, "retryCount": 7,
                                 "routing": { "convergenceTime": "10us" } })",
                            Flows(Flow(0, 1, 4096000)),
                            R"([ { "type": "link-down", "link": "host1-switch", "at": "100us",
                                   "for": "300us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<std::string> happened = Happened();
    ASSERT_EQ(happened.size(), 2u);
    EXPECT_EQ(happened[0], "100.000000 down");
    EXPECT_EQ(happened[1].substr(0, 14), "400.000000 up;");
    EXPECT_GT(Drops("cable", "host1") + Drops("link-down"), 0u);
    // Lost until 400 us; the timer after that repeats all: what was not acknowledged at 100 us is
    // sent by 400 us + one timer + the time of the whole message.
    EXPECT_GT(CompletionUs(), 400 + Us(4096000 - 100 * 12500, 100));
    EXPECT_LT(CompletionUs(), 400 + 10 + TimerUs(4) + Us(1000 * (FRAME + 20), 100) + 10);
    EXPECT_EQ(Summary()["drops_by_reason"].contains("headroom-full"), false);
}

TEST_F(FaultScenario, AFlappingLinkIsDownAtItsTimesAndAllArrives)
{
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 3,
                                 "routing": { "convergenceTime": "1us" } })",
                            Flows(Flow(0, 1, 8192000)),
                            R"([ { "type": "link-flap", "link": [ "switch", "host0" ],
                                   "at": "50us", "period": "200us", "downTime": "20us",
                                   "count": 3 } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<std::string> happened = Happened();
    ASSERT_EQ(happened.size(), 6u);
    const char* expected[] = {"50.000000 down",
                              "70.000000 up",
                              "250.000000 down",
                              "270.000000 up",
                              "450.000000 down",
                              "470.000000 up"};
    for (size_t i = 0; i < happened.size(); ++i)
    {
        EXPECT_EQ(happened[i].substr(0, happened[i].find(';')), expected[i]);
    }
    // 2000 frames take 668 us; each time down costs its 20 us, 1 us of convergence, a timer of
    // 32.768 us at most, and what was under way.
    double alone = Us(2000 * (FRAME + 20), 100);
    EXPECT_GT(CompletionUs(), alone + 3 * 20);
    EXPECT_LT(CompletionUs(), alone + 3 * (20 + 1 + 2 * TimerUs(3) + 10));
}

TEST_F(FaultScenario, AOneWayFailureLosesFramesOfOneDirectionAndNobodyNotices)
{
    // host1's ACKs are lost, data arrive: the sender repeats after each timer until 300 us.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 4 })",
                            Flows(Flow(0, 1, 40960)),
                            R"([ { "type": "one-way", "link": "host1-switch", "from": "host1",
                                   "for": "300us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_GT(Drops("cable", "switch:1"), 0u);
    EXPECT_EQ(Drops("cable", "host1"), 0u);
    EXPECT_EQ(Drops("no-route"), 0u);
    // The timer (65.536 us) runs out at about 65.5 k us: the fifth repetition, after 327.68 us, is
    // the first whose ACK arrives. It starts when the ACK was due: not before the data were sent.
    double sent = Us(10 * (FRAME + 20), 100);
    EXPECT_GT(CompletionUs(), 5 * TimerUs(4));
    EXPECT_LT(CompletionUs(), 5 * TimerUs(4) + 6 * sent + 10);
    std::vector<std::string> happened = Happened();
    ASSERT_EQ(happened.size(), 2u);
    EXPECT_EQ(happened[0], "0.000000 carries nothing");
}

TEST_F(FaultScenario, ADegradedLinkTakesTheClosedForm)
{
    // 100 frames through 100 Gb/s and then 10 Gb/s: the slow link is busy from the first frame's
    // arrival at the switch to the last frame, without the gap after it; and an ACK comes back.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none" })",
                            Flows(Flow(0, 1, 409600)),
                            R"([ { "type": "degraded-rate", "link": "host1-switch",
                                   "rate": "10Gbps" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    double expected = Us(PREAMBLE + FRAME + RETH, 100) + DELAY_US +
                      Us(100 * (PREAMBLE + FRAME + GAP) + RETH - GAP, 10) + DELAY_US +
                      Us(PREAMBLE + ACK, 10) + DELAY_US + Us(PREAMBLE + ACK, 100) + DELAY_US;
    EXPECT_NEAR(CompletionUs(), expected, 1e-6);
    EXPECT_EQ(Happened(), std::vector<std::string>{"0.000000 10Gbps"});
}

TEST_F(FaultScenario, ADegradedLinkGetsItsRateBack)
{
    // 1000 frames; at 10 Gb/s from 0 to 500 us, then at 100 Gb/s again. A slow frame takes
    // 3.3424 us, so 149 of them have gone at 498.0 us and the 150th, on the wire, ends at 501.4.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none" })",
                            Flows(Flow(0, 1, 4096000)),
                            R"([ { "type": "degraded-rate", "link": "host1-switch",
                                   "rate": "10Gbps", "for": "500us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    double slow = Us(FRAME + 20, 10);
    double first = Us(PREAMBLE + FRAME + RETH, 100) + DELAY_US; // arrives at the switch
    double frames = std::ceil((500 - first - Us(RETH, 10)) / slow);
    double expected = first + frames * slow + Us(RETH, 10) + (1000 - frames) * Us(FRAME + 20, 100) -
                      Us(GAP, 100) + DELAY_US + 2 * (Us(PREAMBLE + ACK, 100) + DELAY_US);
    EXPECT_NEAR(CompletionUs(), expected, 1e-6);
}

TEST_F(FaultScenario, BitErrorsLoseFramesByTheirLengthAndFecCorrectsThem)
{
    auto lost = [this](const std::string& fec) {
        ProgramResult run = Run(Star(2),
                                R"({ "congestionControl": "none", "timeout": 4,
                                     "reliability": "out-of-order" })",
                                Flows(Flow(0, 1, 20480000)),
                                R"([ { "type": "bit-errors", "link": "host1-switch", "ber": 1e-6,
                                       "fec": ")" +
                                    fec + "\" } ]");
        EXPECT_EQ(run.status, 0) << run.output;
        for (const CsvRow& row : Csv("links.csv"))
        {
            if (row.at("port") == "switch:1")
            {
                return std::make_pair(std::stod(row.at("tx_frames")),
                                      static_cast<double>(Drops("cable", "host1")));
            }
        }
        return std::make_pair(0.0, 0.0);
    };
    // A frame of L bytes survives with (1 - 1e-6)^(8 L): placement headers make it at least FRAME
    // and at most 40 B more, which moves 3.27 % by 0.03 %. Five standard deviations of 5000 draws.
    auto [frames, bad] = lost("none");
    EXPECT_GE(frames, 5000);
    double p = 1 - std::pow(1 - 1e-6, 8 * (FRAME + RETH));
    EXPECT_NEAR(bad, frames * p, 5 * std::sqrt(frames * p * (1 - p)) + frames * 3e-4);
    // RS(544,514) corrects 15 of 544 symbols: at 1e-6 a word has 0.005 wrong ones on average.
    EXPECT_EQ(lost("kp4").second, 0);
}

TEST_F(FaultScenario, LossHasItsProbability)
{
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 4,
                                 "reliability": "out-of-order" })",
                            Flows(Flow(0, 1, 20480000)),
                            R"([ { "type": "loss", "link": "host0-switch", "rate": 0.02 } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    for (const CsvRow& row : Csv("links.csv"))
    {
        if (row.at("port") == "host0")
        {
            double frames = std::stod(row.at("tx_frames"));
            EXPECT_NEAR(static_cast<double>(Drops("cable", "switch:0")),
                        0.02 * frames,
                        5 * std::sqrt(0.02 * 0.98 * frames));
        }
    }
}

// ---------------------------------------------------------------- parts of a fabric

TEST_F(FaultScenario, TheStragglerOfACollectiveIsTheSlowGpuOrTheSlowNic)
{
    const std::string topology =
        R"({ "type": "star", "hosts": 4, "linkRate": "400Gbps", "linkDelay": "500ns" })";
    const std::string network = R"({ "congestionControl": "none" })";
    const std::string jobs = R"([ { "workload": { "type": "collective", "op": "all-reduce",
        "algorithm": "ring", "channels": 1, "sizes": "64MiB" } } ])";
    const std::map<std::string, std::string> faults{
        {"2", R"([ { "type": "slow-gpu", "gpu": 2, "clock": 0.05 } ])"},
        {"1", R"([ { "type": "degraded-rate", "link": "host1-switch", "rate": "100Gbps" } ])"},
    };
    for (const auto& [straggler, fault] : faults)
    {
        SCOPED_TRACE(fault);
        ProgramResult run = Run(topology, network, jobs, fault);
        ASSERT_EQ(run.status, 0) << run.output;
        std::vector<CsvRow> rows = Csv("collectives.csv");
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(rows[0].at("straggler_rank"), straggler);
    }
    ProgramResult run =
        Run(topology, network, jobs, R"([ { "type": "slow-gpu", "gpu": 4, "clock": 0.5 } ])");
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("faults[0].gpu: 4"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("0 to 3"), std::string::npos) << run.output;
}

TEST_F(FaultScenario, APartitionEndsWithErrorCompletionsAndNamesThePairs)
{
    // Two retries, 65.536 us each: the third time that the timer runs out is the last.
    ProgramResult run =
        Run(Star(4),
            R"({ "congestionControl": "none", "timeout": 4, "retryCount": 2,
                                 "routing": { "convergenceTime": "10us" } })",
            Flows(Flow(0, 1, 4096000) + ", " + Flow(2, 3, 4096000)),
            R"([ { "type": "link-down", "link": "host1-switch", "at": "100us" } ])");
    EXPECT_EQ(run.status, 3) << run.output;
    EXPECT_TRUE(Contains(run.output, "f: flow from host0 to host1: ")) << run.output;
    EXPECT_FALSE(Contains(run.output, "flow from host2")) << run.output;
    EXPECT_TRUE(Contains(run.output, "of host0 to host1 has failed")) << run.output;
    EXPECT_EQ(Summary()["outcome"], "failed");
    EXPECT_GT(Drops("no-route") + Drops("link-down"), 0u);
    // The last acknowledgement came at most a round trip after the cable went: 2 us and two frames.
    double end = EndUs("host0", "host1");
    EXPECT_GT(end, 100 - 10 + 3 * TimerUs(4));
    EXPECT_LT(end, 100 + 10 + 3 * TimerUs(4));
}

TEST_F(FaultScenario, UnlimitedRetriesOutlastAnyPartition)
{
    // The cable comes back after 2 ms, 30 timers of 65.536 us: seven retries would have failed.
    ProgramResult run =
        Run(Star(4),
            R"({ "congestionControl": "none", "timeout": 4, "retryCount": "unlimited",
                                 "routing": { "convergenceTime": "10us" } })",
            Flows(Flow(0, 1, 4096000)),
            R"([ { "type": "link-down", "link": "host1-switch", "at": "100us",
                   "for": "2ms" } ])");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_EQ(Summary()["outcome"], "finished");
    EXPECT_GT(EndUs("host0", "host1"), 2100);
}

TEST_F(FaultScenario, ACollectiveInAPartitionedFabricNamesThePairs)
{
    ProgramResult run =
        Run(Star(4),
            R"({ "congestionControl": "none", "timeout": 3, "retryCount": 1 })",
            R"([ { "name": "c", "workload": { "type": "collective",
                                   "op": "all-reduce", "sizes": "16MiB" } } ])",
            R"([ { "type": "link-down", "link": "host1-switch", "at": "100us" } ])");
    EXPECT_EQ(run.status, 3) << run.output;
    EXPECT_TRUE(Contains(run.output, "of host0 to host1 has failed") ||
                Contains(run.output, "of host1 to host2 has failed"))
        << run.output;
    EXPECT_TRUE(Contains(run.output, "communicator c: rank")) << run.output;
}

TEST_F(FaultScenario, PairsThatNoRouteJoinsAreBadInputOnlyWhereAJobNeedsThem)
{
    // Two stars side by side.
    folder.Write("parts.txt",
                 "switch s0\nswitch s1\nhost a0\nhost a1\nhost b0\nhost b1\n"
                 "link a0 s0 100Gbps 500ns\nlink a1 s0 100Gbps 500ns\n"
                 "link b0 s1 100Gbps 500ns\nlink b1 s1 100Gbps 500ns\n");
    const std::string topology = R"({ "file": "parts.txt", "format": "graph" })";
    EXPECT_EQ(Run(topology, "{}", Flows(Flow(0, 1, 1) + ", " + Flow(3, 2, 1))).status, 0);
    ProgramResult flow = Run(topology, "{}", Flows(Flow(1, 2, 1)));
    EXPECT_EQ(flow.status, 2);
    EXPECT_TRUE(Contains(flow.output, "jobs[0].workload: no route leads from a1 to b0"))
        << flow.output;
    auto collective = [](const std::string& ranks) {
        return R"([ { "ranks": [ )" + ranks + R"( ], "workload": { "type": "collective",
                  "op": "all-gather", "sizes": "64KiB" } } ])";
    };
    EXPECT_EQ(Run(topology, "{}", collective("2, 3")).status, 0);
    ProgramResult four = Run(topology, "{}", collective("0, 1, 2, 3"));
    EXPECT_EQ(four.status, 2);
    EXPECT_TRUE(Contains(four.output, "no route leads from a1 to b0")) << four.output;
    ProgramResult perftest = Run(topology, "{}", R"([ { "workload": { "type": "perftest",
        "test": "write-lat", "client": 3, "server": 0 } } ])");
    EXPECT_EQ(perftest.status, 2);
    EXPECT_TRUE(Contains(perftest.output, "no route leads from b1 to a0")) << perftest.output;
}

TEST_F(FaultScenario, ASwitchThatRebootsLosesWhatItHoldsAndComesBack)
{
    ProgramResult run = Run(Star(3),
                            R"({ "congestionControl": "none", "timeout": 4 })",
                            Flows(Flow(0, 2, 4096000) + ", " + Flow(1, 2, 4096000)),
                            R"([ { "type": "switch-reboot", "switch": "switch", "at": "100us",
                                   "for": "200us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    // Two senders share host 2's link: at 100 us the switch holds frames of theirs.
    EXPECT_GT(Drops("switch-down"), 0u);
    std::vector<std::string> happened = Happened();
    ASSERT_EQ(happened.size(), 2u);
    EXPECT_EQ(happened[0], "100.000000 down");
    EXPECT_EQ(happened[1], "300.000000 up");
    // Both are through the link of host 2: 2000 frames, of which 99 us went before. Then the timer
    // and, at most, all of them again. Routes follow 1 ms after the last change.
    for (const char* source : {"host0", "host1"})
    {
        EXPECT_GT(EndUs(source, "host2"), 300);
        EXPECT_LT(EndUs(source, "host2"), 300 + 1000 + TimerUs(4) + Us(2000 * (FRAME + 20), 100));
    }
}

TEST_F(FaultScenario, ANicThatStopsIsSilentUntilItWorksAgain)
{
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 4 })",
                            Flows(Flow(0, 1, 4096000)),
                            R"([ { "type": "nic-stop", "host": "host1", "at": "100us",
                                   "for": "200us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_GT(Drops("cable", "host1"), 0u);
    EXPECT_EQ(Drops("no-route"), 0u) << "its link is up: no route changes";
    EXPECT_GT(CompletionUs(), 300 + Us(4096000 - 100 * 12500, 100));
    EXPECT_LT(CompletionUs(), 300 + TimerUs(4) + Us(1000 * (FRAME + 20), 100));
}

// ---------------------------------------------------------------- back-pressure

TEST_F(FaultScenario, ASlowReceiverHoldsItsSendersAndNothingIsDropped)
{
    // 25 Gb/s of frames without preamble and gap: 4000 frames take 5.322 ms.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "buffer": "2MiB", "timeout": 0 })",
                            Flows(Flow(0, 1, 16384000)),
                            R"([ { "type": "slow-receiver", "host": "host1",
                                   "rate": "25Gbps" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    double expected = Us(4000 * FRAME + RETH, 25);
    EXPECT_NEAR(CompletionUs() / expected, 1, 0.002);
    EXPECT_EQ(Summary()["fabric"]["drops"], 0);
    EXPECT_TRUE(ReadBytes(results + "/drops.csv").empty());
    bool first = false;
    bool second = false;
    for (const CsvRow& row : Csv("pfc.csv"))
    {
        first |= row.at("port") == "switch:1" && row.at("state") == "paused";
        second |= row.at("port") == "host0" && row.at("state") == "paused";
    }
    EXPECT_TRUE(first) << "the NIC stops the switch";
    EXPECT_TRUE(second) << "the switch stops the sender";
}

TEST_F(FaultScenario, ASlowReceiverWithoutPfcDropsInItsOwnBuffer)
{
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "pfc": false, "timeout": 4 })",
                            Flows(Flow(0, 1, 8192000)),
                            R"([ { "type": "slow-receiver", "host": "host1", "rate": "50Gbps",
                                   "buffer": "256KiB", "for": "300us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_GT(Drops("receive-full", "host1"), 0u);
    EXPECT_EQ(Summary()["fabric"]["pauses"], 0);
}

TEST_F(FaultScenario, APauseStormHoldsVictimsUntilItEnds)
{
    // host 3 stops class 3 from the start. host0's frames for it fill the switch, which stops
    // host0, and so the flow to host 2 that has nothing to do with it.
    const std::string storm =
        R"([ { "type": "pause-storm", "host": "host3", "classes": [ 3 ], "for": "2ms" } ])";
    const std::string flows =
        Flows(Flow(0, 3, 8192000) + ", " + Flow(0, 2, 2048000) + ", " + Flow(1, 2, 409600));
    ProgramResult run = Run(Star(4),
                            R"({ "congestionControl": "none", "buffer": "2MiB", "timeout": 12 })",
                            flows,
                            storm);
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_EQ(Summary()["fabric"]["drops"], 0);
    EXPECT_GT(EndUs("host0", "host2"), 2000) << "a victim";
    EXPECT_LT(EndUs("host1", "host2"), 200) << "another sender, another class of ingress";
    // 65535 quanta of 512 bits at 100 Gb/s after the last pause frame it is over: 336 us.
    EXPECT_LT(EndUs("host0", "host2"), 2000 + 336 + Us(2500 * (FRAME + 20), 100) + 20);
    EXPECT_GT(EndUs("host0", "host3"), 2000);
}

TEST_F(FaultScenario, AWatchdogFreesTheVictimsOfAPauseStorm)
{
    const std::string storm =
        R"([ { "type": "pause-storm", "host": "host3", "classes": [ 3 ], "for": "4ms" } ])";
    const std::string flows = Flows(Flow(0, 3, 8192000) + ", " + Flow(0, 2, 2048000));
    ProgramResult run = Run(Star(4),
                            R"({ "congestionControl": "none", "buffer": "2MiB", "timeout": 8,
                                 "retryCount": 7,
                                 "pfc": { "watchdog": { "detectionTime": "200us",
                                                        "restorationTime": "500us",
                                                        "action": "drop" } } })",
                            flows,
                            storm);
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_GT(Drops("watchdog"), 0u);
    // Detected after 200 to 400 us; then the victim has its link.
    EXPECT_LT(EndUs("host0", "host2"), 2000) << "long before the storm is over";
    EXPECT_GT(EndUs("host0", "host3"), 4000);
}

// ---------------------------------------------------------------- deadlock

TEST_F(FaultScenario, ADeadlockEndsWithTheCircleNamed)
{
    const std::string triangle = AI_FABRIC_SOURCE_DIR "/examples/scenarios/deadlock-triangle.json";
    // Ports of a switch in order of its links in the file: host, then s0-s1, s1-s2, s2-s0.
    const std::string circle = "class 3: s0:1 -> s1:2 -> s2:2 -> s0:1";
    ProgramResult warned = RunFile(triangle);
    EXPECT_EQ(warned.status, 3) << warned.output;
    EXPECT_TRUE(
        Contains(warned.output, "warning: by its routes the fabric may deadlock, " + circle))
        << warned.output;
    EXPECT_TRUE(Contains(warned.output, "deadlock: these queues wait for each other, " + circle))
        << warned.output;
    for (const char* pair : {"of h0 to h2", "of h1 to h0", "of h2 to h1"})
    {
        EXPECT_TRUE(Contains(warned.output, pair)) << pair << " in " << warned.output;
    }
    EXPECT_TRUE(Contains(warned.output, "port s0:1 is paused by s1:1")) << warned.output;

    ProgramResult stalled = RunFile(triangle, "--set network.timeout=0");
    EXPECT_EQ(stalled.status, 3);
    EXPECT_TRUE(Contains(stalled.output, "stalled: nothing moves")) << stalled.output;
    EXPECT_TRUE(Contains(stalled.output, circle)) << stalled.output;

    ProgramResult refused = RunFile(triangle, "--set network.deadlockCheck=refuse");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(Contains(refused.output, "network.deadlockCheck: ")) << refused.output;
    EXPECT_TRUE(Contains(refused.output, circle)) << refused.output;

    ProgramResult upDown = RunFile(triangle,
                                   "--set network.routing=up-down "
                                   "--set network.deadlockCheck=refuse");
    EXPECT_EQ(upDown.status, 0) << upDown.output;
    EXPECT_FALSE(Contains(upDown.output, "deadlock,")) << upDown.output;
}

// ---------------------------------------------------------------- the switch's parts

TEST_F(FaultScenario, EachPathSelectorAndBufferPolicyCarriesAllToAll)
{
    const std::string topology = R"({ "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 2,
                                      "spines": 2, "linkRate": "100Gbps" })";
    const std::string flows =
        Flows(Flow(0, 2, 409600) + ", " + Flow(1, 3, 409600) + ", " + Flow(3, 0, 409600));
    auto succeeds = [&](const std::string& key, const std::string& name) {
        ProgramResult run =
            Run(topology,
                R"({ "reliability": "out-of-order", "congestionControl": "none", )" + key + " }",
                flows);
        EXPECT_EQ(run.status, 0) << name << ": " << run.output;
        EXPECT_FALSE(Contains(run.output, "warning")) << name << ": " << run.output;
        EXPECT_EQ(Summary()["fabric"]["drops"], 0) << name;
    };
    for (const char* name : {"ecmp",
                             "weighted-ecmp",
                             "entropy",
                             "random-spray",
                             "round-robin-spray",
                             "flowlet",
                             "conga",
                             "drill",
                             "adaptive",
                             "conweave"})
    {
        succeeds(std::string(R"("pathSelection": ")") + name + "\"", name);
    }
    for (const char* name : {"dynamic-threshold", "static-threshold", "complete-partition", "abm"})
    {
        succeeds(std::string(R"("buffer": { "policy": ")") + name + "\" }", name);
    }
}

TEST_F(FaultScenario, SprayingWithGoBackNIsSaidToReorder)
{
    ProgramResult run =
        Run(Star(2), R"({ "pathSelection": "random-spray" })", Flows(Flow(0, 1, 1)));
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(Contains(run.output, "warning: with path selection random-spray")) << run.output;
    EXPECT_TRUE(Contains(run.output, "selective-repeat or out-of-order")) << run.output;
}

TEST_F(FaultScenario, SharesHoldUnderLoad)
{
    // Two lossless classes with 3/4 and 1/4 of a link, and three times the bytes in one of them:
    // both end when 16 MB have gone, 4000 frames. Sharing evenly, one would end at half of that.
    ProgramResult run = Run(Star(3),
                            R"({ "congestionControl": "none", "pfc": { "classes": [ 3, 4 ] },
                 "scheduling": { "shares": { "3": 75, "4": 25 } } })",
                            R"([ { "workload": { "type": "flows", "flows": [
                 { "source": 0, "destination": 2, "bytes": 12288000, "class": 3 },
                 { "source": 1, "destination": 2, "bytes": 4096000, "class": 4 } ] } } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    double whole = Us(4000 * (FRAME + 20), 100);
    EXPECT_NEAR(EndUs("host0", "host2") / whole, 1, 0.01);
    EXPECT_NEAR(EndUs("host1", "host2") / whole, 1, 0.01);
    EXPECT_EQ(Summary()["fabric"]["drops"], 0);
}

TEST_F(FaultScenario, MirroredDropsComeToTheCollector)
{
    ProgramResult run = Run(Star(4),
                            R"({ "congestionControl": "none", "pfc": false, "buffer": "1MiB",
                                 "timeout": 8,
                                 "telemetry": { "dropMirror": { "collector": "host3" } } })",
                            Flows(Flow(0, 2, 4096000) + ", " + Flow(1, 2, 4096000)));
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<CsvRow> rows = Csv("mirror.csv");
    ASSERT_FALSE(rows.empty());
    EXPECT_LE(rows.size(), Drops("lossy-full"));
    for (const CsvRow& row : rows)
    {
        EXPECT_EQ(row.at("switch"), "switch");
        EXPECT_EQ(row.at("egress"), "2");
        EXPECT_EQ(row.at("class"), "3");
        EXPECT_EQ(row.at("reason"), "lossy-full");
    }
}

TEST_F(FaultScenario, TelemetryMakesFramesLonger)
{
    // HPCC's header: 2 B and 8 B a hop (Li et al., SIGCOMM 2019, 4.1). One switch: its port to
    // host 1 sends 10 B more in each of 100 data frames. The ACKs that carry it back grow as well.
    auto bytes = [this](const std::string& format) {
        ProgramResult run =
            Run(Star(2),
                R"({ "congestionControl": "none", "telemetry": { "int": ")" + format + "\" } }",
                Flows(Flow(0, 1, 409600)));
        EXPECT_EQ(run.status, 0) << run.output;
        for (const CsvRow& row : Csv("links.csv"))
        {
            if (row.at("port") == "switch:1")
            {
                return std::stod(row.at("tx_bytes"));
            }
        }
        return 0.0;
    };
    double plain = bytes("none");
    EXPECT_EQ(plain, 100 * FRAME + RETH);
    EXPECT_EQ(bytes("hpcc"), plain + 100 * (2 + 8));
}

// ---------------------------------------------------------------- set-up

TEST_F(FaultScenario, AHeadroomThatCannotHoldIsRefusedWithTheFigures)
{
    // Row 5 of the peers' faults: 64 ports of 400 Gb/s and 10 km need more than 4 MiB.
    ProgramResult run = Run(R"({ "type": "star", "hosts": 64, "linkRate": "400Gbps",
                                 "linkDelay": "50us" })",
                            R"({ "buffer": "4MiB" })",
                            Flows(Flow(0, 1, 1)));
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(Contains(run.output, "headroom")) << run.output;
    EXPECT_TRUE(Contains(run.output, "4194304")) << run.output;
}

TEST_F(FaultScenario, ResultsChangeWithBandwidth)
{
    // Row 26: a message that is long enough takes half of the time on links of twice the rate.
    double us[2];
    for (int i = 0; i < 2; ++i)
    {
        ProgramResult run = Run(R"({ "type": "star", "hosts": 2, "linkDelay": "500ns",
                                     "linkRate": ")" +
                                    std::string(i == 0 ? "100Gbps" : "200Gbps") + "\" }",
                                R"({ "congestionControl": "none" })",
                                Flows(Flow(0, 1, 40960000)));
        ASSERT_EQ(run.status, 0) << run.output;
        us[i] = CompletionUs();
    }
    // All is serialization but 2 us of cables.
    EXPECT_NEAR(us[0] - 2, 2 * (us[1] - 2), 1e-3);
}

TEST_F(FaultScenario, FaultsAfterTheEndAreNamed)
{
    ProgramResult run = Run(Star(2),
                            "{}",
                            Flows(Flow(0, 1, 1)),
                            R"([ { "type": "link-down", "link": "host1-switch", "at": "1s" } ])");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(Contains(run.output, "did not happen, the run had ended")) << run.output;
    EXPECT_EQ(Summary()["faults"][0]["changes"], 0);
}

TEST_F(FaultScenario, OverlappingFaultsHoldALinkTogether)
{
    // Down from 50 to 150 us by one and from 100 to 200 us by the other: up at 200 us.
    ProgramResult run = Run(Star(2),
                            R"({ "congestionControl": "none", "timeout": 3 })",
                            Flows(Flow(0, 1, 4096000)),
                            R"([ { "type": "link-down", "link": "host1-switch", "at": "50us",
                                   "for": "100us" },
                                 { "type": "link-down", "link": "host1-switch", "at": "100us",
                                   "for": "100us" } ])");
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<std::string> happened = Happened();
    ASSERT_EQ(happened.size(), 4u);
    EXPECT_EQ(happened[0], "50.000000 down");
    EXPECT_EQ(happened[1], "100.000000 down as before");
    EXPECT_EQ(happened[2].substr(0, 26), "150.000000 down as before;");
    EXPECT_EQ(happened[3].substr(0, 14), "200.000000 up;");
    EXPECT_GT(CompletionUs(), 200);
}

// ---------------------------------------------------------------- the HPCC family's input

TEST_F(FaultScenario, LinkDownOfAnHpccConfigurationTakesTheLinkDown)
{
    // Two switches with two links between them through two more: 0 - 2 = (4, 5) = 3 - 1.
    const std::string config = "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\n"
                               "ENABLE_QCN 0\nL2_ACK_INTERVAL 1\nHAS_WIN 0\nBUFFER_SIZE 32\n"
                               "SIMULATOR_STOP_TIME 4\nENABLE_TRACE 0\nLINK_DOWN 50 2 4\n";
    folder.Write("config.txt", config);
    folder.Write("topology.txt",
                 "6 4 6\n2 3 4 5\n0 2 100Gbps 500ns 0\n1 3 100Gbps 500ns 0\n"
                 "2 4 100Gbps 500ns 0\n2 5 100Gbps 500ns 0\n3 4 100Gbps 500ns 0\n"
                 "3 5 100Gbps 500ns 0\n");
    std::ostringstream flows;
    flows << "8\n";
    for (int f = 0; f < 8; ++f)
    {
        flows << "0 1 3 100 2000000 2.0\n";
    }
    folder.Write("flow.txt", flows.str());
    results = folder.PathOf("results");
    ProgramResult run =
        RunProgram("run --hpcc " + folder.PathOf("config.txt") + " --quiet --out " + results);
    ASSERT_EQ(run.status, 0) << run.output;
    std::vector<CsvRow> happened = Csv("faults.csv");
    ASSERT_EQ(happened.size(), 2u);
    EXPECT_EQ(happened[0].at("time_us"), "2000050.000000"); // 2 s and 50 us
    EXPECT_EQ(happened[0].at("where"), "switch2-switch4");
    EXPECT_EQ(happened[0].at("what"), "down");
    EXPECT_EQ(happened[1].at("time_us"), "2000050.000000"); // their routes follow at once
    EXPECT_EQ(happened[1].at("type"), "routing");
    EXPECT_EQ(ReadWords(results + "/fct.txt").size(), 8u) << "all flows end";
}

TEST_F(FaultScenario, HpccKeysThatCannotBeAreRefusedByName)
{
    auto refusal = [this](const std::string& line) {
        folder.Write("config.txt",
                     "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nENABLE_QCN 0\n"
                     "L2_ACK_INTERVAL 1\n" +
                         line + "\n");
        folder.Write("topology.txt", "3 1 2\n2\n0 2 100Gbps 500ns 0\n1 2 100Gbps 500ns 0\n");
        folder.Write("flow.txt", "1\n0 1 3 100 1000 2.0\n");
        ProgramResult run = RunProgram("run --hpcc " + folder.PathOf("config.txt") +
                                       " --quiet --out " + folder.PathOf("r"));
        EXPECT_EQ(run.status, 2) << run.output;
        return run.output;
    };
    std::string stop = refusal("NIC_TOTAL_PAUSE_TIME 5");
    EXPECT_TRUE(Contains(stop, "config.txt:5: NIC_TOTAL_PAUSE_TIME: does not exist here")) << stop;
    std::string link = refusal("LINK_DOWN 50 0 1");
    EXPECT_TRUE(Contains(link, "config.txt:5: LINK_DOWN: no link joins nodes 0 and 1")) << link;
}
