// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Credit of the receiver: its frames, the three algorithms that send on it (NDP, EQDS,
 * RCCC) step by step, the pacer's shares, incasts with trimming, with PFC and with drops, and all
 * that may get lost on the way.
 */

#include "congestion-setup.h"
#include "wire-bytes.h"
#include "wire-frames.h"

#include "ns3/config.h"
#include "ns3/credit-pacer.h"
#include "ns3/eqds-congestion-ops.h"
#include "ns3/eqds-presets.h"
#include "ns3/frame-trimmer.h"
#include "ns3/internet-module.h"
#include "ns3/ndp-congestion-ops.h"
#include "ns3/ndp-presets.h"
#include "ns3/point-to-point-module.h"
#include "ns3/pointer.h"
#include "ns3/rccc-congestion-ops.h"
#include "ns3/rccc-presets.h"
#include "ns3/soft-rdma-helper.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;
constexpr int64_t BYTE_PS = 80;               // at 100 Gb/s
constexpr int64_t WIRE = 62 + 24 + 4096 + 20; // SR WRITE with placement and RETH, and gap
const Time DELAY = NanoSeconds(2500);         // of each cable: round trips of some 11 us
const DataRate RATE("100Gbps");

// ---------------------------------------------------------------- on the wire

TEST(CreditWire, IsBthAndTheCountsInNetworkOrder)
{
    FramePtr credit = FabricFrame::Create();
    credit->opcode = RdmaOpcode::CREDIT;
    credit->creditBytes = 0x0102030405060708;
    credit->ComputeSize();
    EXPECT_EQ(credit->sizeBytes, 62u + 8);
    wire_test::Bytes image = wire_test::BytesOf(credit->ToPacket());
    const size_t bth = 14 + 20 + 8;
    EXPECT_EQ(image[bth], 0xe0);
    for (size_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(image[bth + 12 + i], i + 1);
    }

    FramePtr request = FabricFrame::Create();
    request->opcode = RdmaOpcode::CREDIT_REQUEST;
    request->demandBytes = 0x01;
    request->sentBytes = 0x02;
    request->limitBytes = 0x03;
    request->ComputeSize();
    EXPECT_EQ(request->sizeBytes, 62u + 24);
    image = wire_test::BytesOf(request->ToPacket());
    EXPECT_EQ(image[bth], 0xe1);
    EXPECT_EQ(image[bth + 12 + 7], 1);
    EXPECT_EQ(image[bth + 12 + 15], 2);
    EXPECT_EQ(image[bth + 12 + 23], 3);

    FramePtr read = FabricFrame::FromPacket(request->ToPacket());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->demandBytes, 1u);
    EXPECT_EQ(read->sentBytes, 2u);
    EXPECT_EQ(read->limitBytes, 3u);
    read = FabricFrame::FromPacket(credit->ToPacket());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->creditBytes, 0x0102030405060708u);
}

// ---------------------------------------------------------------- step by step

/// An algorithm and its windows in frames, at 100 Gb/s, 12 us and 4202 bytes a frame: a BDP is
/// 150000 B = 35.7 frames, 1.5 of them are 53.5.
struct Windows
{
    const char* type;
    uint64_t first;
    uint64_t ahead;
    double share;
};

constexpr Windows WINDOWS[] = {
    {"ns3::NdpCongestionOps", 36, 36, 1},
    {"ns3::EqdsCongestionOps", 36, 54, 0.99},
    {"ns3::RcccCongestionOps", 54, 54, 0.99},
};

class CreditSteps : public testing::TestWithParam<Windows>
{
};

