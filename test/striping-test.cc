// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Several queue pairs a connection: what a message becomes on the wire, and how ECMP spreads
 * it.
 */

#include "program-run.h"

#include "ns3/message-order.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;
using namespace test;

namespace
{

/// Two ranks on two leaves with four spines between; 64 MiB, ring, so 2 (n-1) / n x 64 MiB each.
const char* const SCENARIO = R"({
  "topology": {"type": "leaf-spine", "leaves": 2, "spines": 4, "hostsPerLeaf": 1,
               "linkRate": "100Gbps"},
  "network": {"reliability": "RELIABILITY"},
  "attributes": {"ns3::Communicator::QueuePairsPerConnection": "PAIRS",
                 "ns3::Communicator::SplitData": "SPLIT",
                 "ns3::QueuePair::UdpSourcePortPolicy": "PerPair"},
  "jobs": [{"workload": {"type": "collective", "op": "all-reduce", "sizes": "64MiB"}}]})";

std::string
Replaced(std::string text, const std::string& word, const std::string& by)
{
    return text.replace(text.find(word), word.size(), by);
}

struct Outcome
{
    std::map<uint64_t, size_t> messagesBySize;
    uint64_t bytes{0};
    std::set<std::string> usedUplinks; ///< of leaf 0, with at least 1 MB of payload
};

Outcome
RunWith(const std::string& pairs,
        const std::string& split,
        const std::string& reliability = "go-back-n")
{
    TemporaryFolder folder;
    std::string scenario = Replaced(SCENARIO, "RELIABILITY", reliability);
    folder.Write("s.json", Replaced(Replaced(scenario, "PAIRS", pairs), "SPLIT", split));
    ProgramResult run =
        RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    EXPECT_EQ(run.status, 0) << run.output;
    Outcome outcome;
    for (const CsvRow& row : ReadCsv(folder.PathOf("r/messages.csv")))
    {
        uint64_t bytes = std::stoull(row.at("bytes"));
        constexpr uint64_t CLEAR_TO_SEND = 64; // one for each message, the other way
        if (bytes == CLEAR_TO_SEND)
        {
            continue;
        }
        ++outcome.messagesBySize[bytes];
        outcome.bytes += bytes;
    }
    for (const CsvRow& row : ReadCsv(folder.PathOf("r/links.csv")))
    {
        bool uplink =
            row.at("port").rfind("leaf0", 0) == 0 && row.at("peer").rfind("spine", 0) == 0;
        if (uplink && std::stoull(row.at("tx_bytes")) > 1000000)
        {
            outcome.usedUplinks.insert(row.at("port"));
        }
    }
    return outcome;
}

} // namespace

TEST(Striping, PayloadIsTheSameHoweverItIsSpread)
{
    // Ring of two: each rank sends the buffer once in all, 2 (n-1)/n of it.
    constexpr uint64_t ALL = 2 * (uint64_t{64} << 20);
    Outcome one = RunWith("1", "false");
    Outcome turns = RunWith("4", "false");
    Outcome split = RunWith("4", "true");
    EXPECT_EQ(one.bytes, ALL);
    EXPECT_EQ(turns.bytes, ALL);
    EXPECT_EQ(split.bytes, ALL);
    EXPECT_EQ(turns.messagesBySize, one.messagesBySize) << "whole messages, in turn";
    // Each message in four: sizes that 4 x 128 divides are cut in equal parts.
    for (auto [size, count] : one.messagesBySize)
    {
        ASSERT_EQ(size % 512, 0u);
        EXPECT_EQ(split.messagesBySize[size / 4], 4 * count);
    }
}

TEST(Striping, SeveralFlowsUseSeveralPaths)
{
    // One flow a direction and channel has one path; with more flows more of the four are used.
    size_t one = RunWith("1", "false").usedUplinks.size();
    size_t many = RunWith("16", "true").usedUplinks.size();
    EXPECT_GT(many, one);
    EXPECT_EQ(many, 4u);
}

TEST(Striping, WorksWithOutOfOrderPlacement)
{
    EXPECT_EQ(RunWith("4", "true", "out-of-order").bytes, 2 * (uint64_t{64} << 20));
}

TEST(MessageOrder, DeliversWholeMessagesInOrder)
{
    std::vector<uint64_t> delivered;
    auto due = [&](uint64_t bytes) { delivered.push_back(bytes); };
    MessageOrder order(2);
    order.Come(1, 10, due);
    order.Come(0, 1, due);
    order.Come(1, 20, due);
    EXPECT_TRUE(delivered.empty()) << "message 0 lacks a part";
    order.Come(0, 2, due);
    EXPECT_EQ(delivered, (std::vector<uint64_t>{3, 30}));
}

TEST(MessageOrder, PutsSinglePartsBackIntoOrder)
{
    std::vector<uint64_t> delivered;
    auto due = [&](uint64_t bytes) { delivered.push_back(bytes); };
    MessageOrder order(1);
    order.Come(0, 100, due);
    order.Come(2, 102, due);
    order.Come(3, 103, due);
    order.Come(1, 101, due);
    order.Come(4, 104, due);
    EXPECT_EQ(delivered, (std::vector<uint64_t>{100, 101, 102, 103, 104}));
}
