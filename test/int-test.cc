// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief In-band telemetry: what each hop writes, how it looks on the wire, how it comes back, and
 * what it costs. Expected values are computed by hand from rates and sizes; bytes are written out
 * from the INT specification 2.1 and figure 7 of the HPCC paper.
 */

#include "fabric-fixture.h"
#include "wire-bytes.h"
#include "wire-frames.h"

#include "ns3/int-header.h"
#include "ns3/int-stamper.h"
#include "ns3/pointer.h"

using namespace ns3;
using namespace wire_test;

namespace
{

const Time DELAY = NanoSeconds(500);

// Bytes by the two formats.
constexpr uint64_t INT_MD_BASE = 4 + 12; // shim, MD header
constexpr uint64_t INT_MD_HOP = 8 * 4;   // eight words
constexpr uint64_t HPCC_BASE = 2;
constexpr uint64_t HPCC_HOP = 8;

/// A fabric whose switches write telemetry, and what came back to the senders.
class Telemetry : public testing::Test
{
  protected:
    /// @param format IntMd, Hpcc or None
    void Prepare(const std::string& format)
    {
        f.fabric.SetSwitchAttribute("IntStamper", PointerValue(CreateObject<IntStamper>()));
        f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(9300));
        f.rdma.SetQueuePairAttribute("CollectTelemetry", StringValue(format));
        f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
    }

    void Watch()
    {
        for (const auto& nic : f.Nics())
        {
            nic->TraceConnectWithoutContext(
                "Telemetry",
                Callback<void, const QueuePair&, const FabricFrame&>(
                    [this](const QueuePair& qp, const FabricFrame& answer) {
                        froms.push_back(qp.GetPort().GetNodeId());
                        echoes.push_back(*answer.switchHeader);
                    }));
        }
    }

    /// One message of 1000 bytes over three switches. @param format of its telemetry
    void RunChain(const std::string& format)
    {
        Prepare(format);
        f.BuildChain({"100Gbps", "200Gbps", "400Gbps", "1600Gbps"}, DELAY);
        Watch();
        Connection c = f.Connect(0, 1);
        f.Post(c, 1000);
        f.Run();
        f.ExpectAllSucceeded(1, 1000);
    }

    /// @param index of an echo @param hop number @return what the hop wrote
    const IntHop& Hop(size_t index, size_t hop) const
    {
        return echoes.at(index).telemetry.at(hop);
    }

    FabricFixture f;
    std::vector<uint32_t> froms;
    std::vector<SwitchHeader> echoes;
};

// ---------------------------------------------------------------- what a hop writes

TEST_F(Telemetry, OfEachHopOfAChainIsExact)
{
    // One frame of 1000 bytes; 100 to 1600 Gb/s, so a byte takes 80, 40, 20 and 5 ps.
    RunChain("IntMd");
    f.ExpectDrained();

    const int64_t D = 500000;
    const int64_t frame = 62 + 16 + 16 + 1000; // RoCE, RETH, empty telemetry, payload
    const int64_t t1 = (8 + frame) * 80 + D;
    const int64_t t2 = t1 + (8 + frame + 32) * 40 + D;
    const int64_t t3 = t2 + (8 + frame + 64) * 20 + D;
    ASSERT_EQ(echoes.size(), 1u);
    EXPECT_EQ(froms[0], f.network.hosts.Get(0)->GetId());
    ASSERT_EQ(echoes[0].telemetry.size(), 3u);
    const int64_t times[] = {t1, t2, t3};
    const uint64_t rates[] = {200000000000, 400000000000, 1600000000000};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const IntHop& hop = Hop(0, i);
        EXPECT_EQ(hop.switchId, f.network.switches.Get(i)->GetId());
        EXPECT_EQ(hop.ingressPort, 0u);
        EXPECT_EQ(hop.egressPort, 1u);
        EXPECT_EQ(hop.trafficClass, 3);
        EXPECT_EQ(hop.queueBytes, 0u);
        EXPECT_EQ(hop.txBytes, static_cast<uint64_t>(frame) + 32 * (i + 1));
        EXPECT_EQ(hop.time, times[i]);
        EXPECT_EQ(hop.bitsPerSecond, rates[i]);
    }
    EXPECT_FALSE(echoes[0].hopsExceeded);
    EXPECT_EQ(echoes[0].hopsLeft, 31 - 3);

    // To the last byte: what left, what came, and when all was done. The answer does not grow.
    const int64_t ack = 66 + 16 + 3 * 32;
    EXPECT_EQ(f.Port(0)->GetCounters().txBytes, static_cast<uint64_t>(frame));
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, static_cast<uint64_t>(frame) + 96);
    EXPECT_EQ(f.Port(1)->GetCounters().txBytes, static_cast<uint64_t>(ack));
    EXPECT_EQ(f.Port(0)->GetCounters().rxBytes, static_cast<uint64_t>(ack));
    const int64_t t4 = t3 + (8 + frame + 96) * 5 + D;
    EXPECT_EQ(f.records.at(0).end, t4 + (8 + ack) * (80 + 40 + 20 + 5) + 4 * D);
}

