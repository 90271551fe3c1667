// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The host's side of a NIC, each cost by itself against its closed form.
 */

#include "ns3/connection-cache.h"
#include "ns3/nic-presets.h"
#include "ns3/rdma-host-interface.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

const bool g_countsPicoseconds = [] {
    Time::SetResolution(Time::PS);
    return true;
}();

constexpr int64_t NS = 1000; // picoseconds

Ptr<RdmaHostInterface>
Host(const std::map<std::string, std::string>& attributes)
{
    auto host = CreateObject<RdmaHostInterface>();
    for (const auto& [name, value] : attributes)
    {
        host->SetAttribute(name, StringValue(value));
    }
    return host;
}

// ---------------------------------------------------------------- defaults

TEST(HostInterface, CostsNothingByDefault)
{
    Ptr<RdmaHostInterface> host = Host({});
    RdmaHostQueue queue;
    EXPECT_EQ(host->Post(queue, 7, 0, 1, 1000), 1000);
    EXPECT_EQ(host->Post(queue, 7, 100, 0, 1000), 1000);
    EXPECT_EQ(host->Fetch(1 << 20, 1000, true, 1000), 1000);
    EXPECT_EQ(host->Fetch(1 << 20, 1000, false, 1000), 1000);
    EXPECT_EQ(host->Place(4096, 1000), 1000);
    EXPECT_EQ(host->Report(1000), 1000);
    EXPECT_EQ(host->Context(7, 1000), 0);
    host->Sent(queue, 5000);
    EXPECT_EQ(queue.turned, 5000);
    EXPECT_EQ(host->GetCnpSteps(), 0);
}

// ---------------------------------------------------------------- PCIe

TEST(Pcie, Generation3With16LanesAnd256Bytes)
{
    // 8 GT/s x 16 lanes x 128/130 = 126.031 Gb/s. 4096 bytes are 16 packets of 256. Written, each
    // has 24 more: 4480 bytes, 284.375 ns, 115.23 Gb/s of payload; read, 20: 4416 bytes,
    // 280.3125 ns, 116.90 Gb/s.
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}, {"PcieLanes", "16"}});
    EXPECT_EQ(host->WriteSteps(4096), 284375);
    EXPECT_EQ(host->ReadSteps(4096), 280313); // 280312.5 ps
    // 100 bytes are one packet: 124 bytes at 16.25/256 ns a byte (130 bits for 16 bytes at 128
    // Gb/s).
    EXPECT_EQ(host->WriteSteps(100), std::llround(124 * 16250.0 / 256));
    EXPECT_EQ(host->WriteSteps(0), 0);
}

TEST(Pcie, EveryGeneration)
{
    // A packet of 256 bytes with 24, on one lane: 2240 bits at 2 and 4 Gb/s (8b/10b), then at 8, 16
    // and 32 GT/s x 128/130, then at 64 GT/s x 242/256.
    const std::map<std::string, int64_t> picoseconds{{"1", 1120000},
                                                     {"2", 560000},
                                                     {"3", 284375},
                                                     {"4", 142188}, // 142187.5
                                                     {"5", 71094},  // 71093.75
                                                     {"6", 37025}}; // 37024.8
    for (const auto& [generation, expected] : picoseconds)
    {
        Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", generation}, {"PcieLanes", "1"}});
        EXPECT_EQ(host->WriteSteps(256), expected) << generation;
    }
}

TEST(Pcie, SmallerPacketsAndTheLinkLayerCost)
{
    // 128 bytes a packet: 32 x 152 = 4864 bytes at 16250/256 ps each; with a fifth less, 5/4 of it.
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}, {"MaxPayload", "128"}});
    EXPECT_EQ(host->WriteSteps(4096), 308750);
    host->SetAttribute("LinkLayerShare", StringValue("0.2"));
    EXPECT_EQ(host->WriteSteps(4096), 385938); // 385937.5
}