TEST_P(CreditSteps, AreTheEquations)
{
    const Windows& w = GetParam();
    auto ops = ObjectFactory(w.type).Create<RdmaCongestionOps>()->Fork();
    EXPECT_TRUE(ops->GetFeedback().credit);
    EXPECT_FALSE(ops->GetFeedback().cnp);
    EXPECT_DOUBLE_EQ(ops->GetCreditShare(), w.share);
    RdmaRateState state;
    state.lineRateBps = 100e9;
    state.mtuBytes = MTU;
    state.frameBytes = WIRE;
    state.baseRttSteps = MicroSeconds(12).GetTimeStep();
    ops->Init(state, 0);
    EXPECT_EQ(state.sendLimitBytes, w.first * MTU);
    EXPECT_EQ(state.windowBytes, 0u);
    EXPECT_DOUBLE_EQ(state.rateBps, 100e9);

    // The receiver's half. Frames sent and wanted in all, and so the target: demand, but not more
    // than the window ahead.
    auto target = [&](uint64_t sent, uint64_t demand, bool trimmed) {
        RdmaArrivalSignal signal{0, MTU, demand * MTU, trimmed, false};
        signal.sentBytes = sent * MTU;
        return ops->DataReceived(signal) / MTU;
    };
    EXPECT_EQ(target(1, 1, false), 1u);
    EXPECT_EQ(target(1, 2, false), 2u);
    EXPECT_EQ(target(1, 10, false), 10u);
    EXPECT_EQ(target(1, w.ahead, false), w.ahead);
    EXPECT_EQ(target(1, w.ahead + 1, false), w.ahead + 1);
    EXPECT_EQ(target(1, w.ahead + 2, false), w.ahead + 1);
    EXPECT_EQ(target(1, 100000, false), w.ahead + 1);
    EXPECT_EQ(target(2, 100000, true), w.ahead + 2);
    EXPECT_EQ(target(3, 100000, false), w.ahead + 3);
    EXPECT_EQ(target(50, 100000, true), w.ahead + 50);
    EXPECT_EQ(target(99950, 100000, false), std::min<uint64_t>(100000, w.ahead + 99950));
    EXPECT_EQ(target(99990, 100000, false), 100000u);
    EXPECT_EQ(target(100000, 100000, false), 100000u);
    EXPECT_EQ(target(100000, 100001, true), 100001u);

    // The sender's half.
    auto limit = [&] { return state.sendLimitBytes / MTU; };
    state.sentBytes = w.first * MTU;
    ops->CreditReceived(state, (w.first + 1) * MTU, 1);
    EXPECT_EQ(limit(), w.first + 1);
    ops->CreditReceived(state, (w.first + 5) * MTU, 2);
    EXPECT_EQ(limit(), w.first + 5);
    ops->CreditReceived(state, (w.first + 3) * MTU, 3); // overtaken
    EXPECT_EQ(limit(), w.first + 5);
    ops->NakReceived(state, 4);
    EXPECT_EQ(limit(), w.first + 5);
    ops->TimedOut(state, 5);
    EXPECT_EQ(limit(), w.first + 5);
    ops->CnpReceived(state, 6);
    EXPECT_EQ(limit(), w.first + 5);
    state.sentBytes = (w.first + 5) * MTU;
    ops->Resumed(state, 7); // has been idle
    EXPECT_EQ(limit(), 2 * w.first + 5);
    ops->Resumed(state, 8); // again, with nothing sent since
    EXPECT_EQ(limit(), 2 * w.first + 5);
    ops->CreditReceived(state, 1000 * MTU, 9);
    ops->Resumed(state, 10); // there is more credit than that
    EXPECT_EQ(limit(), 1000u);
    EXPECT_DOUBLE_EQ(state.rateBps, 100e9);
}

INSTANTIATE_TEST_SUITE_P(All, CreditSteps, testing::ValuesIn(WINDOWS), [](const auto& info) {
    return std::string(info.param.type).substr(5, 4);
});

TEST(CreditPresets, MakeTheirAlgorithms)
{
    auto ndp = NdpPresets(RATE);
    ASSERT_EQ(ndp.size(), 2u);
    RdmaRateState state;
    state.lineRateBps = 100e9;
    state.mtuBytes = MTU;
    state.frameBytes = WIRE;
    state.baseRttSteps = MicroSeconds(12).GetTimeStep();
    ndp[1].ops.Create<RdmaCongestionOps>()->Init(state, 0);
    EXPECT_EQ(state.sendLimitBytes, 135000u);
    auto eqds = EqdsPresets(RATE);
    ASSERT_EQ(eqds.size(), 2u);
    eqds[1].ops.Create<RdmaCongestionOps>()->Init(state, 0);
    EXPECT_EQ(state.sendLimitBytes, 50 * MTU);
    EXPECT_EQ(RcccPresets(RATE).at(0).ops.GetTypeId(), RcccCongestionOps::GetTypeId());
}

