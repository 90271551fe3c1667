// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief perftest: its figures by hand, its tests against closed forms, and the preset of a NIC
 * against what was measured with that NIC.
 */

#include "fabric-fixture.h"
#include "program-run.h"

#include "ns3/nic-presets.h"
#include "ns3/perftest-application.h"
#include "ns3/perftest-report.h"
#include "ns3/pointer.h"

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

constexpr int64_t NS = 1000; // picoseconds
constexpr double MIB = 1 << 20;

// ---------------------------------------------------------------- figures

TEST(PerftestFigures, BandwidthByHand)
{
    // Three messages of 1 MiB are posted at 0, the fourth at 30 us; completions of two each at 10
    // and 40 us. On average 4 MiB in 40 us; at best 2 MiB in 10 us, as from 30 us on there is only
    // one message, 1 MiB in 10 us.
    PerftestBandwidth row =
        MakePerftestBandwidth(1 << 20, {0, 0, 0, 30'000'000}, {{2, 10'000'000}, {4, 40'000'000}});
    EXPECT_DOUBLE_EQ(row.averageMibPerSecond, 1e5);
    EXPECT_DOUBLE_EQ(row.peakMibPerSecond, 2e5);
    EXPECT_DOUBLE_EQ(row.messagesPerMicrosecond, 0.1);
}

TEST(PerftestFigures, PeakIsTheBestOfAllPairs)
{
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round)
    {
        std::vector<int64_t> posted;
        std::vector<PerftestProgress> completed;
        int64_t now = 0;
        size_t messages = 1 + random() % 60;
        uint64_t done = 0;
        while (done < messages)
        {
            now += static_cast<int64_t>(random() % 50);
            for (size_t more = random() % 8; more > 0 && posted.size() < messages; --more)
            {
                posted.push_back(now);
            }
            if (posted.size() > done && random() % 2)
            {
                done += 1 + random() % (posted.size() - done);
                now += 1 + static_cast<int64_t>(random() % 50);
                completed.push_back({done, now});
            }
        }
        double least = INFINITY;
        for (const PerftestProgress& end : completed)
        {
            for (size_t i = 0; i < end.messages; ++i)
            {
                least = std::min(least,
                                 static_cast<double>(end.when - posted[i]) /
                                     static_cast<double>(end.messages - i));
            }
        }
        double peak = MakePerftestBandwidth(1 << 20, posted, completed).peakMibPerSecond;
        EXPECT_NEAR(peak, 1e12 / least, 1e-6 * peak) << round;
    }
}

TEST(PerftestFigures, LatencyByHand)
{
    // Rounds of 10 30 20 50 40 100 us. Half of each, sorted: 5 10 15 20 | 25 50. Of the four that
    // count: median 12.5, average 12.5, deviation sqrt((7.5^2 + 2.5^2) / 2) = 5.59; the percentiles
    // lie behind them, at the fifth value, which is the maximum as well.
    std::vector<int64_t> posted{0, 10, 40, 60, 110, 150, 250};
    for (int64_t& time : posted)
    {
        time *= 1'000'000;
    }
    PerftestLatency row = MakePerftestLatency(posted, 2);
    EXPECT_DOUBLE_EQ(row.minimum, 5);
    EXPECT_DOUBLE_EQ(row.maximum, 25);
    EXPECT_DOUBLE_EQ(row.typical, 12.5);
    EXPECT_DOUBLE_EQ(row.average, 12.5);
    EXPECT_DOUBLE_EQ(row.deviation, std::sqrt((56.25 + 6.25) / 2));
    EXPECT_DOUBLE_EQ(row.percentile99, 25);
    EXPECT_DOUBLE_EQ(row.percentile999, 25);
    posted.pop_back(); // of 5 10 15 | 20 25 the median is in the middle
    EXPECT_DOUBLE_EQ(MakePerftestLatency(posted, 2).typical, 10);
    EXPECT_DOUBLE_EQ(MakePerftestLatency(posted, 1).typical, 20);
}

// ---------------------------------------------------------------- configuration