TEST(Pcie, ReadCreditsBoundReads)
{
    // 8 requests of 512 bytes each 1 us: 4096 bytes a microsecond, far below the link's 280 ns.
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"},
                                        {"ReadLatency", "1us"},
                                        {"ReadCredits", "8"},
                                        {"MaxReadRequest", "512"}});
    EXPECT_EQ(host->ReadSteps(4096), 1000 * NS);
    EXPECT_EQ(host->WriteSteps(4096), 284375); // posted: nothing comes back
    // 64 of them are 32 KiB a microsecond: 125 ns, so that the link is the bound again.
    host->SetAttribute("ReadCredits", StringValue("64"));
    EXPECT_EQ(host->ReadSteps(4096), 280313);
}

TEST(Pcie, TheFirstFramePaysTheRoundTripAndTheNextOnesStream)
{
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}, {"ReadLatency", "900ns"}});
    const int64_t frame = 280313;
    const int64_t known = 5000 * NS;
    int64_t first = host->Fetch(4096, known, true, known);
    EXPECT_EQ(first, known + 900 * NS + frame);
    // A line of 100 Gb/s asks every 334 ns: each frame is there in time.
    for (int i = 1; i < 100; i++)
    {
        int64_t turn = first + i * 334 * NS;
        EXPECT_EQ(host->Fetch(4096, known, false, turn), turn);
    }
    EXPECT_EQ(host->GetCounters().bytesRead, 100U * 4096);
}

TEST(Pcie, TheRoundTripHidesBehindTheMessagesBefore)
{
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}, {"ReadLatency", "900ns"}});
    const int64_t frame = 280313;
    // Known for exactly as long as it takes, for longer, and for 100 ns less.
    EXPECT_EQ(host->Fetch(4096, 0, true, 900 * NS + frame), 900 * NS + frame);
    EXPECT_EQ(host->Fetch(4096, 0, true, 5000 * NS), 5000 * NS);
    EXPECT_EQ(host->Fetch(4096, 8000 * NS, true, 8800 * NS + frame), 8900 * NS + frame);
}

TEST(Pcie, WhoIsFasterThanPcieWaitsForIt)
{
    // A line of 400 Gb/s asks for a frame every 84 ns, in which PCIe brings a third of it.
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}});
    const int64_t frame = 280313;
    int64_t ready = 0;
    for (int i = 0; i < 1000; i++)
    {
        ready = host->Fetch(4096, 0, i == 0, std::max<int64_t>(ready, i * 84 * NS));
    }
    EXPECT_NEAR(static_cast<double>(ready), 1000.0 * frame, 2.0 * frame);
}

TEST(Pcie, AMessageThatBeginsHoldsUpNoOther)
{
    Ptr<RdmaHostInterface> host = Host({{"PcieGeneration", "3"}, {"ReadLatency", "900ns"}});
    EXPECT_EQ(host->Fetch(4096, 0, true, 10000 * NS), 10000 * NS);
    EXPECT_GT(host->Fetch(4096, 10334 * NS, true, 10334 * NS), 11000 * NS);
    EXPECT_EQ(host->Fetch(4096, 0, false, 10668 * NS), 10668 * NS);
}

TEST(Pcie, ReceivedPayloadAndItsCompletion)
{
    Ptr<RdmaHostInterface> host =
        Host({{"PcieGeneration", "3"}, {"ReceiveProcessing", "100ns"}, {"WriteLatency", "250ns"}});
    const int64_t frame = 284375;
    EXPECT_EQ(host->Place(4096, 0), 350 * NS + frame);
    EXPECT_EQ(host->Place(4096, 0), 350 * NS + 2 * frame); // behind the first one
    int64_t placed = host->Place(4096, 10000 * NS);
    EXPECT_EQ(placed, 10350 * NS + frame);
    // The entry, 64 bytes and 24, follows at once: 88 x 16250/256 ps.
    int64_t entry = std::llround(88 * 16250.0 / 256);
    EXPECT_EQ(host->Report(placed), placed + entry);
    // An acknowledgement writes nothing but its entry.
    int64_t acknowledged = host->Place(0, 20000 * NS);
    EXPECT_EQ(acknowledged, 20350 * NS);
    EXPECT_EQ(host->Report(acknowledged), acknowledged + entry);
    EXPECT_EQ(host->GetCounters().bytesWritten, 3U * 4096 + 2 * 64);
}