// ---------------------------------------------------------------- in a network

/// What the network does with frames for which there is no room.
enum class Fabric
{
    TRIMS,
    PAUSES,
    DROPS,
};

/// A star of 100 Gb/s with the receiver as its last host.
class CreditStar
{
  public:
    void Build(const std::string& algorithm,
               uint32_t senders,
               Fabric kind,
               const std::string& reliability = "ns3::SelectiveRepeat")
    {
        rtt = StarRoundTrip(RATE, DELAY, MTU);
        UseCongestionControl(f, algorithm, RATE, rtt);
        f.fabric.SetSwitchAttribute("LosslessClasses",
                                    UintegerValue(kind == Fabric::PAUSES ? 1 << 3 : 0));
        if (kind != Fabric::PAUSES)
        {
            f.fabric.SetBufferAttribute("Size", UintegerValue(1 << 20));
        }
        if (kind == Fabric::TRIMS)
        {
            trimmer = CreateObject<FrameTrimmer>();
            f.fabric.SetSwitchAttribute("FrameTrimmer", PointerValue(trimmer));
        }
        f.rdma.SetReliability(reliability);
        if (reliability == "ns3::SelectiveRepeat")
        {
            f.rdma.SetReliabilityAttribute("LongTimeout", TimeValue(MilliSeconds(4)));
            f.rdma.SetReliabilityAttribute("ShortTimeout", TimeValue(MilliSeconds(4)));
        }
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(10)); // 4.2 ms
        receiver = senders;
        f.BuildStar(senders + 1, "100Gbps", DELAY);
        for (const auto& nic : f.Nics())
        {
            nic->TraceConnectWithoutContext("Receive", MakeCallback(&CreditStar::OnReceive, this));
        }
    }

    /// One message from each sender at the same time.
    void Incast(uint64_t messageBytes)
    {
        for (uint32_t h = 0; h < receiver; ++h)
        {
            connections.push_back(f.Connect(h, receiver));
            f.Post(connections.back(), messageBytes);
        }
        f.Run();
        f.ExpectAllSucceeded(receiver, receiver * messageBytes);
        f.ExpectDrained();
        f.ExpectSharesAddUp();
    }

    /// @return when the last message was complete
    int64_t End() const
    {
        int64_t end = 0;
        for (const MessageRecord& record : f.records)
        {
            end = std::max(end, record.end);
        }
        return end;
    }

    /// Frames on the receiver's cable get lost. @param lost says which
    void Lose(std::function<bool(const FabricFrame&)> lost)
    {
        m_lost = std::move(lost);
        f.Cable(receiver)->SetLossFilter(MakeCallback(&CreditStar::IsLost, this));
    }

    FabricFixture f;
    Time rtt;
    Ptr<FrameTrimmer> trimmer;
    uint32_t receiver{0};
    std::vector<Connection> connections;
    std::map<RdmaOpcode, uint64_t> received; ///< frames

  private:
    void OnReceive(const QueuePair&, const FabricFrame& frame)
    {
        ++received[frame.opcode];
    }

    bool IsLost(const FabricFrame& frame)
    {
        return m_lost(frame);
    }

    std::function<bool(const FabricFrame&)> m_lost;
};

class Credit : public testing::TestWithParam<const char*>, public CreditStar
{
};

INSTANTIATE_TEST_SUITE_P(All, Credit, testing::Values("ndp", "eqds", "rccc"), [](const auto& info) {
    return std::string(info.param);
});

/// @param algorithm by name @return its share of the link
double
ShareOf(const std::string& algorithm)
{
    return algorithm == "ndp" ? 1 : 0.99;
}

