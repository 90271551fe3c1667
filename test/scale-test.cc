// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Many messages, many of them at a time, many queue pairs: all complete.
 */

#include "fabric-fixture.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
const std::string RATE = "400Gbps";

class Scale : public testing::Test
{
  protected:
    void ExpectSucceeded(uint64_t count)
    {
        ASSERT_EQ(f.records.size(), count);
        for (uint64_t i = 0; i < count; ++i)
        {
            ASSERT_EQ(f.records[i].status, WcStatus::SUCCESS);
        }
        f.ExpectDrained();
    }

    FabricFixture f;
};

TEST_F(Scale, SeventyThousandMessagesOnOnePair)
{
    // More than a 16-bit number of anything between one pair of nodes.
    constexpr uint64_t MESSAGES = 70000;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        f.Post(c, 64, RdmaOperation::WRITE, i);
    }
    f.Run();
    ExpectSucceeded(MESSAGES);
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        ASSERT_EQ(f.records[i].workRequestId, i);
    }
    EXPECT_EQ(c.b->GetResponder().GetDeliveredMessages(), MESSAGES);
    // Each of 62 + 16 + 64 B and 20 B around it, one after the other.
    Time last = OnWire(RATE, (MESSAGES - 1) * 162 + 2 * 150 + 2 * 74) + DELAY * 4;
    EXPECT_EQ(TimeStep(f.records.back().end), last);
}

TEST_F(Scale, SeventyThousandPairsBetweenTwoNodesOneAfterTheOther)
{
    constexpr uint64_t PAIRS = 70000;
    f.BuildStar(2, RATE, DELAY);
    std::set<uint32_t> numbers;
    for (uint64_t i = 0; i < PAIRS; ++i)
    {
        Connection c = f.Connect(0, 1);
        numbers.insert(c.a->GetNumber());
        f.Post(c, 64, RdmaOperation::WRITE, i);
    }
    EXPECT_EQ(numbers.size(), PAIRS) << "no number twice";
    f.Run();
    ExpectSucceeded(PAIRS);
}

TEST_F(Scale, HundredThousandOutstandingMessages)
{
    // 100 persistent pairs with 1,000 messages each, of all strategies, and losses.
    constexpr uint64_t PAIRS = 100;
    constexpr uint64_t EACH = 1000;
    f.lossRate = 1e-3;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(9));
    f.BuildStar(11, RATE, DELAY);
    const char* strategies[] = {"ns3::GoBackN", "ns3::SelectiveRepeat", "ns3::OutOfOrderPlacement"};
    for (uint64_t p = 0; p < PAIRS; ++p)
    {
        Connection c = f.Connect(0, 1 + p % 10, [&](Ptr<QueuePair> qp) {
            qp->SetReliability(ObjectFactory(strategies[p % 3]).Create<RdmaReliability>());
        });
        for (uint64_t i = 0; i < EACH; ++i)
        {
            f.Post(c, 10000);
        }
        EXPECT_EQ(c.a->GetRequester().GetOutstanding(), EACH);
    }
    f.Run();
    ExpectSucceeded(PAIRS * EACH);
    f.ExpectAllSucceeded(PAIRS * EACH, PAIRS * EACH * 10000);
}

TEST_F(Scale, HundredThousandOutstandingMessagesOnOnePairWithLosses)
{
    constexpr uint64_t MESSAGES = 100000;
    f.lossRate = 1e-3;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(6));
    f.BuildStar(4, RATE, DELAY);
    const char* strategies[] = {"ns3::GoBackN", "ns3::SelectiveRepeat", "ns3::OutOfOrderPlacement"};
    for (uint32_t s = 0; s < 3; ++s)
    {
        Connection c = f.Connect(0, 1 + s, [&](Ptr<QueuePair> qp) {
            qp->SetReliability(ObjectFactory(strategies[s]).Create<RdmaReliability>());
        });
        for (uint64_t i = 0; i < MESSAGES; ++i)
        {
            f.Post(c, 100);
        }
        EXPECT_EQ(c.a->GetRequester().GetOutstanding(), MESSAGES);
    }
    f.Run();
    ExpectSucceeded(3 * MESSAGES);
}

TEST_F(Scale, TenThousandPairsOnOneNic)
{
    constexpr uint64_t PAIRS = 10000;
    f.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    f.BuildStar(11, RATE, DELAY);
    const char* strategies[] = {"ns3::GoBackN", "ns3::SelectiveRepeat", "ns3::OutOfOrderPlacement"};
    size_t most = 0;
    std::vector<Connection> connections;
    for (uint64_t p = 0; p < PAIRS; ++p)
    {
        connections.push_back(f.Connect(0, 1 + p % 10, [&](Ptr<QueuePair> qp) {
            qp->SetReliability(ObjectFactory(strategies[p % 3]).Create<RdmaReliability>());
        }));
        f.Post(connections.back(), 20000);
    }
    f.Run();
    ExpectSucceeded(PAIRS);
    for (const Connection& c : connections)
    {
        most = std::max({most, c.a->GetMemoryBytes(), c.b->GetMemoryBytes()});
    }
    EXPECT_LE(most, 1024u) << "bytes of an idle pair";
}

} // namespace