// ---------------------------------------------------------------- posting

TEST(Posting, BlueFlameSavesTheRead)
{
    // A work request of 32 bytes and one piece of 16 has 48. Inline it has 32 + 4 + data: 220 bytes
    // of data fill 256 exactly.
    Ptr<RdmaHostInterface> host = Host({{"DoorbellLatency", "200ns"},
                                        {"ReadLatency", "900ns"},
                                        {"SendProcessing", "50ns"},
                                        {"BlueFlameBytes", "256"}});
    auto post = [&](uint32_t inlined, uint32_t pieces) {
        RdmaHostQueue queue;
        return host->Post(queue, 2, inlined, pieces, 0);
    };
    EXPECT_EQ(post(0, 1), 250 * NS);
    EXPECT_EQ(post(220, 0), 250 * NS);
    EXPECT_EQ(post(221, 0), 1150 * NS);
    EXPECT_EQ(post(0, 14), 250 * NS);  // 32 + 14 x 16 = 256
    EXPECT_EQ(post(0, 15), 1150 * NS); // 272
    host->SetAttribute("BlueFlameBytes", StringValue("0"));
    EXPECT_EQ(post(0, 1), 1150 * NS);
    EXPECT_EQ(host->GetCounters().doorbells, 6U);
    EXPECT_EQ(host->GetCounters().blueFlames, 3U);
    EXPECT_EQ(host->GetCounters().bytesRead, 257U + 272 + 48);
}

TEST(Posting, APairsMessagesStayInOrder)
{
    // The second one comes with its doorbell, and still waits for the first one to be read.
    Ptr<RdmaHostInterface> host = Host({{"ReadLatency", "900ns"}, {"BlueFlameBytes", "256"}});
    RdmaHostQueue queue;
    EXPECT_EQ(host->Post(queue, 2, 221, 0, 0), 900 * NS);
    EXPECT_EQ(host->Post(queue, 2, 64, 0, 100 * NS), 900 * NS);
    RdmaHostQueue other;
    EXPECT_EQ(host->Post(other, 3, 64, 0, 100 * NS), 100 * NS);
}

TEST(Posting, InlineNeedsNoPayloadRead)
{
    // Until the first frame can go: inline, the doorbell; else also a round trip for the payload.
    Ptr<RdmaHostInterface> host =
        Host({{"DoorbellLatency", "200ns"}, {"ReadLatency", "900ns"}, {"BlueFlameBytes", "256"}});
    RdmaHostQueue queue;
    int64_t inlined = host->Post(queue, 2, 64, 0, 0);
    EXPECT_EQ(inlined, 200 * NS);
    int64_t posted = host->Post(queue, 2, 0, 1, 0);
    EXPECT_EQ(host->Fetch(64, posted, true, posted), 1100 * NS);
}

TEST(Posting, OnePairsMessageRate)
{
    // 386 ns a message are 2.59 million a second, however many are posted at once.
    Ptr<RdmaHostInterface> host = Host({{"QpMessageInterval", "386ns"}});
    RdmaHostQueue queue;
    for (int i = 0; i < 128; i++)
    {
        EXPECT_EQ(host->Post(queue, 2, 0, 1, 0), i * 386 * NS);
    }
    RdmaHostQueue other; // is not concerned
    EXPECT_EQ(host->Post(other, 3, 0, 1, 0), 0);
    // Whoever posts more slowly than that does not wait.
    EXPECT_EQ(host->Post(queue, 2, 0, 1, 60000 * NS), 60000 * NS);
    EXPECT_EQ(host->Post(queue, 2, 0, 1, 60400 * NS), 60400 * NS);
}