TEST(PerftestConfiguration, DefaultsArePerftests)
{
    auto complete = [](const std::string& test, const std::string& connection = "RC") {
        PerftestConfig config;
        config.test = test;
        config.connection = connection;
        return CompletePerftest(config);
    };
    EXPECT_EQ(complete("write-bw").iterations, 5000U);
    EXPECT_EQ(complete("send-bw").iterations, 1000U);
    EXPECT_EQ(complete("write-bw").sizes, std::vector<uint64_t>{65536});
    EXPECT_EQ(complete("write-bw").cqModeration, 1U); // above 8 KiB
    EXPECT_EQ(complete("write-lat").sizes, std::vector<uint64_t>{2});
    EXPECT_EQ(complete("write-lat").txDepth, 1U);
    EXPECT_EQ(complete("atomic-bw").sizes, std::vector<uint64_t>{8});
    EXPECT_EQ(*complete("write-bw").inlineBytes, 0U);
    EXPECT_EQ(*complete("write-lat").inlineBytes, 220U);
    EXPECT_EQ(*complete("send-lat").inlineBytes, 236U);
    EXPECT_EQ(*complete("send-lat", "UD").inlineBytes, 188U);
    EXPECT_EQ(*complete("read-lat").inlineBytes, 0U);

    PerftestConfig config;
    config.sizes = {4096};
    EXPECT_EQ(CompletePerftest(config).cqModeration, 100U);
    config.sizes = {4096, 65536};
    EXPECT_EQ(CompletePerftest(config).cqModeration, 100U);
    config.txDepth = 16;
    EXPECT_EQ(CompletePerftest(config).cqModeration, 16U);
}

TEST(PerftestConfiguration, WhatCannotBeNamesItsKey)
{
    auto keyOf = [](const std::function<void(PerftestConfig&)>& change) {
        PerftestConfig config;
        change(config);
        return CheckPerftest(CompletePerftest(config), 4096).key;
    };
    EXPECT_EQ(keyOf([](PerftestConfig&) {}), "");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.test = "write-bandwidth"; }), "test");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.connection = "XRC"; }), "connection");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.connection = "UD"; }), "connection");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.test = "read-bw", c.connection = "UC"; }),
              "connection");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.test = "atomic-bw", c.sizes = {16}; }), "sizes");
    EXPECT_EQ(
        keyOf([](PerftestConfig& c) { c.test = "send-bw", c.connection = "UD", c.sizes = {4097}; }),
        "sizes");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.sizes = {0}; }), "sizes");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.sizes = {(uint64_t{1} << 31) + 1}; }), "sizes");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.iterations = 4; }), "iterations");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.queuePairs = 16385; }), "queuePairs");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.test = "write-lat", c.queuePairs = 2; }),
              "queuePairs");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.txDepth = 0, c.cqModeration = 1; }), "txDepth");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.outstandingReads = 0; }), "outstandingReads");
    EXPECT_EQ(keyOf([](PerftestConfig& c) { c.test = "send-lat", c.bidirectional = true; }),
              "bidirectional");
}

// ---------------------------------------------------------------- report

TEST(PerftestReport, TablesAreLaidOutAsPerftests)
{
    PerftestResult result;
    result.bytes = 65536;
    result.iterations = 5000;
    result.bandwidth = {23310.5, 22714.614, 0.3634338};
    PerftestConfig config = CompletePerftest({});
    std::ostringstream out;
    PrintPerftestHeader(out, config, 4096);
    PrintPerftestRow(out, result);
    std::string text = out.str();
    EXPECT_NE(text.find("RDMA_Write BW Test"), std::string::npos);
    EXPECT_NE(text.find(" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
                        "MsgRate[Mpps]\n"),
              std::string::npos);
    EXPECT_NE(
        text.find(" 65536      5000             23310.50            22714.61\t\t     0.363434\n"),
        std::string::npos)
        << text;

    result = {};
    result.bytes = 2;
    result.iterations = 1000;
    result.isLatency = true;
    result.latency = {1.79, 4.5, 1.87, 1.88, 0.02, 2.03, 2.5};
    config.test = "write-lat";
    out.str("");
    PrintPerftestHeader(out, CompletePerftest(config), 4096);
    PrintPerftestRow(out, result);
    text = out.str();
    EXPECT_NE(text.find(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
                        "t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% "
                        "percentile[usec] \n"),
              std::string::npos);
    EXPECT_NE(text.find(" 2       1000          1.79           4.50         1.87   "),
              std::string::npos)
        << text;
}

// ---------------------------------------------------------------- two hosts