TEST_F(Telemetry, OfHpccsFormatTakesEightBytesAHop)
{
    RunChain("Hpcc");
    ASSERT_EQ(echoes.size(), 1u);
    ASSERT_EQ(echoes[0].telemetry.size(), 3u);
    const uint64_t frame = 62 + 16 + HPCC_BASE + 1000;
    EXPECT_EQ(Hop(0, 2).txBytes, frame + 3 * HPCC_HOP);
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, frame + 3 * HPCC_HOP);
    EXPECT_EQ(f.Port(0)->GetCounters().rxBytes, 66 + HPCC_BASE + 3 * HPCC_HOP);
    uint32_t path = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        path ^= f.network.switches.Get(i)->GetId();
    }
    EXPECT_EQ(echoes[0].pathId, path);
}

TEST_F(Telemetry, TellsTheQueueThatAFrameLeavesBehind)
{
    // Three frames come at once for one port: none, one and none is left behind them.
    Prepare("IntMd");
    f.BuildStar(4, "100Gbps", DELAY);
    Watch();
    for (uint32_t h = 0; h < 3; ++h)
    {
        f.Post(f.Connect(h, 3), 1000);
    }
    f.Run();
    f.ExpectAllSucceeded(3, 3000);
    const uint64_t frame = 62 + 16 + INT_MD_BASE + 1000;
    const uint64_t out = frame + INT_MD_HOP;
    const int64_t start = (8 + frame) * 80 + 500000;
    const uint64_t queues[] = {0, frame, 0};
    ASSERT_EQ(echoes.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(Hop(i, 0).queueBytes, queues[i]);
        EXPECT_EQ(Hop(i, 0).txBytes, (i + 1) * out);
        EXPECT_EQ(Hop(i, 0).time, start + static_cast<int64_t>(i * (8 + out + 12) * 80));
        EXPECT_EQ(Hop(i, 0).ingressPort, i);
        EXPECT_EQ(Hop(i, 0).egressPort, 3u);
    }
}

TEST_F(Telemetry, OfHpccsFormatMayBeAsCoarseAsThatOfTheHpccSimulator)
{
    // Three frames at once for one port, INT_MULTI 4: sent in units of 4 x 128 B, queue in units of
    // 4 x 80 B, times in nanoseconds, all rounded down.
    Prepare("Hpcc");
    auto stamper = CreateObjectWithAttributes<IntStamper>("HpccUnits", UintegerValue(4));
    f.fabric.SetSwitchAttribute("IntStamper", PointerValue(stamper));
    f.BuildStar(4, "100Gbps", DELAY);
    Watch();
    for (uint32_t h = 0; h < 3; ++h)
    {
        f.Post(f.Connect(h, 3), 1000);
    }
    f.Run();
    f.ExpectAllSucceeded(3, 3000);
    // Frames of 1080 B come and leave with 1088 B, the first one after (8 + 1080) x 80 ps of wire
    // and 500 ns of cable, each next one (8 + 1088 + 12) x 80 ps later.
    const uint64_t sent[] = {1024, 2048, 3072}; // of 1088, 2176, 3264
    const uint64_t queues[] = {0, 960, 0};      // of 0, 1080, 0
    const int64_t times[] = {587000, 675000, 764000};
    ASSERT_EQ(echoes.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(Hop(i, 0).txBytes, sent[i]);
        EXPECT_EQ(Hop(i, 0).queueBytes, queues[i]);
        EXPECT_EQ(Hop(i, 0).time, times[i]);
    }
}

