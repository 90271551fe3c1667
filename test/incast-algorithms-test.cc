// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Sixteen and 255 senders, one receiver, under every congestion control: nothing is lost,
 * everything arrives, nothing is left, and the receiver's link is the limit.
 *
 * The tables of the manual (doc/incast-table.rst) are printed by examples/incast-table.cc.
 */

#include "congestion-setup.h"

#include "ns3/frame-trimmer.h"

#include <algorithm>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
const std::string RATE = "100Gbps";
constexpr uint64_t MTU = 4096;

TEST(CongestionControls, AreAllThere)
{
    std::vector<std::string> names = GetCongestionControlNames();
    EXPECT_EQ(names, AllCongestionControls());
    for (const std::string& name : names)
    {
        TypeId tid;
        EXPECT_TRUE(TypeId::LookupByNameFailSafe(GetCongestionControlType(name), &tid)) << name;
    }
}

/// A congestion control and how many send.
struct Incast
{
    std::string algorithm;
    uint32_t senders;
    uint64_t messageBytes;
};

std::string
NameOf(const testing::TestParamInfo<Incast>& info)
{
    std::string name = info.param.algorithm + "_" + std::to_string(info.param.senders);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<Incast>
Incasts(const std::vector<std::string>& algorithms)
{
    std::vector<Incast> all;
    for (const std::string& algorithm : algorithms)
    {
        all.push_back({algorithm, 16, 1'000'000});
        all.push_back({algorithm, 255, 100'000});
    }
    return all;
}

/// @return the least time: all frames through the receiver's link, and the first one's way to it
Time
LeastTime(const Incast& incast)
{
    uint64_t frames = (incast.messageBytes + MTU - 1) / MTU;
    uint64_t wire = incast.messageBytes + frames * 82;
    return OnWire(RATE, incast.senders * wire) + 2 * DELAY;
}

/// A fabric of one switch and the senders' connections; the buffer has room for the headroom of
/// all ports (2 x 500 ns of cable and frames in between: below 64 kB a port) and 16 MB.
class IncastRun
{
  public:
    IncastRun(const Incast& incast, Ptr<FrameTrimmer> trimmer)
        : m_incast(incast)
    {
        uint64_t size = 16'000'000 + 64'000 * uint64_t{incast.senders};
        if (trimmer)
        {
            f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0));
            f.fabric.SetSwitchAttribute("FrameTrimmer", PointerValue(trimmer));
            f.rdma.SetReliability("ns3::SelectiveRepeat");
            f.rdma.SetReliabilityAttribute("LongTimeout", TimeValue(MilliSeconds(4)));
            f.rdma.SetReliabilityAttribute("ShortTimeout", TimeValue(MilliSeconds(4)));
            size = 1'000'000 + 40'000 * uint64_t{incast.senders}; // most of it is ports' reserves
        }
        f.fabric.SetBufferAttribute("Size", UintegerValue(size));
        UseCongestionControl(f,
                             incast.algorithm,
                             DataRate(RATE),
                             StarRoundTrip(DataRate(RATE), DELAY, MTU));
        f.BuildStar(incast.senders + 1, RATE, DELAY);
        for (uint32_t h = 1; h <= incast.senders; ++h)
        {
            f.Post(f.Connect(h, 0), incast.messageBytes);
        }
        Simulator::Stop(Seconds(2));
        f.Run();
    }

    void ExpectAllArrived()
    {
        f.ExpectAllSucceeded(m_incast.senders, m_incast.senders * m_incast.messageBytes);
        f.ExpectDrained();
        f.ExpectSharesAddUp();
        EXPECT_EQ(f.Switch()->GetBuffer()->GetUsedBytes(), 0u);
    }

    Time GetEnd() const
    {
        int64_t end = 0;
        for (const MessageRecord& record : f.records)
        {
            end = std::max(end, record.end);
        }
        return TimeStep(end);
    }

    FabricFixture f;

  private:
    Incast m_incast;
};

// ---------------------------------------------------------------- lossless

class LosslessIncast : public testing::TestWithParam<Incast>
{
};

TEST_P(LosslessIncast, LosesNothingAndCompletes)
{
    IncastRun run(GetParam(), nullptr);
    run.ExpectAllArrived();
    EXPECT_EQ(run.f.Drops(), 0u);
    EXPECT_EQ(run.f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_GT(run.GetEnd(), LeastTime(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All,
                         LosslessIncast,
                         testing::ValuesIn(Incasts(GetCongestionControlNames())),
                         NameOf);

// ---------------------------------------------------------------- lossy, with trimming

class TrimmingIncast : public testing::TestWithParam<Incast>
{
};

TEST_P(TrimmingIncast, LosesOnlyPayloadAndCompletes)
{
    auto trimmer = CreateObject<FrameTrimmer>();
    IncastRun run(GetParam(), trimmer);
    run.ExpectAllArrived();
    EXPECT_GT(run.GetEnd(), LeastTime(GetParam()));
    // What was sent has arrived, whole or trimmed, or was dropped.
    EXPECT_EQ(run.f.Total(&RdmaNicCounters::dataFramesSent),
              run.f.Total(&RdmaNicCounters::dataFramesReceived) +
                  run.f.Total(&RdmaNicCounters::trimmedFramesReceived) + run.f.Drops());
}

INSTANTIATE_TEST_SUITE_P(All,
                         TrimmingIncast,
                         testing::ValuesIn(Incasts(AlgorithmsThatTrim())),
                         NameOf);

} // namespace