TEST_P(Credit, LetsOneFlowFillTheLink)
{
    // Back to back, if credit is always there in time: the first comes before the first window has
    // gone.
    constexpr int64_t FRAMES = 2048;
    Build(GetParam(), 1, Fabric::PAUSES);
    Incast(FRAMES * MTU);
    const int64_t hops = 2 * ((WIRE - 20) * BYTE_PS + DELAY.GetTimeStep()) +
                         2 * ((62 + 16) * BYTE_PS + DELAY.GetTimeStep()); // last frame, SR ACK
    const int64_t least = (FRAMES - 1) * WIRE * BYTE_PS + hops;
    EXPECT_GE(End(), least);
    EXPECT_LE(End(), static_cast<int64_t>(least / ShareOf(GetParam())) + 2 * WIRE * BYTE_PS);
    EXPECT_EQ(received[RdmaOpcode::CREDIT_REQUEST], 0u);
    // A CREDIT for each frame behind the first window.
    uint64_t first = f.Nic(0)->GetQueuePairs()[0]->GetPacer().GetState().sendLimitBytes;
    EXPECT_EQ(first, FRAMES * MTU); // all that was wanted, and no more
    EXPECT_LT(received[RdmaOpcode::CREDIT], uint64_t{FRAMES});
    EXPECT_GT(received[RdmaOpcode::CREDIT], uint64_t{FRAMES} - 60);
}

TEST_P(Credit, IsSharedToOnePercent)
{
    for (uint32_t senders : {2, 5, 16})
    {
        SCOPED_TRACE(senders);
        CreditStar star;
        star.Build(GetParam(), senders, Fabric::PAUSES);
        for (uint32_t h = 0; h < senders; ++h)
        {
            star.connections.push_back(star.f.Connect(h, senders));
            star.f.Post(star.connections.back(), 1 << 30);
        }
        auto arrived = [&star](uint32_t h) {
            return static_cast<double>(star.connections[h].b->GetResponder().GetExpectedPsn());
        };
        std::vector<double> frames(senders);
        Simulator::Schedule(MilliSeconds(1), [&] {
            for (uint32_t h = 0; h < senders; ++h)
            {
                frames[h] = -arrived(h);
            }
        });
        Simulator::Stop(MilliSeconds(5));
        star.f.Run();
        double sum = 0;
        for (uint32_t h = 0; h < senders; ++h)
        {
            frames[h] += arrived(h);
            sum += frames[h];
        }
        // The first windows, which came all at once, may still drain: at up to the full rate.
        double full = 4e-3 * 1e12 / (WIRE * BYTE_PS);
        EXPECT_GT(sum, 0.998 * ShareOf(GetParam()) * full);
        EXPECT_LT(sum, 1.001 * full);
        for (double one : frames)
        {
            EXPECT_NEAR(one, sum / senders, 0.01 * sum / senders);
        }
        EXPECT_EQ(star.f.Drops(), 0u);
    }
}

/// @param share of the link @param frames of all senders @return the time that they take at least,
/// at that share
int64_t
TimeOf(double share, int64_t frames)
{
    return static_cast<int64_t>(static_cast<double>(frames * WIRE * BYTE_PS) / share);
}

TEST_P(Credit, GetsAnIncastThroughATrimmingSwitch)
{
    constexpr int64_t FRAMES = 256;
    Build(GetParam(), 16, Fabric::TRIMS);
    Incast(FRAMES * MTU);
    EXPECT_GT(trimmer->GetTrimmedFrames(), 100u);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), trimmer->GetTrimmedFrames());
    EXPECT_EQ(received[RdmaOpcode::CREDIT_REQUEST], 0u);
    EXPECT_GT(End(), TimeOf(1, 16 * FRAMES));
    // Headers of first windows take a little of the link, too: 54 frames of each at most.
    const int64_t headers = int64_t{16} * 54 * (62 + 24 - 4 + 20) * BYTE_PS;
    const int64_t most = TimeOf(ShareOf(GetParam()), 16 * FRAMES) + headers + 2 * rtt.GetTimeStep();
    EXPECT_LT(End(), most + most / 100);
    // No frame is trimmed twice, or few: credited frames fit.
    EXPECT_LT(trimmer->GetTrimmedFrames(), 16u * 54);
}