TEST_F(Telemetry, CrossesTwentyHops)
{
    Prepare("IntMd");
    f.BuildChain(std::vector<std::string>(21, "400Gbps"), DELAY);
    Watch();
    f.Post(f.Connect(0, 1), 4096);
    f.Run();
    f.ExpectAllSucceeded(1, 4096);
    ASSERT_EQ(echoes.size(), 1u);
    ASSERT_EQ(echoes[0].telemetry.size(), 20u);
    for (uint32_t i = 0; i < 20; ++i)
    {
        EXPECT_EQ(Hop(0, i).switchId, f.network.switches.Get(i)->GetId());
    }
    EXPECT_FALSE(echoes[0].hopsExceeded);
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, 62 + 16 + 4096 + INT_MD_BASE + 20 * INT_MD_HOP);
}

TEST_F(Telemetry, SaysThatThereWereMoreHopsThanFit)
{
    // The shim's length has 8 bits: 3 words of header and 31 x 8 of hops.
    Prepare("IntMd");
    f.BuildChain(std::vector<std::string>(34, "400Gbps"), DELAY);
    Watch();
    f.Post(f.Connect(0, 1), 4096);
    f.Run();
    f.ExpectAllSucceeded(1, 4096);
    ASSERT_EQ(echoes.size(), 1u);
    EXPECT_EQ(echoes[0].telemetry.size(), 31u);
    EXPECT_TRUE(echoes[0].hopsExceeded);
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, 62 + 16 + 4096 + INT_MD_BASE + 31 * INT_MD_HOP);
}

TEST_F(Telemetry, SaysThatALinkWasTooNarrow)
{
    // Of 1000 bytes the packet has 1000 + 44 + 16 + 16 (without Ethernet); 1100 leave no 32 more.
    Prepare("IntMd");
    f.fabric.SetDeviceAttribute("Mtu", UintegerValue(1100));
    f.BuildChain({"100Gbps", "100Gbps"}, DELAY);
    Watch();
    f.Post(f.Connect(0, 1), 1000);
    f.Run();
    ASSERT_EQ(echoes.size(), 1u);
    EXPECT_TRUE(echoes[0].mtuExceeded);
    EXPECT_EQ(echoes[0].telemetry.size(), 0u);
    EXPECT_EQ(echoes[0].hopsLeft, 31); // who writes nothing takes nothing
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, 62 + 16 + 16 + 1000u);
}

TEST_F(Telemetry, IsNotCollectedUnlessAskedFor)
{
    Prepare("None");
    f.BuildChain({"100Gbps", "100Gbps", "100Gbps"}, DELAY);
    Watch();
    f.Post(f.Connect(0, 1), 1000);
    f.Run();
    EXPECT_EQ(echoes.size(), 0u);
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, 62 + 16 + 1000u);
}

TEST_F(Telemetry, GrowsTheFramesOfEachHopOfALongMessage)
{
    // What leaves a port comes in at its peer: bytes are neither lost nor made on the way.
    Prepare("IntMd");
    f.BuildTwoSwitches(2, "100Gbps", 1, "100Gbps", DELAY);
    Watch();
    constexpr uint64_t FRAMES = 64;
    f.Post(f.Connect(0, 2), FRAMES * 4096);
    f.Post(f.Connect(1, 3), FRAMES * 4096);
    f.Run();
    f.ExpectAllSucceeded(2, 2 * FRAMES * 4096);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    EXPECT_EQ(echoes.size(), 2 * FRAMES);
    uint64_t deepest = 0;
    for (const SwitchHeader& echo : echoes)
    {
        ASSERT_EQ(echo.telemetry.size(), 2u);
        deepest = std::max(deepest, echo.telemetry[0].queueBytes);
    }
    EXPECT_GT(deepest, 32 * 4096u); // 2 x 64 frames into a link of the same rate: half waits
    for (uint32_t s = 0; s < 2; ++s)
    {
        for (uint32_t p = 0; p < f.Switch(s)->GetNPorts(); ++p)
        {
            Ptr<FabricNetDevice> port = f.Switch(s)->GetPort(p);
            EXPECT_EQ(port->GetCounters().txBytes, port->GetPeer()->GetCounters().rxBytes);
            EXPECT_EQ(port->GetCounters().rxBytes, port->GetPeer()->GetCounters().txBytes);
        }
    }
    const uint64_t one = 62 + INT_MD_BASE + 4096;
    EXPECT_EQ(f.Port(2)->GetCounters().rxBytes, FRAMES * (one + 2 * INT_MD_HOP) + 16);
}