/// A fabric and the test that runs on it.
class Bench : public FabricFixture
{
  public:
    Ptr<PerftestApplication> test;

    /// Two hosts with switches in between. @param switches how many @param delay of each cable
    void BuildRow(uint32_t switches, Time delay)
    {
        BuildChain(std::vector<std::string>(switches + 1, "200Gbps"), delay);
    }

    /// @param name of a NIC preset
    void SetPreset(const std::string& name)
    {
        ObjectFactory make;
        EXPECT_EQ(ApplyNicPreset(name, make), "");
        rdma.SetHostInterface(make);
    }

    /// @param attributes of the host interface of each NIC
    void SetHostInterface(const std::map<std::string, std::string>& attributes)
    {
        ObjectFactory make("ns3::RdmaHostInterface");
        for (const auto& [name, value] : attributes)
        {
            make.Set(name, StringValue(value));
        }
        rdma.SetHostInterface(make);
    }

    /// @param config what to measure @return the rows
    std::vector<PerftestResult> Measure(const PerftestConfig& config)
    {
        test = CreateObject<PerftestApplication>();
        network.hosts.Get(0)->AddApplication(test);
        test->Set(config, Port(0), Port(1));
        Simulator::Run();
        EXPECT_TRUE(test->IsDone());
        for (const PerftestResult& result : test->GetResults())
        {
            EXPECT_EQ(result.error, "");
        }
        EXPECT_EQ(test->GetResults().size(), test->GetConfig().sizes.size());
        return test->GetResults();
    }
};

PerftestConfig
Config(const std::string& test, const std::vector<uint64_t>& sizes, uint32_t iterations)
{
    PerftestConfig config;
    config.test = test;
    config.sizes = sizes;
    config.iterations = iterations;
    return config;
}

constexpr int64_t BYTE = 40; // picoseconds, at 200 Gb/s

/// Average bandwidth in MiB/s of @p messages messages of @p size bytes in @p picoseconds.
double
Average(double messages, double size, int64_t picoseconds)
{
    return messages * size / MIB / (static_cast<double>(picoseconds) * 1e-12);
}

TEST(PerftestBandwidth, PairsFillTheLine)
{
    // 4 pairs x 50 messages of 64 KiB, all posted at once: frames follow each other, 16 of 4096 +
    // 62
    // + 20 bytes a message and a RETH in the first one. After the last one, without its gap, its
    // ACK: 66 bytes and the preamble.
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    PerftestConfig config = Config("write-bw", {65536}, 50);
    config.queuePairs = 4;
    PerftestResult row = bench.Measure(config).at(0);
    int64_t time = (200 * (16 * (4096 + 62 + 20) + 16) - 12 + 66 + 8) * BYTE + 2 * 500 * NS;
    EXPECT_EQ(row.iterations, 200U);
    EXPECT_NEAR(row.bandwidth.averageMibPerSecond, Average(200, 65536, time), 0.01);
    EXPECT_NEAR(row.bandwidth.messagesPerMicrosecond,
                200 / (static_cast<double>(time) * 1e-6),
                1e-9);
}

TEST(PerftestBandwidth, TheDepthBoundsALongLine)
{
    // 4 messages of 4 KiB outstanding over 100 us: 4 a round, of which the last message's time from
    // its posting to its completion is one. A round: 4 frames of 4096 + 78 + 20, the last one's gap
    // less, the ACK of 74 and twice 100 us. Each has a completion, so that each next one follows an
    // ACK; 40 messages are 10 rounds, the ends of which are all one frame apart: the first of a
    // round takes a frame, its ACK and the way; the last one follows 3 frames later.
    Bench bench;
    bench.BuildRow(0, MicroSeconds(100));
    PerftestConfig config = Config("write-bw", {4096}, 40);
    config.txDepth = 4;
    config.cqModeration = 1;
    PerftestResult row = bench.Measure(config).at(0);
    int64_t frame = (8 + 62 + 16 + 4096) * BYTE; // without its gap
    int64_t slot = frame + 12 * BYTE;
    int64_t round = frame + 74 * BYTE + 2 * 100'000 * NS;
    EXPECT_NEAR(row.bandwidth.averageMibPerSecond, Average(40, 4096, 10 * round + 3 * slot), 0.01);
}

