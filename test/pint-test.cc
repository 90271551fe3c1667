// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief PINT: the code and its draws, the bytes on the wire, and what a switch writes. Expected
 * values are by hand: powers of 1.05, frame sizes and times.
 */

#include "fabric-fixture.h"
#include "wire-bytes.h"
#include "wire-frames.h"

#include "ns3/int-header.h"
#include "ns3/int-stamper.h"
#include "ns3/pint-code.h"
#include "ns3/pointer.h"

#include <cmath>

using namespace ns3;
using namespace wire_test;

namespace
{

// ---------------------------------------------------------------- the code

TEST(PintCode, StandsForPowersOfItsBase)
{
    PintCode code{1.05};
    for (uint16_t c = 1; c < 255; ++c)
    {
        EXPECT_NEAR(code.Decode(c), std::pow(1.05, c - 1) / 512, 1e-9 * code.Decode(c));
    }
    EXPECT_EQ(code.Decode(1), 1.0 / 512);
    EXPECT_GT(code.Decode(255), 400); // one byte goes from 0.2 % to an overload of 400
}

TEST(PintCode, LiesNextToTheValueAndIsRightInTheMean)
{
    PintCode code{1.05};
    constexpr int DRAWS = 20000;
    for (double value : {0.01, 0.3, 0.95, 0.97, 1.0, 3.3, 90.0})
    {
        double sum = 0;
        for (int i = 0; i < DRAWS; ++i)
        {
            double read = code.Decode(code.Encode(value, (i + 0.5) / DRAWS, 255));
            EXPECT_LT(std::abs(read - value), 0.05 * value);
            sum += read;
        }
        // Draws that are spread evenly leave a rounding of one draw.
        EXPECT_NEAR(sum / DRAWS, value, 0.05 * value / DRAWS);
    }
}

TEST(PintCode, KeepsToItsRange)
{
    PintCode code{1.05};
    EXPECT_EQ(code.Encode(0, 0, 255), 1);
    EXPECT_EQ(code.Encode(0.0001, 0, 255), 1);
    EXPECT_EQ(code.Encode(1e9, 0, 255), 255);
    EXPECT_EQ(PintCode{1.01}.Encode(1.0, 0.999, 65535), 1 + 626); // ln 512 / ln 1.01 = 626.9
    EXPECT_EQ(PintCode{1.01}.Encode(1.0, 0.001, 65535), 1 + 627);
}

// ---------------------------------------------------------------- on the wire

struct PintWire
{
    TelemetryFormat format;
    uint16_t port;
    uint16_t digest;
    const char* bytes;
};

const PintWire PINT_WIRES[] = {{TelemetryFormat::PINT, 4796, 0x8a, "8a"},
                               {TelemetryFormat::PINT_16, 4797, 0x0272, "0272"}};

TEST(PintOnTheWire, StandsBetweenUdpAndBthAndComesBack)
{
    for (const PintWire& wire : PINT_WIRES)
    {
        for (const Underlay& underlay : UNDERLAYS)
        {
            SCOPED_TRACE(underlay.name);
            FramePtr frame = MakeRoce(OPCODES[6], 101, underlay); // WRITE First
            Bytes plain = BytesOf(frame->ToPacket());
            Bytes digest = FromHex(wire.bytes);
            SwitchHeader& header = frame->MakeSwitchHeader();
            header.collectsTelemetry = true;
            header.telemetryFormat = wire.format;
            header.digest = wire.digest;
            frame->ComputeSize();
            Ptr<Packet> image = frame->ToPacket();
            Bytes found = BytesOf(image);
            ASSERT_EQ(found.size(), plain.size() + digest.size());

            size_t udp = (underlay.vlan ? 18 : 14) + (underlay.ipv6 ? 40 : 20);
            EXPECT_EQ(BigEndian16(found, udp + 2), wire.port);
            EXPECT_EQ(BigEndian16(found, udp + 4), BigEndian16(plain, udp + 4) + digest.size());
            auto at = found.begin() + static_cast<long>(udp) + 8;
            EXPECT_TRUE(std::equal(digest.begin(), digest.end(), at));
            // From BTH to the end, ICRC included, it is the packet as it was.
            EXPECT_TRUE(std::equal(plain.begin() + static_cast<long>(udp) + 8,
                                   plain.end(),
                                   at + static_cast<long>(digest.size()),
                                   found.end()));

            std::string error;
            FramePtr read = FabricFrame::FromPacket(image, &error);
            ASSERT_TRUE(read) << error;
            EXPECT_EQ(read->switchHeader->telemetryFormat, wire.format);
            EXPECT_EQ(read->switchHeader->digest, wire.digest);
            EXPECT_TRUE(read->switchHeader->collectsTelemetry);
            EXPECT_EQ(read->sizeBytes, frame->sizeBytes);
            EXPECT_EQ(BytesOf(read->ToPacket()), found);
        }
    }
}

// ---------------------------------------------------------------- in a fabric

constexpr uint32_t MTU = 4096;
const Time DELAY = NanoSeconds(500);
const Time AVERAGE = MicroSeconds(10);

/// A fabric whose switches write digests, and what came back.
class PintFabric : public testing::Test
{
  protected:
    void Prepare(const std::string& format, double base)
    {
        stamper.Set("PintBaseRtt", TimeValue(AVERAGE));
        stamper.Set("PintLogBase", DoubleValue(base));
        f.fabric.SetSwitchPart("IntStamper", stamper);
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
                    [this](const QueuePair&, const FabricFrame& answer) {
                        echoes.push_back(*answer.switchHeader);
                    }));
        }
    }

    /// @param index of a switch @return its stamper
    Ptr<IntStamper> Stamper(uint32_t index)
    {
        PointerValue value;
        f.Switch(index)->GetAttribute("IntStamper", value);
        return value.Get<IntStamper>();
    }

    ObjectFactory stamper{"ns3::IntStamper"};
    FabricFixture f;
    std::vector<SwitchHeader> echoes;
};

