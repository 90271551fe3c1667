// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What congestion control is told, and by whom it is obeyed: each signal against a closed
 * form.
 */

#include "fabric-fixture.h"

#include "ns3/enum.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;

/// Writes down all that it is told; the last pair that started is the one that counts.
class Recorder : public RdmaCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Recorder").SetParent<RdmaCongestionOps>();
        return tid;
    }

    std::string GetName() const override
    {
        return "recorder";
    }

    Ptr<RdmaCongestionOps> Fork() const override
    {
        return CopyObject<Recorder>(this);
    }

    RdmaFeedback GetFeedback() const override
    {
        return feedback;
    }

    void Init(RdmaRateState& state, int64_t now) override
    {
        RdmaCongestionOps::Init(state, now);
        state.sendLimitBytes = firstLimit;
        facts = state;
    }

    void Resumed(RdmaRateState&, int64_t now) override
    {
        resumed.push_back(now);
    }

    void Acked(RdmaRateState&, const RdmaAckSignal& signal) override
    {
        signals.push_back(signal);
    }

    void CnpReceived(RdmaRateState&, int64_t) override
    {
        ++cnps;
    }

    void NakReceived(RdmaRateState&, int64_t) override
    {
        ++naks;
    }

    void TimedOut(RdmaRateState& state, int64_t) override
    {
        ++timeouts;
        state.sendLimitBytes += MTU;
    }

    uint64_t DataReceived(const RdmaArrivalSignal&) override
    {
        return 0; // a receiver that gives no credit
    }

    RdmaFeedback feedback;
    uint64_t firstLimit{UINT64_MAX};

    static inline RdmaRateState facts;
    static inline std::vector<int64_t> resumed;
    static inline std::vector<RdmaAckSignal> signals;
    static inline uint32_t cnps;
    static inline uint32_t naks;
    static inline uint32_t timeouts;
};

class CongestionSignal : public testing::Test
{
  protected:
    CongestionSignal()
        : recorder(CreateObject<Recorder>())
    {
        Recorder::facts = {};
        Recorder::resumed.clear();
        Recorder::signals.clear();
        Recorder::cnps = Recorder::naks = Recorder::timeouts = 0;
        recorder->feedback.cnp = false;
    }

    Connection Connect(uint32_t from = 0, uint32_t to = 1)
    {
        return f.Connect(from, to, [this](Ptr<QueuePair> qp) {
            qp->SetCongestionControl(recorder);
        });
    }

    /// Marks data frames as a congested switch would. @param isMarked by PSN
    void Mark(std::function<bool(uint32_t)> isMarked)
    {
        f.Cable(0)->SetLossFilter(
            Callback<bool, const FabricFrame&>([isMarked](const FabricFrame& frame) {
                if (frame.payloadBytes > 0 && isMarked(frame.psn))
                {
                    const_cast<FabricFrame&>(frame).ecn = EcnField::CE;
                }
                return false;
            }));
    }

    FabricFixture f;
    Ptr<Recorder> recorder;
};

/// A WRITE of one frame and its answer over some switches, store and forward.
Time
RoundTrip(uint32_t switches, const std::string& rate, Time delay)
{
    uint64_t data = bytes::PREAMBLE + bytes::Frame(MTU) + bytes::RETH;
    uint64_t ack = bytes::PREAMBLE + bytes::ACK;
    return (switches + 1) * (OnWire(rate, data + ack) + 2 * delay);
}