TEST(PerftestBandwidth, ModerationPostsInBatches)
{
    // 2 of 4 a completion: a batch of 2 waits for the ACK of the second one before it.
    Bench bench;
    bench.BuildRow(0, MicroSeconds(100));
    PerftestConfig config = Config("write-bw", {4096}, 40);
    config.txDepth = 4;
    config.cqModeration = 2;
    PerftestResult row = bench.Measure(config).at(0);
    int64_t frame = (8 + 62 + 16 + 4096) * BYTE;
    int64_t slot = frame + 12 * BYTE;
    // Batches A and B, each twice a slot: A's second frame ends after slot + frame, its ACK comes
    // back, and A goes again: 10 times. B follows A by two slots.
    int64_t round = slot + frame + 74 * BYTE + 2 * 100'000 * NS;
    EXPECT_NEAR(row.bandwidth.averageMibPerSecond, Average(40, 4096, 10 * round + 2 * slot), 0.01);
}

TEST(PerftestBandwidth, BidirectionalIsTheSum)
{
    // ACKs of 66 + 20 bytes come between the data: one a message here, in either direction.
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    PerftestConfig config = Config("write-bw", {65536}, 100);
    double one = bench.Measure(config).at(0).bandwidth.averageMibPerSecond;
    config.bidirectional = true;
    double both = bench.Measure(config).at(0).bandwidth.averageMibPerSecond;
    double slots = 16 * (4096 + 62 + 20) + 16;
    EXPECT_NEAR(both / one, 2 * slots / (slots + 86), 0.01);
}

TEST(PerftestBandwidth, ReadsAreBoundByTheirNumber)
{
    // One READ at a time: the request of 78 bytes and its preamble, 16 frames of responses with an
    // AETH in the first and the last one, and the way twice.
    Bench bench;
    bench.BuildRow(0, MicroSeconds(50));
    PerftestConfig config = Config("read-bw", {65536}, 20);
    config.outstandingReads = 1;
    PerftestResult one = bench.Measure(config).at(0);
    int64_t responses = 16 * (4096 + 62 + 20) + 2 * 4 - 12;
    int64_t round = (8 + 62 + 16 + responses) * BYTE + 2 * 50'000 * NS;
    EXPECT_NEAR(one.bandwidth.averageMibPerSecond, Average(20, 65536, 20 * round), 0.01);

    // N at a time: as long as N responses take less than a round, N each round, and at the end the
    // last N - 1 follow each other.
    for (uint32_t reads : {4U, 16U})
    {
        config.outstandingReads = reads;
        config.iterations = 10 * reads;
        int64_t time = 10 * round + (reads - 1) * (responses + 12) * BYTE;
        EXPECT_NEAR(bench.Measure(config).at(0).bandwidth.averageMibPerSecond,
                    Average(config.iterations, 65536, time),
                    1)
            << reads;
    }
}