TEST_F(PintFabric, AFrameHasOneDigestHoweverManyHops)
{
    Prepare("Pint", 1.05);
    f.BuildChain({"100Gbps", "100Gbps", "100Gbps", "100Gbps"}, DELAY);
    Watch();
    f.Post(f.Connect(0, 1), MTU);
    f.Run();
    f.ExpectAllSucceeded(1, MTU);
    ASSERT_EQ(echoes.size(), 1u);
    EXPECT_TRUE(echoes[0].telemetry.empty());
    EXPECT_EQ(echoes[0].digest, 1); // nobody had sent anything before
    EXPECT_EQ(f.Port(1)->GetCounters().rxBytes, 62 + 16 + 1 + MTU + 0u);
    EXPECT_EQ(f.Port(0)->GetCounters().rxBytes, 62 + 4 + 1u);
}

TEST_F(PintFabric, TheUtilizationIsTheMovingAverage)
{
    // A message over a chain leaves each port in one piece: the first frame meets a port that has
    // sent nothing, each later one finds the frame before it sent in the time since.
    Prepare("Pint16", 1.01);
    f.BuildChain({"100Gbps", "100Gbps", "100Gbps"}, DELAY);
    Watch();
    constexpr uint32_t FRAMES = 200;
    f.Post(f.Connect(0, 1), FRAMES * MTU);
    f.Run();
    const double frame = 62 + 2 + MTU; // the first and the last one differ a little
    const double slot = (frame + 20) * 80e-12;
    const double weight = slot / AVERAGE.GetSeconds();
    const double steady = frame / (frame + 20);
    double expected = steady * (1 - std::pow(1 - weight, FRAMES - 1));
    for (uint32_t s = 0; s < 2; ++s)
    {
        double found = Stamper(s)->GetUtilization(*f.Switch(s), 1);
        EXPECT_NEAR(found, expected, 0.005);
        EXPECT_EQ(Stamper(s)->GetUtilization(*f.Switch(s), 0), 0); // answers ask for nothing
    }
    ASSERT_EQ(echoes.size(), FRAMES);
    double read = PintCode{1.01}.Decode(echoes.back().digest);
    EXPECT_GT(read, expected / 1.01);
    EXPECT_LT(read, expected * 1.01 * 1.01);
}

TEST_F(PintFabric, TheQueueCounts)
{
    // Two senders, one receiver, all of one rate: after a while half of what has come waits.
    Prepare("Pint", 1.05);
    f.BuildStar(3, "100Gbps", DELAY);
    Watch();
    f.Post(f.Connect(0, 2), 100 * MTU);
    f.Post(f.Connect(1, 2), 100 * MTU);
    f.Run();
    uint16_t highest = 0;
    for (const SwitchHeader& echo : echoes)
    {
        highest = std::max(highest, echo.digest);
    }
    // 200 frames come in 100 slots, 100 of them are in the queue then: 416 kB, 3.3 round trips of
    // 10 us. The average, of the same time constant over 33 us of growth, is behind by about one.
    double read = PintCode{1.05}.Decode(highest);
    double queue = 100.0 * 4159 / (1e11 / 8 * AVERAGE.GetSeconds());
    EXPECT_GT(read, queue);
    EXPECT_LT(read, (queue + 1) * 1.05);
}

TEST_F(PintFabric, WithoutATimeToAverageOverIsRefused)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            Prepare("Pint", 1.05);
            stamper.Set("PintBaseRtt", TimeValue(Time(0)));
            f.fabric.SetSwitchPart("IntStamper", stamper);
            f.BuildStar(2, "100Gbps", DELAY);
            f.Post(f.Connect(0, 1), MTU);
            f.Run();
        },
        "PintBaseRtt");
}

} // namespace