TEST_F(Telemetry, IsEchoedBySelectiveAnswersToo)
{
    Prepare("IntMd");
    f.rdma.SetReliability("ns3::SelectiveRepeat");
    f.BuildChain({"100Gbps", "100Gbps", "100Gbps"}, DELAY);
    Watch();
    f.Post(f.Connect(0, 1), 10 * 4096);
    f.Run();
    f.ExpectAllSucceeded(1, 10 * 4096);
    EXPECT_EQ(echoes.size(), 10u);
}

/// Congestion control, path MTU, format.
using Mixture = std::tuple<std::string, uint64_t, std::string>;

class TelemetryMixture : public Telemetry, public testing::WithParamInterface<Mixture>
{
};

TEST_P(TelemetryMixture, NeverMakesAnAnswerLookLikeSomethingElse)
{
    // An answer with hops may be larger than a data frame: what a frame is says its opcode alone.
    auto [congestion, mtu, format] = GetParam();
    Prepare(format);
    f.rdma.SetCongestionControl(congestion);
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
    f.fabric.SetEcn([](DataRate) { return EcnThresholds{10000, 40000, 1}; });
    f.BuildTwoSwitches(2, "100Gbps", 1, "100Gbps", DELAY);
    Watch();
    const uint64_t sizes[] = {0, 1, 60, mtu - 1, mtu, mtu + 1, 100 * mtu};
    uint64_t frames = 0;
    uint64_t bytes = 0;
    for (uint32_t h = 0; h < 2; ++h)
    {
        Connection c = f.Connect(h, h + 2);
        for (uint64_t size : sizes)
        {
            f.Post(c, size);
            frames += std::max<uint64_t>(1, (size + mtu - 1) / mtu);
            bytes += size;
        }
    }
    f.Run();
    f.ExpectAllSucceeded(2 * std::size(sizes), bytes);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    EXPECT_EQ(f.Total(&RdmaNicCounters::dataFramesReceived), frames);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::unknownQpFrames), 0u);
    EXPECT_EQ(echoes.size(), format == "None" ? 0 : frames); // an answer to each
    for (const SwitchHeader& echo : echoes)
    {
        EXPECT_EQ(echo.telemetry.size(), 2u);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    TelemetryMixture,
    testing::Combine(testing::Values("ns3::LineRateCongestionOps", "ns3::DcqcnCongestionOps"),
                     testing::Values(uint64_t{256}, uint64_t{1024}, uint64_t{4096}, uint64_t{9000}),
                     testing::Values("None", "IntMd", "Hpcc")));

using TelemetryDeath = Telemetry;

TEST_F(TelemetryDeath, OfHpccsFormatEndsWhereItsHopCountEnds)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            Prepare("Hpcc");
            f.BuildChain(std::vector<std::string>(17, "400Gbps"), DELAY);
            f.Post(f.Connect(0, 1), 1000);
            f.Run();
        },
        "room for 15 hops");
}

TEST_F(TelemetryDeath, OfHpccsFormatRefusesARateWithoutACode)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            Prepare("Hpcc");
            f.BuildChain({"100Gbps", "125Gbps"}, DELAY);
            f.Post(f.Connect(0, 1), 1000);
            f.Run();
        },
        "no code for");
}

TEST_F(TelemetryDeath, ThatHeadroomWasNotMadeForIsRefused)
{
    // 62 + 16 + 16 + 4096 = 4190 leave the host, and 4222 the first switch.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            Prepare("IntMd");
            f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4210));
            f.BuildChain({"100Gbps", "100Gbps", "100Gbps"}, DELAY);
            f.Post(f.Connect(0, 1), 4096);
            f.Run();
        },
        "a frame of 4222 B \\(telemetry included\\)");
}

// ---------------------------------------------------------------- on the wire

