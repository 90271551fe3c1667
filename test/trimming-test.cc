// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Packet trimming: the wire image of what is left, an incast into a small lossy buffer that
 * loses no frame silently and waits for no timer, and what the transport makes of bare headers.
 */

#include "fabric-fixture.h"
#include "wire-bytes.h"
#include "wire-frames.h"

#include "ns3/frame-trimmer.h"
#include "ns3/int-header.h"
#include "ns3/pointer.h"

using namespace ns3;
using namespace wire_test;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;

/// An incast into one port of a switch whose classes are all lossy.
class Trimming : public testing::Test
{
  protected:
    /// @param senders how many @param reliability TypeId; empty: go-back-N
    void Build(uint32_t senders, const std::string& reliability, bool trims = true)
    {
        trimmer = CreateObject<FrameTrimmer>();
        f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0));
        f.fabric.SetBufferAttribute("Size", UintegerValue(1 << 20));
        if (trims)
        {
            f.fabric.SetSwitchAttribute("FrameTrimmer", PointerValue(trimmer));
        }
        if (!reliability.empty())
        {
            f.rdma.SetReliability(reliability);
        }
        if (reliability == "ns3::SelectiveRepeat")
        {
            f.rdma.SetReliabilityAttribute("LongTimeout", TimeValue(MilliSeconds(4)));
            f.rdma.SetReliabilityAttribute("ShortTimeout", TimeValue(MilliSeconds(4)));
        }
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(10)); // 4.2 ms
        receiver = senders;
        f.BuildStar(senders + 1, "100Gbps", DELAY);
        f.Nic(receiver)->TraceConnectWithoutContext(
            "Receive",
            Callback<void, const QueuePair&, const FabricFrame&>(
                [this](const QueuePair&, const FabricFrame& frame) {
                    if (frame.IsTrimmed())
                    {
                        trimmedQueueing.push_back(frame.journey.queueing);
                        trimmedBytes.push_back(frame.sizeBytes);
                    }
                }));
    }

    /// @return when the last message was complete
    Time RunIncast(uint64_t messageBytes)
    {
        for (uint32_t h = 0; h < receiver; ++h)
        {
            f.Post(f.Connect(h, receiver), messageBytes);
        }
        f.Run();
        f.ExpectAllSucceeded(receiver, receiver * messageBytes);
        f.ExpectDrained();
        int64_t end = 0;
        for (const MessageRecord& record : f.records)
        {
            end = std::max(end, record.end);
        }
        return TimeStep(end);
    }

    /// What was sent has arrived, whole or trimmed, or was dropped.
    void ExpectConserved() const
    {
        EXPECT_EQ(f.Total(&RdmaNicCounters::dataFramesSent),
                  f.Total(&RdmaNicCounters::dataFramesReceived) +
                      f.Total(&RdmaNicCounters::trimmedFramesReceived) + f.Drops());
    }

    FabricFixture f;
    uint32_t receiver{0};
    Ptr<FrameTrimmer> trimmer;
    std::vector<int64_t> trimmedQueueing;
    std::vector<uint32_t> trimmedBytes;
};

// ---------------------------------------------------------------- incast

TEST_F(Trimming, LetsAnIncastOfSixteenLoseNothingSilentlyAndWaitForNoTimer)
{
    constexpr uint64_t FRAMES = 256;
    Build(16, "ns3::SelectiveRepeat");
    Time end = RunIncast(FRAMES * MTU);
    EXPECT_GT(trimmer->GetTrimmedFrames(), 100u);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::trimmedFramesReceived), trimmer->GetTrimmedFrames());
    ExpectConserved();

    // Each header is answered once; each answer repeats one frame, and nothing else does.
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), trimmer->GetTrimmedFrames());
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), trimmer->GetTrimmedFrames());

    // At least the time of all payload at 100 Gb/s: 80 ps a byte.
    const int64_t data = 62 + 24 + MTU + 8 + 12;
    const int64_t least = 16 * FRAMES * data * 80;
    EXPECT_GT(end.GetPicoSeconds(), least);
    // And not more than if all the 15 others of each moment left a header of 82 B before it.
    const int64_t most = 16 * FRAMES * (data + 15 * (82 + 20)) * 80 + 50000000;
    EXPECT_LT(end.GetPicoSeconds(), most);
}