TEST_F(CongestionSignal, RoundTripAndHopsAreExact)
{
    for (uint32_t switches : {1, 2, 5})
    {
        Recorder::signals.clear();
        FabricFixture chain;
        chain.BuildChain(std::vector<std::string>(switches + 1, "100Gbps"), MicroSeconds(2));
        Connection c =
            chain.Connect(0, 1, [this](Ptr<QueuePair> qp) { qp->SetCongestionControl(recorder); });
        chain.Post(c, MTU);
        chain.Run();
        ASSERT_EQ(Recorder::signals.size(), 1u);
        const RdmaAckSignal& signal = Recorder::signals[0];
        EXPECT_EQ(TimeStep(signal.rttSteps), RoundTrip(switches, "100Gbps", MicroSeconds(2)));
        EXPECT_EQ(signal.hops, switches);
        EXPECT_EQ(signal.endpointSteps, 0);
        EXPECT_EQ(signal.ackedBytes, MTU);
        EXPECT_EQ(signal.ackedThrough, MTU);
        EXPECT_EQ(signal.sentThrough, MTU);
        EXPECT_EQ(signal.inFlightBytes, 0u);
        EXPECT_FALSE(signal.ecnEcho);
        EXPECT_EQ(signal.telemetry, nullptr);
    }
}

TEST_F(CongestionSignal, FactsAreTheConnections)
{
    f.rdma.SetQueuePairAttribute("BaseRtt", TimeValue(MicroSeconds(9)));
    f.BuildStar(2, "100Gbps", MicroSeconds(1));
    Connect();
    EXPECT_EQ(Recorder::facts.lineRateBps, 1e11);
    EXPECT_EQ(Recorder::facts.mtuBytes, MTU);
    EXPECT_EQ(Recorder::facts.frameBytes, bytes::PREAMBLE + bytes::Frame(MTU) + bytes::GAP);
    EXPECT_EQ(TimeStep(Recorder::facts.baseRttSteps), MicroSeconds(9));
}

TEST_F(CongestionSignal, TimeStampsTick)
{
    f.BuildStar(2, "100Gbps", MicroSeconds(2));
    f.Nic(0)->SetAttribute("TimestampResolution", TimeValue(NanoSeconds(300)));
    Connection c = Connect();
    int64_t exact = RoundTrip(1, "100Gbps", MicroSeconds(2)).GetTimeStep();
    for (int64_t at : {0, 250, 299, 300, 455})
    {
        Simulator::Schedule(MicroSeconds(100) + NanoSeconds(at), [&] { f.Post(c, MTU); });
        Simulator::Run();
        // By hand: both ends of the interval are cut to a tick, 300 ns.
        int64_t sent = (MicroSeconds(100) + NanoSeconds(at)).GetTimeStep();
        int64_t tick = NanoSeconds(300).GetTimeStep();
        EXPECT_EQ(Recorder::signals.back().rttSteps,
                  (sent + exact) / tick * tick - sent / tick * tick);
    }
}

TEST_F(CongestionSignal, ASlowReceiverIsTheEndpointsPart)
{
    // What the receiver takes out of its buffer at 50 Gb/s takes twice as long as on the wire.
    f.fabric.SetHostDeviceAttribute("ReceiveRate", DataRateValue(DataRate("50Gbps")));
    f.BuildStar(2, "100Gbps", MicroSeconds(2));
    f.Post(Connect(), 64 * MTU);
    f.Run();
    for (const RdmaAckSignal& signal : Recorder::signals)
    {
        EXPECT_GT(signal.endpointSteps, 0);
        EXPECT_LT(signal.endpointSteps, signal.rttSteps);
    }
    // The 64th frame comes when 63 have come at 100 Gb/s; they leave the buffer at half of that.
    uint64_t slot = bytes::PREAMBLE + bytes::Frame(MTU) + bytes::GAP;
    Time backlog = OnWire("50Gbps", 63 * slot) - OnWire("100Gbps", 63 * slot);
    EXPECT_NEAR(static_cast<double>(Recorder::signals.back().endpointSteps),
                static_cast<double>(backlog.GetTimeStep()),
                0.05 * static_cast<double>(backlog.GetTimeStep()));
}