/// Two hops whose fields are all different.
void
AddHops(FabricFrame& frame, TelemetryFormat format)
{
    SwitchHeader& header = frame.MakeSwitchHeader();
    header.collectsTelemetry = !GetOpcodeTraits(frame.opcode).ack;
    header.telemetryFormat = format;
    header.hopsLeft = format == TelemetryFormat::HPCC ? 13 : 29;
    header.pathId = format == TelemetryFormat::HPCC ? 0xabc : 0;
    IntHop first;
    first.switchId = 0x01020304;
    first.ingressPort = 5;
    first.egressPort = 6;
    first.trafficClass = 3;
    first.queueBytes = 8079; // 127 cells of 64 bytes, 100 units of 80
    first.time = 1234567899; // ps
    first.txBytes = 0x1122334455667788;
    first.bitsPerSecond = 100000000000;
    IntHop second;
    second.switchId = 7;
    second.ingressPort = 0x10000; // too large
    second.egressPort = 2;
    second.queueBytes = uint64_t{1} << 31; // likewise
    second.txBytes = 127;
    second.bitsPerSecond = 1600000000000;
    header.telemetry = {first, second};
    frame.ComputeSize();
}

/// By hand: shim, MD header, then the last hop and the first one.
const char* const INT_MD_BYTES = "14 13 12b7"
                                 "20 00 08 1d d400 a1fa c000 0000"
                                 "00000007 ffff 0002 00ffffff 0000000000000000"
                                 "000000000000007f 00186a00"
                                 "01020304 0005 0006 0300007f 000000000012d687"
                                 "1122334455667788 000186a0";

/// By hand: nHop 2, pathID abc; codes of 100 and 1600 Gb/s are 5 and 9.
const char* const HPCC_BYTES = "2abc 5 12d687 accef 0064  9 000000 00000 ffff";

struct WireCase
{
    TelemetryFormat format;
    uint16_t port;
    const char* bytes;
};

const WireCase WIRE_CASES[] = {{TelemetryFormat::INT_MD, 4794, INT_MD_BYTES},
                               {TelemetryFormat::HPCC, 4795, HPCC_BYTES}};

/// Adds to a 16-bit field. @param bytes in which @param at offset @param more to add
void
Add16(Bytes& bytes, size_t at, size_t more)
{
    size_t sum = BigEndian16(bytes, at) + more;
    bytes[at] = static_cast<uint8_t>(sum >> 8);
    bytes[at + 1] = static_cast<uint8_t>(sum);
}

TEST(IntWire, StandsBetweenUdpAndBthAndLeavesTheIcrcAlone)
{
    for (const WireCase& wire : WIRE_CASES)
    {
        for (const Underlay& underlay : UNDERLAYS)
        {
            SCOPED_TRACE(underlay.name);
            FramePtr frame = MakeRoce(OPCODES[6], 101, underlay); // WRITE First
            Bytes expected = BytesOf(frame->ToPacket());
            Bytes telemetry = FromHex(wire.bytes);

            // What the source does to the packet, by hand.
            size_t ip = underlay.vlan ? 18 : 14;
            size_t udp = ip + (underlay.ipv6 ? 40 : 20);
            Add16(expected, ip + (underlay.ipv6 ? 4 : 2), telemetry.size());
            Add16(expected, udp + 4, telemetry.size());
            expected[udp + 2] = static_cast<uint8_t>(wire.port >> 8);
            expected[udp + 3] = static_cast<uint8_t>(wire.port);
            expected.insert(expected.begin() + udp + 8, telemetry.begin(), telemetry.end());
            if (!underlay.ipv6)
            {
                // The header's sum changes by that of its length (RFC 1624).
                uint32_t sum = 0xffff & ~BigEndian16(expected, ip + 10);
                sum += static_cast<uint32_t>(telemetry.size());
                sum = (sum & 0xffff) + (sum >> 16);
                expected[ip + 10] = static_cast<uint8_t>(~sum >> 8);
                expected[ip + 11] = static_cast<uint8_t>(~sum);
            }

            AddHops(*frame, wire.format);
            Ptr<Packet> image = frame->ToPacket();
            EXPECT_EQ(ToHex(BytesOf(image)), ToHex(expected));
            EXPECT_EQ(frame->sizeBytes, expected.size() + 4);

            // And back.
            std::string error;
            FramePtr read = FabricFrame::FromPacket(image, &error);
            ASSERT_TRUE(read) << error;
            EXPECT_EQ(Describe(*read), Describe(*frame));
            EXPECT_TRUE(read->switchHeader->collectsTelemetry);
            EXPECT_EQ(read->switchHeader->hopsLeft, frame->switchHeader->hopsLeft);
            EXPECT_EQ(ToHex(BytesOf(read->ToPacket())), ToHex(expected));
        }
    }
}