TEST_P(Credit, GetsAnIncastThroughALosslessSwitch)
{
    constexpr int64_t FRAMES = 256;
    Build(GetParam(), 16, Fabric::PAUSES);
    Incast(FRAMES * MTU);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_GT(End(), TimeOf(1, 16 * FRAMES));
    const int64_t most = TimeOf(ShareOf(GetParam()), 16 * FRAMES) + 2 * rtt.GetTimeStep();
    EXPECT_LT(End(), most + most / 100);
}

TEST_P(Credit, GetsAnIncastThroughASwitchThatDrops)
{
    for (const char* reliability : {"ns3::SelectiveRepeat", "ns3::GoBackN"})
    {
        SCOPED_TRACE(reliability);
        CreditStar star;
        star.Build(GetParam(), 8, Fabric::DROPS, reliability);
        star.Incast(256 * MTU);
        EXPECT_GT(star.f.Drops(), 0u);
    }
}

TEST_P(Credit, GetsAnIncastOfGoBackNThroughATrimmingSwitch)
{
    Build(GetParam(), 12, Fabric::TRIMS, "ns3::GoBackN");
    Incast(256 * MTU);
    EXPECT_GT(trimmer->GetTrimmedFrames(), 0u);
}

// ---------------------------------------------------------------- what gets lost

TEST_P(Credit, SurvivesTheLossOfEachThirdCredit)
{
    Build(GetParam(), 4, Fabric::PAUSES);
    uint64_t credits = 0;
    Lose([&](const FabricFrame& frame) {
        return frame.opcode == RdmaOpcode::CREDIT && ++credits % 3 == 0;
    });
    Incast(512 * MTU);
    EXPECT_GT(credits, 1000u);
}

TEST_P(Credit, SurvivesTheLossOfTheLastCredits)
{
    // All credit beyond a point is lost for 6 ms: the senders wait, and ask after 4 and 8.
    Build(GetParam(), 2, Fabric::PAUSES);
    uint64_t lost = 0;
    Lose([&](const FabricFrame& frame) {
        bool is = frame.opcode == RdmaOpcode::CREDIT && frame.creditBytes > 400 * MTU &&
                  Simulator::Now() < MilliSeconds(6);
        lost += is;
        return is;
    });
    Incast(512 * MTU);
    // A window ahead, of 32 frames or more (10.7 us at 100 Gb/s), and the answer to the first
    // request.
    EXPECT_GE(lost, 2u * 32 + 2);
    EXPECT_GT(received[RdmaOpcode::CREDIT_REQUEST], 0u);
    EXPECT_GT(f.Total(&RdmaNicCounters::timeouts), 0u);
}

TEST_P(Credit, SurvivesTheLossOfRequestsForIt)
{
    Build(GetParam(), 1, Fabric::PAUSES);
    uint64_t requests = 0;
    Lose([&](const FabricFrame& frame) {
        requests += frame.opcode == RdmaOpcode::CREDIT_REQUEST;
        return GetService(frame.opcode) == RdmaService::CONTROL &&
               Simulator::Now() < MilliSeconds(9); // two timeouts
    });
    Incast(512 * MTU);
    EXPECT_EQ(requests, 3u);
}

TEST_P(Credit, SurvivesTheLossOfAWholeWindow)
{
    for (const char* reliability : {"ns3::SelectiveRepeat", "ns3::GoBackN"})
    {
        SCOPED_TRACE(reliability);
        CreditStar star;
        star.Build(GetParam(), 2, Fabric::PAUSES, reliability);
        star.Lose([&](const FabricFrame&) { return Simulator::Now() < MicroSeconds(40); });
        star.Incast(256 * MTU);
        EXPECT_GT(star.f.Total(&RdmaNicCounters::timeouts), 0u);
    }
}

TEST_P(Credit, SurvivesRandomLoss)
{
    for (const char* reliability : {"ns3::SelectiveRepeat", "ns3::GoBackN"})
    {
        for (double rate : {0.001, 0.02})
        {
            SCOPED_TRACE(std::string(reliability) + " " + std::to_string(rate));
            CreditStar star;
            star.f.lossRate = rate; // of data, answers and credit alike
            star.Build(GetParam(), 3, Fabric::PAUSES, reliability);
            star.Incast(300 * MTU);
        }
    }
}