TEST_F(Trimming, PutsHeadersAheadOfData)
{
    Build(16, "ns3::SelectiveRepeat");
    RunIncast(256 * MTU);
    ASSERT_GT(trimmedQueueing.size(), 100u);
    // At most the frame on the wire, and the headers that came at the same moment by 15 ports. A
    // byte takes 80 ps. SR WRITE: 62 + placement 8 + RETH 16; a trimmed one has no ICRC, 4.
    const int64_t frame = (62 + 24 + MTU + 8 + 12) * 80;
    const int64_t headers = 15 * (62 + 24 - 4 + 8 + 12) * 80;
    for (size_t i = 0; i < trimmedQueueing.size(); ++i)
    {
        EXPECT_LE(trimmedQueueing[i], frame + headers);
        EXPECT_EQ(trimmedBytes[i], 62u + 24 - 4);
    }
}

/// @param trims or drops @return when the incast was over
Time
EndOf(bool trims)
{
    class Run : public Trimming
    {
      public:
        void TestBody() override
        {
        }

        Time Of(bool trims)
        {
            Build(16, "ns3::SelectiveRepeat", trims);
            Time end = RunIncast(256 * MTU);
            timeouts = f.Total(&RdmaNicCounters::timeouts);
            ExpectConserved();
            return end;
        }

        uint64_t timeouts{0};
    };

    Run run;
    Time end = run.Of(trims);
    EXPECT_EQ(run.timeouts == 0, trims);
    return end;
}

TEST(TrimmingGain, IsLargeWhereDropsWaitForTimers)
{
    Time trimmed = EndOf(true);
    Time dropped = EndOf(false);
    EXPECT_LT(2 * trimmed, dropped);
}

TEST_F(Trimming, WorksWithOutOfOrderPlacement)
{
    Build(8, "ns3::OutOfOrderPlacement");
    RunIncast(256 * MTU);
    EXPECT_GT(trimmer->GetTrimmedFrames(), 100u);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    ExpectConserved();
}

TEST_F(Trimming, MakesGoBackNGoBackAtOnce)
{
    Build(2, "");
    RunIncast(1024 * MTU);
    EXPECT_GT(trimmer->GetTrimmedFrames(), 0u);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_LE(f.Total(&RdmaNicCounters::naksSent), trimmer->GetTrimmedFrames());
    ExpectConserved();
}

TEST_F(Trimming, SparesWhatCannotBeAskedForAgain)
{
    // READ responses, and what is small, find no room either, and are dropped.
    FramePtr response = MakeRoce(OPCODES[14], 4096);   // RC READ response Middle
    FramePtr unreliable = MakeRoce(OPCODES[24], 4096); // UC SEND Middle
    FramePtr small = MakeRoce(OPCODES[1], 190);        // 62 + 192 = 254
    FramePtr answer = MakeRoce(OPCODES[17], 0);
    FramePtr again = MakeRoce(OPCODES[1], 4096);
    auto trims = CreateObject<FrameTrimmer>();
    for (const FramePtr& frame : {response, unreliable, small, answer})
    {
        std::string before = Describe(*frame);
        EXPECT_FALSE(trims->Trim(*frame));
        EXPECT_EQ(Describe(*frame), before);
    }
    EXPECT_TRUE(trims->Trim(*again));
    EXPECT_FALSE(trims->Trim(*again)); // there is nothing left to cut off
    EXPECT_EQ(again->trafficClass, 7);
    EXPECT_EQ(again->sizeBytes, 64u); // 62 - 4, and Ethernet's least
    EXPECT_EQ(trims->GetTrimmedFrames(), 1u);
    EXPECT_EQ(trims->GetTrimmedBytes(), 4096u);
}

// ---------------------------------------------------------------- on the wire