TEST(IntWire, ReadsWhatFits)
{
    FramePtr frame = MakeRoce(OPCODES[1], 64);
    AddHops(*frame, TelemetryFormat::INT_MD);
    FramePtr read = FabricFrame::FromPacket(frame->ToPacket());
    ASSERT_TRUE(read);
    const std::vector<IntHop>& hops = read->switchHeader->telemetry;
    ASSERT_EQ(hops.size(), 2u);
    EXPECT_EQ(hops[0].switchId, 0x01020304u);
    EXPECT_EQ(hops[0].ingressPort, 5u);
    EXPECT_EQ(hops[0].egressPort, 6u);
    EXPECT_EQ(hops[0].trafficClass, 3);
    EXPECT_EQ(hops[0].queueBytes, 127u * 64); // rounded up to cells
    EXPECT_EQ(hops[0].time, 1234567000);      // rounded down to nanoseconds
    EXPECT_EQ(hops[0].txBytes, 0x1122334455667788u);
    EXPECT_EQ(hops[0].bitsPerSecond, 100000000000u);
    EXPECT_EQ(hops[1].ingressPort, 0xffffu);       // the largest
    EXPECT_EQ(hops[1].queueBytes, 0xffffffu * 64); // likewise

    FramePtr hpcc = MakeRoce(OPCODES[1], 64);
    AddHops(*hpcc, TelemetryFormat::HPCC);
    FramePtr back = FabricFrame::FromPacket(hpcc->ToPacket());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->switchHeader->telemetry[0].queueBytes, 8000u);
    EXPECT_EQ(back->switchHeader->telemetry[0].txBytes, 0xaccefu * 128); // modulo 2^27
    EXPECT_EQ(back->switchHeader->telemetry[0].time, 1234567000);
    EXPECT_EQ(back->switchHeader->telemetry[1].queueBytes, 0xffffu * 80);
    EXPECT_EQ(back->switchHeader->pathId, 0xabc);
}

TEST(IntWire, TellsAnEchoFromACollection)
{
    for (const WireCase& wire : WIRE_CASES)
    {
        FramePtr ack = MakeRoce(OPCODES[17], 0); // RC Acknowledge
        AddHops(*ack, wire.format);
        Ptr<Packet> image = ack->ToPacket();
        FramePtr read = FabricFrame::FromPacket(image);
        ASSERT_TRUE(read);
        EXPECT_FALSE(read->switchHeader->collectsTelemetry);
        EXPECT_EQ(read->switchHeader->telemetry.size(), 2u);
        if (wire.format == TelemetryFormat::INT_MD)
        {
            EXPECT_EQ(BytesOf(image)[42] >> 4, 2); // a destination header: hops let it pass
        }
    }
}

TEST(IntWire, RefusesInstructionsThatItDoesNotKnow)
{
    FramePtr frame = MakeRoce(OPCODES[1], 64);
    AddHops(*frame, TelemetryFormat::INT_MD);
    Bytes bytes = BytesOf(frame->ToPacket());
    bytes[50] = 0xff; // first byte of the instruction bitmap: Ethernet 14, IPv4 20, UDP 8, shim 4
    std::string error;
    EXPECT_FALSE(FabricFrame::FromPacket(PacketOf(bytes), &error));
    EXPECT_NE(error.find("INT instruction bitmap"), std::string::npos) << error;
}

TEST(IntWire, RefusesEveryCutImage)
{
    FramePtr frame = MakeRoce(OPCODES[1], 8);
    AddHops(*frame, TelemetryFormat::INT_MD);
    Bytes bytes = BytesOf(frame->ToPacket());
    for (size_t length = 0; length < bytes.size(); ++length)
    {
        Bytes cut(bytes.begin(), bytes.begin() + length);
        EXPECT_FALSE(FabricFrame::FromPacket(PacketOf(cut))) << length;
    }
}

} // namespace