TEST_F(CongestionSignal, EcnEchoCountsEachByteOnce)
{
    // RFC 8257, section 3.2: whatever the coalescing, the marked bytes are exact.
    for (uint64_t interval : {1, 4, 16, 64})
    {
        Recorder::signals.clear();
        FabricFixture run;
        recorder->feedback.ecnEcho = true;
        run.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(interval));
        run.BuildStar(2, "100Gbps", MicroSeconds(1));
        auto isMarked = [](uint32_t psn) { return (psn >= 10 && psn < 21) || psn == 33; };
        run.Cable(0)->SetLossFilter(
            Callback<bool, const FabricFrame&>([isMarked](const FabricFrame& frame) {
                if (frame.payloadBytes > 0 && isMarked(frame.psn))
                {
                    const_cast<FabricFrame&>(frame).ecn = EcnField::CE;
                }
                return false;
            }));
        Connection c =
            run.Connect(0, 1, [this](Ptr<QueuePair> qp) { qp->SetCongestionControl(recorder); });
        run.Post(c, 64 * MTU);
        run.Run();
        uint64_t marked = 0;
        uint64_t all = 0;
        for (const RdmaAckSignal& signal : Recorder::signals)
        {
            marked += signal.ecnEcho ? signal.ackedBytes : 0;
            all += signal.ackedBytes;
        }
        EXPECT_EQ(marked, 12 * MTU) << "an answer each " << interval;
        EXPECT_EQ(all, 64 * MTU);
        EXPECT_EQ(run.Total(&RdmaNicCounters::cnpsSent), 0u);
    }
}

TEST_F(CongestionSignal, CnpsComeWhereTheyAreAskedFor)
{
    recorder->feedback.cnp = true;
    f.BuildStar(2, "100Gbps", MicroSeconds(1));
    for (uint32_t host : {0, 1})
    {
        f.Nic(host)->SetAttribute("CnpInterval", TimeValue(Time(0)));
    }
    Mark([](uint32_t psn) { return psn % 10 == 0; });
    f.Post(Connect(), 64 * MTU);
    f.Run();
    EXPECT_EQ(Recorder::cnps, 7u); // 0, 10, ... 60
    for (const RdmaAckSignal& signal : Recorder::signals)
    {
        EXPECT_FALSE(signal.ecnEcho);
    }
}

TEST_F(CongestionSignal, EachBusyTimeResumesOnceAndBytesCountOn)
{
    f.BuildStar(2, "100Gbps", MicroSeconds(1));
    Connection c = Connect();
    f.Post(c, 3 * MTU);
    f.Post(c, 2 * MTU); // while the first is on its way
    f.Run();
    Simulator::Schedule(MicroSeconds(10), [&] { f.Post(c, MTU); });
    f.Run();
    EXPECT_EQ(Recorder::resumed.size(), 2u);
    EXPECT_EQ(Recorder::signals.back().ackedThrough, 6 * MTU);
    EXPECT_EQ(Recorder::signals.back().sentThrough, 6 * MTU);
}

TEST_F(CongestionSignal, ASendLimitHoldsAndATimeoutCanLiftIt)
{
    recorder->firstLimit = 3 * MTU;
    recorder->feedback.credit = true;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(3)); // 32.768 us
    f.BuildStar(2, "100Gbps", MicroSeconds(1));
    Connection c = Connect();
    f.Post(c, 5 * MTU);
    Simulator::Stop(MicroSeconds(30));
    Simulator::Run();
    EXPECT_EQ(f.Total(&RdmaNicCounters::dataFramesSent), 3u);
    EXPECT_EQ(c.a->GetRequester().GetInFlightBytes(), 0u);
    f.Run();
    EXPECT_EQ(Recorder::timeouts, 2u);
    f.ExpectAllSucceeded(1, 5 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

TEST_F(CongestionSignal, AMissingFrameIsANakAndAnAnswer)
{
    f.BuildStar(2, "100Gbps", MicroSeconds(1));
    bool lost = false;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool now = !lost && frame.payloadBytes > 0 && frame.psn == 5;
        lost |= now;
        return now;
    }));
    f.Post(Connect(), 20 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 20 * MTU);
    EXPECT_EQ(Recorder::naks, 1u);
    EXPECT_EQ(Recorder::timeouts, 0u);
    EXPECT_EQ(Recorder::signals.back().ackedThrough, 20 * MTU);
}