TEST(Posting, TheNicsMessageRate)
{
    // 5 ns a message for all pairs together: 100 pairs with 10 messages each begin in 5 us.
    Ptr<RdmaHostInterface> host = Host({{"NicMessageInterval", "5ns"}});
    std::vector<RdmaHostQueue> queues(100);
    int64_t last = 0;
    for (int message = 0; message < 10; message++)
    {
        for (uint32_t pair = 0; pair < queues.size(); pair++)
        {
            last = host->Post(queues[pair], pair, 0, 1, 0);
        }
    }
    EXPECT_EQ(last, 999 * 5 * NS);
}

TEST(Posting, TurnaroundFollowsTheLastFrame)
{
    Ptr<RdmaHostInterface> host = Host({{"Turnaround", "90ns"}});
    RdmaHostQueue queue;
    host->Sent(queue, 1000 * NS);
    EXPECT_EQ(queue.turned, 1090 * NS);
}

TEST(Posting, CnpsTakeTheirTime)
{
    EXPECT_EQ(Host({{"CnpProcessing", "3us"}})->GetCnpSteps(), 3000 * NS);
}

// ---------------------------------------------------------------- connection cache

TEST(Cache, FullyAssociativeForgetsTheLeastRecentlyUsed)
{
    ConnectionCache cache;
    cache.Configure(3, 3);
    std::vector<bool> hits;
    for (uint32_t connection : {1, 2, 3, 1, 4, 2, 1, 3, 4, 1, 1})
    {
        hits.push_back(cache.Touch(connection));
    }
    // 1 2 3 are new; 1 is there; 4 replaces 2, which then replaces 3; 1 is there; 3 replaces 4, 4
    // replaces 2; 1 is there, twice.
    EXPECT_EQ(hits,
              (std::vector<
                  bool>{false, false, false, true, false, false, true, false, false, true, true}));
}

TEST(Cache, SetsAreByLowBits)
{
    // Two sets of two: 0 2 4 share one, 1 3 the other.
    ConnectionCache cache;
    cache.Configure(4, 2);
    std::vector<bool> hits;
    for (uint32_t connection : {0, 2, 1, 4, 0, 1, 3, 1, 3, 4})
    {
        hits.push_back(cache.Touch(connection));
    }
    // 4 replaces 0, 0 replaces 2; 1 and 3 stay beside each other; 4 is still there.
    EXPECT_EQ(
        hits,
        (std::vector<bool>{false, false, false, false, false, true, false, true, true, true}));
}

TEST(Cache, AsManyAsThereAreEntriesAlwaysFitAndOneMoreInTurnNever)
{
    for (uint32_t ways : {1U, 4U, 64U})
    {
        ConnectionCache cache;
        cache.Configure(64, ways);
        uint32_t hits = 0;
        for (int round = 0; round < 10; round++)
        {
            for (uint32_t connection = 2; connection < 66; connection++)
            {
                hits += cache.Touch(connection);
            }
        }
        EXPECT_EQ(hits, 9U * 64) << ways;
    }
    ConnectionCache cache;
    cache.Configure(64, 64);
    uint32_t hits = 0;
    for (int i = 0; i < 650; i++)
    {
        hits += cache.Touch(i % 65); // the next one is always the one that was dropped last
    }
    EXPECT_EQ(hits, 0U);
}

TEST(Cache, WithoutBoundEveryoneIsThere)
{
    ConnectionCache cache;
    EXPECT_TRUE(cache.Touch(1));
    EXPECT_TRUE(cache.Touch(0xffffffff));
}