TEST_P(Credit, NeverStallsWhateverIsPostedAndLost)
{
    constexpr uint32_t SENDERS = 6;
    constexpr int MESSAGES = 60;
    for (const char* reliability :
         {"ns3::SelectiveRepeat", "ns3::OutOfOrderPlacement", "ns3::GoBackN"})
    {
        for (uint32_t seed = 1; seed <= 4; ++seed)
        {
            SCOPED_TRACE(std::string(reliability) + ", seed " + std::to_string(seed));
            std::mt19937 random(seed);
            auto below = [&random](uint32_t n) { return random() % n; };
            CreditStar star;
            star.f.lossRate = seed % 2 == 0 ? 0.002 : 0;
            star.Build(GetParam(), SENDERS, seed <= 2 ? Fabric::TRIMS : Fabric::DROPS, reliability);
            uint64_t sum = 0;
            for (uint32_t h = 0; h < SENDERS; ++h)
            {
                Connection c = star.f.Connect(h, SENDERS);
                Time at;
                for (int i = 0; i < MESSAGES; ++i)
                {
                    // Bursts, pauses, and times between the two; from nothing to several windows.
                    at += NanoSeconds(below(3) == 0 ? below(100000) : below(3000));
                    uint64_t messageBytes = below(5) == 0 ? below(600000) : below(9000);
                    sum += messageBytes;
                    Simulator::Schedule(at,
                                        [&star, c, messageBytes] { star.f.Post(c, messageBytes); });
                }
            }
            star.f.Run();
            star.f.ExpectAllSucceeded(SENDERS * MESSAGES, sum);
            star.f.ExpectSharesAddUp();
            if (star.f.lossRate == 0 && seed <= 2 && reliability[5] != 'G')
            {
                EXPECT_EQ(star.f.Total(&RdmaNicCounters::timeouts), 0u);
            }
        }
    }
}

// ---------------------------------------------------------------- work that comes later

TEST_P(Credit, StartsAnewAfterIdleTime)
{
    constexpr int64_t FRAMES = 200;
    Build(GetParam(), 1, Fabric::PAUSES);
    Connection c = f.Connect(0, 1);
    f.Post(c, FRAMES * MTU);
    for (int i = 1; i < 5; ++i)
    {
        Simulator::Schedule(i * MilliSeconds(1), [&] { f.Post(c, FRAMES * MTU); });
    }
    f.Run();
    f.ExpectAllSucceeded(5, 5 * FRAMES * MTU);
    for (const MessageRecord& record : f.records)
    {
        EXPECT_EQ(record.end - record.start, f.records[0].end - f.records[0].start);
    }
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(received[RdmaOpcode::CREDIT_REQUEST], 0u);
}

TEST_P(Credit, AsksForItWhereItsDemandIsNotKnown)
{
    // A message of just the first window; when it has gone, but is not acknowledged, another one.
    Build(GetParam(), 1, Fabric::PAUSES);
    Connection c = f.Connect(0, 1);
    uint64_t window = c.a->GetPacer().GetState().sendLimitBytes;
    f.Post(c, window);
    const int64_t gone = static_cast<int64_t>(window / MTU) * WIRE * BYTE_PS;
    Simulator::Schedule(PicoSeconds(gone + 1000), [&] {
        EXPECT_EQ(c.a->GetPacer().GetSentBytes(), window);
        f.Post(c, 100 * MTU);
    });
    f.Run();
    f.ExpectAllSucceeded(2, window + 100 * MTU);
    f.ExpectSharesAddUp();
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(received[RdmaOpcode::CREDIT_REQUEST], 1u);
}

TEST_P(Credit, KeepsUpWithAStreamOfSmallMessages)
{
    Build(GetParam(), 2, Fabric::PAUSES);
    for (uint32_t h = 0; h < 2; ++h)
    {
        connections.push_back(f.Connect(h, 2));
        for (int i = 0; i < 2000; ++i)
        {
            // Two times 1106 bytes in 200 ns: 88 % of the link.
            Simulator::Schedule(NanoSeconds(200 * i), [this, h] { f.Post(connections[h], 1000); });
        }
    }
    f.Run();
    f.ExpectAllSucceeded(4000, 4000 * 1000);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
}