TEST(PerftestBandwidth, EveryTestAndConnectionRuns)
{
    struct Case
    {
        const char* test;
        const char* connection;
        std::vector<uint64_t> sizes;
    };

    const Case cases[] = {{"write-bw", "RC", {2, 4096, 100'000}},
                          {"write-bw", "UC", {2, 4096, 100'000}},
                          {"send-bw", "RC", {2, 4096, 100'000}},
                          {"send-bw", "UC", {2, 4096, 100'000}},
                          {"send-bw", "UD", {2, 1024, 4096}},
                          {"read-bw", "RC", {2, 4096, 100'000}},
                          {"atomic-bw", "RC", {8}},
                          {"write-lat", "RC", {2, 4096, 100'000}},
                          {"write-lat", "UC", {2, 4096, 100'000}},
                          {"send-lat", "RC", {2, 4096, 100'000}},
                          {"send-lat", "UC", {2, 4096, 100'000}},
                          {"send-lat", "UD", {2, 1024, 4096}},
                          {"read-lat", "RC", {2, 4096, 100'000}},
                          {"atomic-lat", "RC", {8}}};
    for (const char* nic : {"ideal", "connectx-6-hdr"})
    {
        Bench bench;
        bench.SetPreset(nic);
        bench.BuildRow(1, NanoSeconds(100));
        for (const Case& one : cases)
        {
            PerftestConfig config = Config(one.test, one.sizes, 300);
            config.connection = one.connection;
            for (const PerftestResult& row : bench.Measure(config))
            {
                double figure =
                    row.isLatency ? row.latency.typical : row.bandwidth.averageMibPerSecond;
                EXPECT_GT(figure, 0) << one.test << ' ' << one.connection << ' ' << row.bytes;
            }
            config.atomic = "compare-and-swap";
            bench.Measure(config);
        }
    }
}

TEST(PerftestBandwidth, ThousandPairs)
{
    // 1024 pairs with 8 messages of 64 bytes: 8192 frames of 64 + 78 + 20 bytes fill the line.
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    PerftestConfig config = Config("write-bw", {64}, 8);
    config.queuePairs = 1024;
    PerftestResult row = bench.Measure(config).at(0);
    int64_t time = (8192 * (64 + 78 + 20) - 12 + 74) * BYTE + 2 * 500 * NS;
    EXPECT_NEAR(row.bandwidth.averageMibPerSecond, Average(8192, 64, time), 0.5);
}

// ---------------------------------------------------------------- latency

TEST(PerftestLatency, WriteIsHalfOfARound)
{
    // 2 bytes, padded to 4: 82 bytes and the preamble. The other side acknowledges first: 66 + 20.
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    PerftestResult row = bench.Measure(Config("write-lat", {2}, 20)).at(0);
    double expected = static_cast<double>((90 + 86) * BYTE + 500 * NS) / 1e6;
    EXPECT_NEAR(row.latency.typical, expected, 1e-9);
    EXPECT_NEAR(row.latency.maximum, expected, 1e-9);
    // The very first message follows no acknowledgement: half of that round is shorter by half of
    // one.
    EXPECT_NEAR(row.latency.minimum, expected - static_cast<double>(43 * BYTE) / 1e6, 1e-9);
}

TEST(PerftestLatency, UnreliableHasNoAcknowledgement)
{
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    PerftestConfig config = Config("write-lat", {2}, 20);
    config.connection = "UC";
    EXPECT_NEAR(bench.Measure(config).at(0).latency.typical,
                static_cast<double>(90 * BYTE + 500 * NS) / 1e6,
                1e-9);
    // A datagram has a DETH of 8 instead of the RETH of 16.
    config.test = "send-lat";
    config.connection = "UD";
    EXPECT_NEAR(bench.Measure(config).at(0).latency.typical,
                static_cast<double>((90 - 8) * BYTE + 500 * NS) / 1e6,
                1e-9);
}

TEST(PerftestLatency, ReadAndAtomicAreAWholeRound)
{
    // READ of 64 bytes: request 78 + 8, response 62 + 4 + 64 + 8. Atomic: 62 + 28 + 8, then 62 + 4
    // + 8 + 8.
    Bench bench;
    bench.BuildRow(0, NanoSeconds(500));
    EXPECT_NEAR(bench.Measure(Config("read-lat", {64}, 20)).at(0).latency.typical,
                static_cast<double>((86 + 138) * BYTE + 2 * 500 * NS) / 1e6,
                1e-9);
    EXPECT_NEAR(bench.Measure(Config("atomic-lat", {8}, 20)).at(0).latency.typical,
                static_cast<double>((98 + 82) * BYTE + 2 * 500 * NS) / 1e6,
                1e-9);
}

TEST(PerftestLatency, EachPartOfTheHostsSideCountsOnce)
{
    Bench ideal;
    ideal.BuildRow(0, NanoSeconds(500));
    PerftestConfig config = Config("write-lat", {2, 512}, 20);
    config.connection = "UC"; // no acknowledgement in the way
    double inlined = ideal.Measure(config).at(0).latency.typical;
    double read = ideal.test->GetResults().at(1).latency.typical;
    Simulator::Destroy();

    Bench bench;
    bench.SetHostInterface({{"DoorbellLatency", "200ns"},
                            {"SendProcessing", "30ns"},
                            {"ReceiveProcessing", "50ns"},
                            {"WriteLatency", "300ns"},
                            {"ReadLatency", "900ns"},
                            {"BlueFlameBytes", "256"}});
    bench.BuildRow(0, NanoSeconds(500));
    std::vector<PerftestResult> rows = bench.Measure(config);
    EXPECT_NEAR(rows.at(0).latency.typical, inlined + 0.580, 1e-9);
    EXPECT_NEAR(rows.at(1).latency.typical, read + 0.580 + 0.900, 1e-9);
}

// ---------------------------------------------------------------- bounds of the host's side

TEST(PerftestNic, OnePairsMessageRate)
{
    Bench bench;
    bench.SetHostInterface({{"QpMessageInterval", "386ns"}});
    bench.BuildRow(0, NanoSeconds(500));
    PerftestResult row = bench.Measure(Config("write-bw", {64}, 1000)).at(0);
    // 999 intervals, a frame of 142 + 8 bytes and an ACK of 74, and the way twice.
    double time = 999 * 0.386 + (150 + 74) * 40e-6 + 2 * 0.5;
    EXPECT_NEAR(row.bandwidth.messagesPerMicrosecond, 1000 / time, 1e-6);
}

TEST(PerftestNic, MessageRateFallsWhenPairsExceedTheConnectionCache)
{
    // 20 ns a message, unless each needs a context from host memory, of which two come each 400 ns.
    auto rateOf = [](uint32_t pairs) {
        Bench bench;
        bench.SetHostInterface({{"NicMessageInterval", "20ns"},
                                {"CacheEntries", "64"},
                                {"CacheMissCost", "400ns"},
                                {"CacheMisses", "2"}});
        bench.BuildRow(0, NanoSeconds(500));
        PerftestConfig config = Config("write-bw", {64}, 25600 / pairs);
        config.queuePairs = pairs;
        config.txDepth = 1;
        return bench.Measure(config).at(0).bandwidth.messagesPerMicrosecond;
    };
    double fitting = rateOf(64);
    // 25600 messages each 20 ns, after 64 first misses each 200 ns.
    EXPECT_NEAR(fitting, 25600 / (25600 * 0.020 + 64 * 0.200), 0.5);
    // Four times as many: each message misses when it is posted and when it is acknowledged (while
    // one acknowledgement waits for its context, others push it out again).
    EXPECT_NEAR(rateOf(256), 2.5, 0.1);
}

TEST(PerftestNic, PcieBoundsAFasterLine)
{
    // PCIe 3.0 x16 reads 256 of each 276 bytes at 126.03 Gb/s: 116.9 Gb/s, below the line's 200.
    Bench bench;
    bench.SetHostInterface({{"PcieGeneration", "3"}, {"ReadLatency", "500ns"}});
    bench.BuildRow(0, NanoSeconds(500));
    PerftestResult row = bench.Measure(Config("write-bw", {1 << 20}, 40)).at(0);
    EXPECT_NEAR(row.bandwidth.averageMibPerSecond * MIB * 8e-9, 116.9, 0.6);
}

// ---------------------------------------------------------------- scenarios

TEST(PerftestScenario, RowsAreThoseOfTheClosedForm)
{
    // An ideal NIC, two cables of 100 ns and a switch: half of a round is the frame of 90 bytes
    // twice (the switch stores it), the ACK before it, and the cables.
    if (std::string(AI_FABRIC_PROGRAM).empty())
    {
        GTEST_SKIP() << "the program was not built";
    }
    test::TemporaryFolder folder;
    folder.Write("scenario.json",
                 R"({
  "topology": { "type": "star", "hosts": 3, "linkRate": "200Gbps", "linkDelay": "100ns" },
  "network": { "congestionControl": { "name": "none" } },
  "jobs": [
    { "name": "latency",
      "workload": { "type": "perftest", "test": "write-lat", "client": 2, "server": 0,
                    "sizes": [ 2, "4KiB" ], "iterations": 10 } },
    { "name": "bandwidth", "start": "1ms",
      "workload": { "type": "perftest", "test": "write-bw", "queuePairs": 2, "iterations": 50 } }
  ]
})");
    auto run = test::RunProgram("run " + folder.PathOf("scenario.json") + " --quiet --out " +
                                folder.PathOf("results"));
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_NE(run.output.find("RDMA_Write Latency Test"), std::string::npos) << run.output;
    std::vector<test::CsvRow> rows = test::ReadCsv(folder.PathOf("results/perftest.csv"));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].at("job"), "latency");
    EXPECT_EQ(rows[0].at("bytes"), "2");
    EXPECT_EQ(rows[0].at("bw_average_mib_per_s"), "");
    int64_t first = (2 * 90 + 86) * BYTE + 2 * 100 * NS;
    EXPECT_EQ(test::Picoseconds(rows[0].at("t_typical_us")), first);
    int64_t second = (2 * (8 + 62 + 16 + 4096) + 86) * BYTE + 2 * 100 * NS;
    EXPECT_EQ(test::Picoseconds(rows[1].at("t_typical_us")), second);
    // 100 messages of 64 KiB of two pairs; the last frame passes the switch, and so does its ACK.
    EXPECT_EQ(rows[2].at("iterations"), "100");
    int64_t time =
        (100 * (16 * (4096 + 62 + 20) + 16) - 12 + 4096 + 62 + 8 + 2 * 74) * BYTE + 4 * 100 * NS;
    EXPECT_NEAR(std::stod(rows[2].at("bw_average_mib_per_s")), Average(100, 65536, time), 0.5);
}

// ---------------------------------------------------------------- what was measured

/// A row of test/data/perftest-cx6-hdr.csv.
struct Measured
{
    uint64_t bytes;
    double bandwidth; ///< MiB/s
    double latency;   ///< typical, us
};

std::vector<Measured>
ReadMeasured()
{
    std::ifstream file(AI_FABRIC_SOURCE_DIR "/test/data/perftest-cx6-hdr.csv");
    EXPECT_TRUE(file.is_open());
    std::vector<Measured> rows;
    std::string line;
    while (std::getline(file, line))
    {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        Measured row{};
        double rate;
        double minimum;
        if (fields >> row.bytes >> row.bandwidth >> rate >> minimum >> row.latency)
        {
            rows.push_back(row);
        }
    }
    EXPECT_EQ(rows.size(), 23U); // 2 B to 8 MiB
    return rows;
}

/// The path that the fit assumes: three switches of 130 ns, cables of 116 ns (23 m).
void
BuildMeasuredPath(Bench& bench)
{
    bench.SetPreset("connectx-6-hdr");
    bench.BuildRow(3, NanoSeconds(116));
    for (uint32_t s = 0; s < 3; ++s)
    {
        Ptr<Node> node = bench.network.switches.Get(s);
        for (uint32_t d = 0; d < node->GetNDevices(); ++d)
        {
            node->GetDevice(d)->SetAttribute("IngressLatency", TimeValue(NanoSeconds(130)));
        }
    }
}

TEST(PerftestMeasured, BandwidthOfConnectX6)
{
    for (const Measured& measured : ReadMeasured())
    {
        Bench bench;
        BuildMeasuredPath(bench);
        // Enough messages that the way to and fro does not count: from 50 us to 7 ms.
        auto messages =
            static_cast<uint32_t>(std::clamp<uint64_t>((128 << 20) / measured.bytes, 20, 2000));
        PerftestConfig config = Config("write-bw", {measured.bytes}, messages);
        config.cqModeration = 100;
        double simulated = bench.Measure(config).at(0).bandwidth.averageMibPerSecond;
        double error = simulated / measured.bandwidth - 1;
        double allowed = measured.bytes >= 65536 ? 0.03 : 0.10;
        EXPECT_LE(std::abs(error), allowed)
            << measured.bytes << " bytes: " << simulated << " for " << measured.bandwidth;
        std::cout << "bandwidth " << measured.bytes << " B: " << simulated << " MiB/s, measured "
                  << measured.bandwidth << ", " << 100 * error << " %\n";
    }
}

TEST(PerftestMeasured, LatencyOfConnectX6)
{
    std::map<uint64_t, double> latency;
    for (const Measured& measured : ReadMeasured())
    {
        Bench bench;
        BuildMeasuredPath(bench);
        double simulated =
            bench.Measure(Config("write-lat", {measured.bytes}, 8)).at(0).latency.typical;
        double error = simulated / measured.latency - 1;
        EXPECT_LE(std::abs(error), 0.10)
            << measured.bytes << " bytes: " << simulated << " for " << measured.latency;
        std::cout << "latency " << measured.bytes << " B: " << simulated << " us, measured "
                  << measured.latency << ", " << 100 * error << " %\n";
        latency[measured.bytes] = simulated;
    }
    // The step where a message no longer fits into its work request: measured 0.91 us.
    EXPECT_NEAR(latency[256] - latency[128], 0.91, 0.1);
    EXPECT_LT(latency[128] - latency[64], 0.05);
}

} // namespace