TEST(Cache, MissesCostAndAreBounded)
{
    // 1 us a miss, two at a time: 2 million a second.
    Ptr<RdmaHostInterface> host = Host({{"CacheEntries", "2"},
                                        {"CacheWays", "2"},
                                        {"CacheMissCost", "1us"},
                                        {"CacheMisses", "2"}});
    EXPECT_EQ(host->Context(1, 0), 1000 * NS);
    EXPECT_EQ(host->Context(2, 0), 1500 * NS);
    EXPECT_EQ(host->Context(3, 0), 2000 * NS);
    EXPECT_EQ(host->Context(3, 0), 0);
    EXPECT_EQ(host->Context(2, 0), 0);
    EXPECT_EQ(host->Context(1, 9000 * NS), 1000 * NS);
    EXPECT_EQ(host->GetCounters().cacheHits, 2U);
    EXPECT_EQ(host->GetCounters().cacheMisses, 4U);
}

TEST(Cache, MessageRateFallsWhenPairsExceedIt)
{
    // 16 pairs fit and start a message every 10 ns; 32 in turn never do: one message each 250 ns.
    auto lastOf = [](uint32_t pairs) {
        Ptr<RdmaHostInterface> host = Host({{"NicMessageInterval", "10ns"},
                                            {"CacheEntries", "16"},
                                            {"CacheMissCost", "1us"},
                                            {"CacheMisses", "4"}});
        std::vector<RdmaHostQueue> queues(pairs);
        int64_t last = 0;
        for (uint32_t i = 0; i < 3200; i++)
        {
            last = host->Post(queues[i % pairs], i % pairs, 0, 1, 0);
        }
        return last;
    };
    EXPECT_NEAR(static_cast<double>(lastOf(16)), 3200 * 10.0 * NS, 5000.0 * NS);
    EXPECT_NEAR(static_cast<double>(lastOf(32)), 3200 * 250.0 * NS, 2000.0 * NS);
}

TEST(Cache, AnOddSplitIsAnError)
{
    ConnectionCache cache;
    EXPECT_DEATH(cache.Configure(10, 4), "10 entries");
}

// ---------------------------------------------------------------- presets

TEST(Presets, IdealHasNoHostInterface)
{
    ObjectFactory factory("ns3::RdmaHostInterface");
    EXPECT_EQ(ApplyNicPreset("ideal", factory), "");
    EXPECT_FALSE(factory.IsTypeIdSet());
}

TEST(Presets, EveryOneCanBeMade)
{
    ASSERT_FALSE(GetNicPresetNames().empty());
    EXPECT_EQ(GetNicPresetNames().front(), "ideal");
    for (const std::string& name : GetNicPresetNames())
    {
        ObjectFactory factory;
        EXPECT_EQ(ApplyNicPreset(name, factory), "") << name;
        if (factory.IsTypeIdSet())
        {
            EXPECT_TRUE(factory.Create<RdmaHostInterface>()) << name;
        }
        for (const NicSetting& setting : FindNicPreset(name)->settings)
        {
            EXPECT_FALSE(setting.origin.empty()) << name << ' ' << setting.attribute;
        }
    }
}

TEST(Presets, ConnectX6KeepsUpWithItsPort)
{
    // PCIe 4.0 x16 is 252.06 Gb/s, less 9.78 %: 227.41. Reads have 256 of 276 bytes payload,
    // 210.9 Gb/s; writes 256 of 280, 207.9 Gb/s: both more than the port's 200.
    ObjectFactory factory;
    ASSERT_EQ(ApplyNicPreset("connectx-6-hdr", factory), "");
    auto host = factory.Create<RdmaHostInterface>();
    EXPECT_NEAR(static_cast<double>(host->ReadSteps(4096)), 4096 * 8 / 210.93e-3, 200);
    EXPECT_NEAR(static_cast<double>(host->WriteSteps(4096)), 4096 * 8 / 207.92e-3, 200);
}

TEST(Presets, AnUnknownNameIsRefused)
{
    ObjectFactory factory;
    EXPECT_EQ(ApplyNicPreset("connectx-99", factory),
              "no NIC preset is called \"connectx-99\"; there are ideal, connectx-6-hdr");
    EXPECT_EQ(FindNicPreset("connectx-99"), nullptr);
}

} // namespace