TEST_P(Credit, DoesNotHoldWhatHasNoPayload)
{
    Build(GetParam(), 1, Fabric::PAUSES);
    Connection c = f.Connect(0, 1);
    uint64_t window = c.a->GetPacer().GetState().sendLimitBytes;
    f.Post(c, window);
    f.Post(c, 10 * MTU, RdmaOperation::READ);
    f.Post(c, 8, RdmaOperation::FETCH_ADD);
    f.Post(c, 0);
    f.Run();
    EXPECT_EQ(f.records.size(), 4u);
    for (const MessageRecord& record : f.records)
    {
        EXPECT_EQ(record.status, WcStatus::SUCCESS);
    }
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
}

TEST_P(Credit, LeavesServicesAloneThatNobodyAnswers)
{
    Build(GetParam(), 1, Fabric::PAUSES);
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("Type", EnumValue(static_cast<int>(QpType::UC)));
    });
    f.Post(c, 1000 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 1000 * MTU);
    EXPECT_EQ(received[RdmaOpcode::CREDIT], 0u);
}

TEST(CreditOverIp, TravelsThroughAnInternetStack)
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(50)));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
    SoftRdmaHelper rdma;
    rdma.SetCongestionControl("ns3::EqdsCongestionOps");
    rdma.SetReliability("ns3::SelectiveRepeat");
    rdma.SetQueuePairAttribute("BaseRtt", TimeValue(MicroSeconds(120)));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(nodes);
    std::map<RdmaOpcode, uint64_t> received;
    for (const auto& nic : nics)
    {
        nic->TraceConnectWithoutContext(
            "Receive",
            Callback<void, const QueuePair&, const FabricFrame&>(
                [&](const QueuePair&, const FabricFrame& frame) { ++received[frame.opcode]; }));
    }
    auto a = nodes.Get(0)->GetObject<RdmaStack>()->CreateQueuePair(nics[0], nullptr);
    auto b = nodes.Get(1)->GetObject<RdmaStack>()->CreateQueuePair(nics[1], nullptr);
    QueuePair::Connect(a, b);
    SendWorkRequest request;
    request.bytes = 1000 * 1024; // MTU: 1024
    ASSERT_EQ(a->PostSend(request), PostResult::POSTED);
    Simulator::Run();
    EXPECT_EQ(a->GetRequester().GetOutstanding(), 0u);
    EXPECT_EQ(b->GetResponder().GetDeliveredBytes(), 1000u * 1024);
    EXPECT_EQ(nics[0]->GetCounters().timeouts, 0u);
    // A BDP of 1 Gb/s and 120 us is 15 kB, 14 frames of 1130 B; a CREDIT for each of the others.
    EXPECT_EQ(received[RdmaOpcode::CREDIT], 1000u - 14);
    Simulator::Destroy();
}

TEST(CreditScope, IsAPair)
{
    EXPECT_DEATH(
        {
            CreditStar star;
            star.f.rdma.SetQueuePairAttribute("CongestionScope", StringValue("Destination"));
            star.Build("eqds", 1, Fabric::PAUSES);
            star.f.Connect(0, 1);
        },
        "with eqds the receiver gives credit to each pair");
}

TEST(CreditPacerQuantum, GivesSeveralFramesInATurn)
{
    Config::SetDefault("ns3::CreditPacer::Quantum", UintegerValue(4));
    CreditStar star;
    star.Build("rccc", 4, Fabric::PAUSES);
    star.Incast(400 * MTU);
    // Behind first windows of 48 frames; a turn that finds less demand gives less.
    const uint64_t frames = 4 * (400 - 48);
    EXPECT_GE(star.received[RdmaOpcode::CREDIT], frames / 4);
    EXPECT_LT(star.received[RdmaOpcode::CREDIT], frames * 2 / 3);
    Config::SetDefault("ns3::CreditPacer::Quantum", UintegerValue(1));
}

} // namespace