TEST(TrimmedWire, IsTheHeadersWithNewLengthsAndAnotherDscp)
{
    for (const Underlay& underlay : UNDERLAYS)
    {
        SCOPED_TRACE(underlay.name);
        FramePtr frame = MakeRoce(OPCODES[6], 1001, underlay); // WRITE First, pad 3
        Bytes expected = BytesOf(frame->ToPacket());
        auto trims = CreateObject<FrameTrimmer>();
        ASSERT_TRUE(trims->Trim(*frame));

        // By hand: cut behind RETH; lengths; DSCP 11 with ECT(0); the IPv4 sum.
        size_t ip = underlay.vlan ? 18 : 14;
        size_t udp = ip + (underlay.ipv6 ? 40 : 20);
        size_t end = udp + 8 + 12 + 16;
        expected.resize(end);
        auto put = [&expected](size_t at, size_t value) {
            expected[at] = static_cast<uint8_t>(value >> 8);
            expected[at + 1] = static_cast<uint8_t>(value);
        };
        put(udp + 4, end - udp);
        const size_t tos = 11 << 2 | 2;
        if (underlay.ipv6)
        {
            put(ip + 4, end - udp);
            expected[ip] = static_cast<uint8_t>(6 << 4 | tos >> 4);
            expected[ip + 1] = static_cast<uint8_t>((tos & 0xf) << 4 | (expected[ip + 1] & 0xf));
        }
        else
        {
            put(ip + 2, end - ip);
            expected[ip + 1] = static_cast<uint8_t>(tos);
            put(ip + 10, 0);
            uint32_t sum = 0;
            for (size_t at = ip; at < udp; at += 2)
            {
                sum += BigEndian16(expected, at);
            }
            sum = (sum & 0xffff) + (sum >> 16);
            put(ip + 10, ~sum & 0xffff);
        }
        if (underlay.vlan)
        {
            frame->vlanTci = 7 << 13 | (0xb123 & 0x1fff); // priority 7, as the image always has it
            put(14, frame->vlanTci);
        }
        Ptr<Packet> image = frame->ToPacket();
        EXPECT_EQ(ToHex(BytesOf(image)), ToHex(expected));
        EXPECT_EQ(frame->sizeBytes, std::max<size_t>(64, expected.size() + 4));

        // And back: known by its DSCP, without an ICRC.
        std::string error;
        FramePtr read = FabricFrame::FromPacket(image, &error);
        ASSERT_TRUE(read) << error;
        EXPECT_TRUE(read->IsTrimmed());
        EXPECT_EQ(read->psn, frame->psn);
        EXPECT_EQ(Describe(*read), Describe(*frame));
        EXPECT_EQ(ToHex(BytesOf(read->ToPacket())), ToHex(expected));
    }
}

TEST(TrimmedWire, KeepsTelemetry)
{
    FramePtr frame = MakeRoce(OPCODES[1], 4096);
    SwitchHeader& header = frame->MakeSwitchHeader();
    header.collectsTelemetry = true;
    header.telemetryFormat = TelemetryFormat::INT_MD;
    header.telemetry.resize(2);
    frame->ComputeSize();
    auto trims = CreateObject<FrameTrimmer>();
    ASSERT_TRUE(trims->Trim(*frame));
    EXPECT_EQ(frame->sizeBytes, 62 - 4 + 16 + 2 * 32u);
    FramePtr read = FabricFrame::FromPacket(frame->ToPacket());
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->IsTrimmed());
    EXPECT_EQ(read->switchHeader->telemetry.size(), 2u);
    EXPECT_EQ(ToHex(BytesOf(read->ToPacket())), ToHex(BytesOf(frame->ToPacket())));
}

TEST(TrimmedWire, IsToldFromAWholeFrameWithTheSameDscp)
{
    // Whatever the opcode: a whole frame has its ICRC behind the headers, and is held against it.
    for (const OpcodeSize& opcode : OPCODES)
    {
        for (uint32_t payload : {0, 1, 64})
        {
            FramePtr frame = MakeRoce(opcode, payload);
            frame->dscp = 11;
            Bytes bytes = BytesOf(frame->ToPacket());
            FramePtr read = FabricFrame::FromPacket(PacketOf(bytes));
            ASSERT_TRUE(read) << +opcode.opcode;
            EXPECT_FALSE(read->IsTrimmed());
            bytes[14 + 20 + 8 + 11] ^= 1; // in the PSN
            EXPECT_FALSE(FabricFrame::FromPacket(PacketOf(bytes)));
        }
    }
}

} // namespace