// ---------------------------------------------------------------- scope

class CongestionScope : public testing::Test
{
  protected:
    void Build(const char* scope, const char* attribute, const AttributeValue& value)
    {
        f.rdma.SetQueuePairAttribute("CongestionScope", StringValue(scope));
        f.rdma.SetCongestionControlAttribute(attribute, value);
        f.BuildStar(3, "100Gbps", MicroSeconds(5));
        for (uint32_t i = 0; i < 4; ++i)
        {
            toOne.push_back(f.Connect(0, 1));
        }
        toTwo = f.Connect(0, 2);
    }

    uint64_t InFlight() const
    {
        uint64_t bytes = 0;
        for (const Connection& c : toOne)
        {
            bytes += c.a->GetRequester().GetInFlightBytes();
        }
        return bytes;
    }

    FabricFixture f;
    std::vector<Connection> toOne;
    Connection toTwo;
};

TEST_F(CongestionScope, APairsWindowIsItsOwnADestinationsIsShared)
{
    for (bool shared : {false, true})
    {
        CongestionScope::toOne.clear();
        FabricFixture run;
        run.rdma.SetQueuePairAttribute("CongestionScope",
                                       StringValue(shared ? "Destination" : "Pair"));
        run.rdma.SetCongestionControlAttribute("Window", UintegerValue(2 * MTU));
        run.BuildStar(3, "100Gbps", MicroSeconds(5));
        for (uint32_t i = 0; i < 4; ++i)
        {
            toOne.push_back(run.Connect(0, 1));
        }
        Connection other = run.Connect(0, 2);
        uint64_t peak = 0;
        uint64_t otherPeak = 0;
        run.Port(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame&>([&](const FabricFrame&) {
                peak = std::max(peak, InFlight());
                otherPeak = std::max(otherPeak, other.a->GetRequester().GetInFlightBytes());
            }));
        for (const Connection& c : toOne)
        {
            run.Post(c, 50 * MTU);
        }
        run.Post(other, 50 * MTU);
        run.Run();
        run.ExpectAllSucceeded(5, 250 * MTU);
        EXPECT_EQ(peak, (shared ? 2 : 8) * MTU);
        EXPECT_EQ(otherPeak, 2 * MTU);
        EXPECT_EQ(run.Total(&RdmaNicCounters::timeouts), 0u);
        run.ExpectDrained();
        toOne.clear();
    }
}

TEST_F(CongestionScope, ADestinationsRateIsShared)
{
    Build("Destination", "Rate", DataRateValue(DataRate("10Gbps")));
    for (const Connection& c : toOne)
    {
        f.Post(c, 50 * MTU);
    }
    f.Run();
    f.ExpectAllSucceeded(4, 200 * MTU);
    // 200 frames, one each slot at 10 Gb/s; 4 of them are the first of a message.
    uint64_t slot = bytes::PREAMBLE + bytes::Frame(MTU) + bytes::GAP;
    Time first = OnWire("10Gbps", 199 * slot + 3 * bytes::RETH);
    Time last = f.completions.back().at;
    EXPECT_GE(last, first);
    EXPECT_LT(last, first + RoundTrip(1, "100Gbps", MicroSeconds(5)) + MicroSeconds(4));
}

TEST_F(CongestionScope, APairThatLeavesFreesTheOthers)
{
    Build("Destination", "Window", UintegerValue(2 * MTU));
    for (const Connection& c : toOne)
    {
        f.Post(c, 50 * MTU);
    }
    Simulator::Schedule(MicroSeconds(40), [&] {
        EXPECT_EQ(toOne[0].a->Modify(QpState::RESET), ModifyResult::MODIFIED);
    });
    f.Run();
    uint64_t succeeded = 0;
    for (const FabricFixture::Completion& c : f.completions)
    {
        succeeded += c.wc.status == WcStatus::SUCCESS;
    }
    EXPECT_EQ(succeeded, 3u);
}

} // namespace
