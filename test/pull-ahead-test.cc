// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A port that chooses the frame behind a short one ahead of time (PullAhead): every time is
 * what it is without, a pause that comes meanwhile is obeyed, and there are fewer events.
 */

#include "fabric-fixture.h"

#include "ns3/node.h"

#include <deque>

using namespace ns3;

namespace
{

constexpr uint32_t CLASS = 3;
constexpr uint32_t SHORT = 64;
constexpr uint32_t LONG = 4158;
const std::string RATE = "100Gbps";
const Time DELAY = NanoSeconds(100);

/// What is behind a port: frames to be pulled, in order; and it notes what comes.
class Source : public FabricPortOwner
{
  public:
    void ReceiveFrame(FabricNetDevice&, FramePtr frame) override
    {
        arrivals.emplace_back(frame->sizeBytes, Simulator::Now());
    }

    uint8_t ReadyClasses(FabricNetDevice&, int64_t) override
    {
        return sizes.empty() ? 0 : 1U << CLASS;
    }

    FramePtr PullFrame(FabricNetDevice&, uint32_t, int64_t) override
    {
        FramePtr frame = FabricFrame::Create();
        frame->trafficClass = CLASS;
        frame->sizeBytes = sizes.front();
        sizes.pop_front();
        return frame;
    }

    int64_t NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed) override
    {
        return sizes.empty() || (closed & (1U << CLASS)) ? NEVER : now;
    }

    std::deque<uint32_t> sizes;
    std::vector<std::pair<uint32_t, Time>> arrivals;
};

/// A sends to b, with or without PullAhead.
class TwoPorts
{
  public:
    TwoPorts(uint32_t pullAhead, bool watched, const std::deque<uint32_t>& sizes)
    {
        FabricHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue(RATE));
        helper.SetDeviceAttribute("PullAhead", UintegerValue(pullAhead));
        helper.SetChannelAttribute("Delay", TimeValue(DELAY));
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(devices.Get(0));
        b = DynamicCast<FabricNetDevice>(devices.Get(1));
        if (watched)
        {
            a->TraceConnectWithoutContext(
                "FrameTx",
                Callback<void, const FabricFrame&>(
                    [this](const FabricFrame&) { starts.push_back(Simulator::Now()); }));
        }
        atA.sizes = sizes;
        a->SetOwner(&atA);
        b->SetOwner(&atB);
        Simulator::ScheduleNow(&FabricNetDevice::Kick, a);
    }

    ~TwoPorts()
    {
        Simulator::Destroy();
    }

    uint64_t Run()
    {
        Simulator::Run();
        return Simulator::GetEventCount();
    }

    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
    Source atA;
    Source atB;
    std::vector<Time> starts; ///< of frames at a, if watched
};

const std::deque<uint32_t> PAIRS{SHORT, LONG, SHORT, LONG, SHORT, LONG};

Time
Slot(uint64_t frame)
{
    return OnWire(RATE, bytes::PREAMBLE + frame + bytes::GAP);
}

Time
LastBit(uint64_t frame)
{
    return OnWire(RATE, bytes::PREAMBLE + frame);
}

} // namespace

TEST(PullAhead, LeavesEveryTimeAsItIs)
{
    for (bool watched : {false, true})
    {
        for (uint32_t ahead : {0, 256})
        {
            TwoPorts ports(ahead, watched, PAIRS);
            ports.Run();
            ASSERT_EQ(ports.atB.arrivals.size(), PAIRS.size());
            Time start;
            for (size_t i = 0; i < PAIRS.size(); ++i)
            {
                EXPECT_EQ(ports.atB.arrivals[i].first, PAIRS[i]);
                EXPECT_EQ(ports.atB.arrivals[i].second, start + LastBit(PAIRS[i]) + DELAY);
                if (watched)
                {
                    EXPECT_EQ(ports.starts.at(i), start);
                }
                start += Slot(PAIRS[i]);
            }
        }
    }
}

TEST(PullAhead, SavesAnEventForEachShortFrame)
{
    uint64_t without = TwoPorts(0, false, PAIRS).Run();
    uint64_t with = TwoPorts(256, false, PAIRS).Run();
    EXPECT_EQ(without - with, 3u);
    EXPECT_EQ(TwoPorts(SHORT + 20, false, PAIRS).Run(), with);
    EXPECT_EQ(TwoPorts(SHORT + 19, false, PAIRS).Run(), without); // longer than that on the wire
}

TEST(PullAhead, ObeysAPauseThatComesMeanwhile)
{
    // It arrives while the second short frame leaves: the frame behind that has not been chosen.
    for (uint32_t ahead : {0, 256})
    {
        TwoPorts ports(ahead, true, PAIRS);
        Time second = Slot(SHORT) + Slot(LONG); // start of the second short frame
        Time arrival = second + NanoSeconds(3);
        Time sent = arrival - DELAY - LastBit(bytes::PAUSE);
        ASSERT_LT(arrival, second + Slot(SHORT));
        Simulator::Schedule(sent, [&ports] { ports.b->SendPause(1U << CLASS, 1000); });
        const Time pauseEnds = arrival + OnWire(RATE, 1000 * bytes::QUANTUM);
        ports.Run();
        ASSERT_EQ(ports.starts.size(), PAIRS.size());
        EXPECT_EQ(ports.starts[2], second);
        EXPECT_EQ(ports.starts[3], pauseEnds);
    }
}

TEST(PullAhead, LosesWhatItHasChosenWithTheLink)
{
    // The link fails while the first frame leaves: both are lost, watched or not.
    for (bool watched : {false, true})
    {
        TwoPorts ports(256, watched, {SHORT, LONG});
        Ptr<FabricChannel> cable = DynamicCast<FabricChannel>(ports.a->GetChannel());
        Simulator::Schedule(NanoSeconds(2), [cable] { cable->SetUp(false); });
        ports.Run();
        EXPECT_EQ(ports.atB.arrivals.size(), 0u);
        EXPECT_EQ(ports.b->GetCounters().lostFrames, 2u) << watched;
        EXPECT_EQ(ports.a->GetCounters().txFrames, 2u) << watched;
    }
}

TEST(PullAhead, ChangesNoMessageOfAnExchange)
{
    // Data and acknowledgements share each host's port, as in a ring.
    std::vector<Time> ends[2];
    uint64_t events[2];
    for (uint32_t run : {0, 1})
    {
        FabricFixture f;
        f.fabric.SetDeviceAttribute("PullAhead", UintegerValue(run ? 256 : 0));
        f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
        f.BuildStar(4, "400Gbps", NanoSeconds(500));
        for (uint32_t host = 0; host < 4; ++host)
        {
            Connection connection = f.Connect(host, (host + 1) % 4);
            f.Post(connection, 1'000'000 + 1000 * host);
        }
        f.Run();
        f.ExpectSharesAddUp();
        f.ExpectDrained();
        for (const MessageRecord& record : f.records)
        {
            ends[run].push_back(TimeStep(record.end));
        }
        events[run] = Simulator::GetEventCount();
    }
    ASSERT_EQ(ends[0].size(), 4u);
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_LT(events[1] + 500, events[0]); // 980 frames of data leave
}
