// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief ECN marking: step and averaged RED against hand computations; which frames, classes and
 * rates. (RED on the instantaneous queue, and marking on departure: switch-test.cc.)
 */

#include "fabric-fixture.h"

#include "ns3/red-ecn-marker.h"
#include "ns3/step-ecn-marker.h"

#include <map>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;

Ptr<EcnMarker>
MakeStep(uint64_t threshold)
{
    return CreateObjectWithAttributes<StepEcnMarker>("Threshold", UintegerValue(threshold));
}

/// Kmin 1000, Kmax 2000, Pmax 0.5, w 0.5; a link of one byte a nanosecond and frames of 1 us.
Ptr<RedEcnMarker>
MakeAverage(const std::string& linkRate)
{
    return CreateObjectWithAttributes<RedEcnMarker>("Kmin",
                                                    UintegerValue(1000),
                                                    "Kmax",
                                                    UintegerValue(2000),
                                                    "Pmax",
                                                    DoubleValue(0.5),
                                                    "QueueWeight",
                                                    DoubleValue(0.5),
                                                    "LinkRate",
                                                    StringValue(linkRate),
                                                    "MeanFrameBytes",
                                                    UintegerValue(1000));
}

int64_t
Ns(int64_t ns)
{
    return NanoSeconds(ns).GetTimeStep();
}

// ---------------------------------------------------------------- markers

TEST(StepEcnMarker, MarksAboveItsThresholdOnly)
{
    Ptr<EcnMarker> marker = MakeStep(5000);
    EXPECT_FALSE(marker->ShouldMark(0, 0));
    EXPECT_FALSE(marker->ShouldMark(5000, 0));
    EXPECT_TRUE(marker->ShouldMark(5001, 0));
    EXPECT_TRUE(marker->ShouldMark(uint64_t{1} << 40, 0));
    EXPECT_FALSE(marker->KeepsState());
}

TEST(RedEcnMarker, AveragesTheQueueByItsWeight)
{
    // w = 1/2, so each step is the mean of old and new: exact in binary.
    Ptr<RedEcnMarker> marker = MakeAverage("0bps");
    EXPECT_TRUE(marker->KeepsState());
    EXPECT_FALSE(marker->ShouldMark(2000, 0)); // 1000: up to Kmin nothing
    EXPECT_EQ(marker->GetAverage(), 1000);
    EXPECT_TRUE(marker->ShouldMark(8000, 1)); // 4500: above Kmax all
    EXPECT_EQ(marker->GetAverage(), 4500);
    EXPECT_TRUE(marker->ShouldMark(0, 2)); // 2250, though the queue is empty
    EXPECT_EQ(marker->GetAverage(), 2250);
    marker->Observe(250, 3); // of a frame that may not be marked
    EXPECT_EQ(marker->GetAverage(), 1250);
    EXPECT_EQ(marker->GetProbability(1250), 0.125);
}

TEST(RedEcnMarker, ForgetsWhileTheLinkIsIdle)
{
    Ptr<RedEcnMarker> marker = MakeAverage("8Gbps");
    marker->Observe(3000, 0); // 1500; with the frame itself gone at 4000 ns
    EXPECT_EQ(marker->GetAverage(), 1500);
    marker->Observe(0, Ns(10500)); // idle for 6500 ns: 6 frames, 1500 / 2^6
    EXPECT_EQ(marker->GetAverage(), 23.4375);
    marker->Observe(0, Ns(11000)); // the frame of 10500 is on the wire until 11500: not idle
    EXPECT_EQ(marker->GetAverage(), 23.4375);
    marker->Observe(1000, Ns(11500));
    EXPECT_EQ(marker->GetAverage(), 511.71875);
    marker->Observe(0, Ns(1000000000));
    EXPECT_EQ(marker->GetAverage(), 0) << "a million frames later";
}

TEST(RedEcnMarker, DrawsTheSameFromTheSameStream)
{
    auto draws = [](int64_t stream) {
        auto marker = CreateObjectWithAttributes<RedEcnMarker>("Kmin",
                                                               UintegerValue(0),
                                                               "Kmax",
                                                               UintegerValue(1000),
                                                               "Pmax",
                                                               DoubleValue(1.0));
        EXPECT_EQ(marker->AssignStreams(stream), 1);
        std::vector<bool> marks;
        for (int i = 0; i < 200; ++i)
        {
            marks.push_back(marker->ShouldMark(500, i));
        }
        return marks;
    };
    EXPECT_EQ(draws(5), draws(5));
    EXPECT_NE(draws(5), draws(6));
}

// ---------------------------------------------------------------- in a switch

/// Frames made by hand go through a switch with one busy port; what comes out is counted.
class EcnSwitch : public FabricFixture
{
  public:
    /// Three hosts; all frames go to host 0.
    void BuildAndWatch()
    {
        BuildStar(3, "100Gbps", DELAY);
        Port(0)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>([this](const FabricFrame& frame) {
                ++arrived[{frame.trafficClass, frame.ecn}];
            }));
    }

    /// @param trafficClass and @param ecn of @param count frames that come in at once from host 1
    void Send(uint8_t trafficClass, EcnField ecn, uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            FramePtr frame = FabricFrame::Create();
            frame->opcode = RdmaOpcode::RC_WRITE_MIDDLE;
            frame->trafficClass = trafficClass;
            frame->ecn = ecn;
            frame->srcAddress = Port(1)->GetIpv4Address().Get();
            frame->dstAddress = Port(0)->GetIpv4Address().Get();
            frame->payloadBytes = 934; // 996 bytes of frame
            frame->ComputeSize();
            Switch()->Switch(1, std::move(frame));
        }
    }

    uint32_t Arrived(uint8_t trafficClass, EcnField ecn)
    {
        return arrived[{trafficClass, ecn}];
    }

    std::map<std::pair<uint8_t, EcnField>, uint32_t> arrived;
};

TEST(Marking, HonoursTheEcnField)
{
    // Peer bug CR12. Threshold 0: the first frame goes on the wire, the second finds nothing
    // waiting; from the third on all find something.
    EcnSwitch f;
    f.fabric.SetEcnMarker(0xff, [](DataRate) { return MakeStep(0); });
    f.BuildAndWatch();
    f.Send(3, EcnField::NOT_ECT, 10);
    f.Send(3, EcnField::ECT0, 10);
    f.Send(3, EcnField::ECT1, 10);
    f.Send(3, EcnField::CE, 10);
    f.Run();
    EXPECT_EQ(f.Arrived(3, EcnField::NOT_ECT), 10u);
    EXPECT_EQ(f.Arrived(3, EcnField::ECT0), 0u);
    EXPECT_EQ(f.Arrived(3, EcnField::ECT1), 0u);
    EXPECT_EQ(f.Arrived(3, EcnField::CE), 30u);
    EXPECT_EQ(f.Port(0)->GetPeer()->GetCounters().ecnMarks, 20u) << "new marks only";
}

TEST(Marking, ByStepIsExact)
{
    // Frames of 996 bytes come in at once: the first leaves, frame n (from 1) finds n - 2 waiting.
    // More than 10,000 bytes are 11 frames or more: of 50 the 13th and all after it, 38.
    EcnSwitch f;
    f.fabric.SetEcnMarker(1U << 3, [](DataRate) { return MakeStep(10000); });
    f.BuildAndWatch();
    f.Send(3, EcnField::ECT0, 50);
    f.Run();
    EXPECT_EQ(f.Arrived(3, EcnField::CE), 38u);
    EXPECT_EQ(f.Arrived(3, EcnField::ECT0), 12u);
}

TEST(Marking, IsEachClassesOwn)
{
    // On one port: class 1 marks from 10,000 bytes on, class 2 from 20,000, class 4 by an average,
    // class 5 not at all; each by its own queue. All frames come at once, class 1 first, so the
    // first of the others already finds the port busy: their frame n finds n - 1 waiting.
    EcnSwitch f;
    f.fabric.SetEcnMarker(1U << 1, [](DataRate) { return MakeStep(10000); });
    f.fabric.SetEcnMarker(1U << 2, [](DataRate) { return MakeStep(20000); });
    f.fabric.SetEcnMarker(1U << 4, [](DataRate) {
        return CreateObjectWithAttributes<RedEcnMarker>("Kmin",
                                                        UintegerValue(1800),
                                                        "Kmax",
                                                        UintegerValue(1800),
                                                        "QueueWeight",
                                                        DoubleValue(0.5));
    });
    f.fabric.SetBufferAttribute("LossyAlpha", DoubleValue(8));
    f.BuildAndWatch();
    for (uint8_t c : {1, 2, 4, 5})
    {
        f.Send(c, EcnField::ECT0, 50);
    }
    f.Run();
    EXPECT_EQ(f.Arrived(1, EcnField::CE), 38u);
    EXPECT_EQ(f.Arrived(2, EcnField::CE), 50u - 21) << "20 frames are 19,920 bytes";
    // Averages of 0, 996, 1992, 2988: 0, 498, 1245, 2116.5: above 1800 from the fourth on.
    EXPECT_EQ(f.Arrived(4, EcnField::CE), 47u);
    EXPECT_EQ(f.Arrived(5, EcnField::CE), 0u);
}

TEST(Marking, TakesItsThresholdsFromTheRateWhateverItIs)
{
    // Peer bug 90: a map of known rates, and an assertion at any other. Thresholds here are 10 us
    // of the rate: 1250 bytes for each Gb/s. With 24 Gb/s that is 30,000 bytes: 31 frames of 996
    // bytes are more, so of 50 frames the 33rd and those after it are marked.
    for (uint32_t gbps : {10, 24, 25, 40, 50, 56, 100, 200, 400, 800, 1600})
    {
        FabricGraph graph;
        uint32_t center = graph.AddSwitch("switch");
        DataRate rate(gbps * uint64_t{1000000000});
        graph.Connect({graph.AddHost("a"), center, rate, DELAY});
        graph.Connect({graph.AddHost("b"), center, DataRate("100Gbps"), DELAY});
        EcnSwitch f;
        std::vector<uint64_t> asked;
        f.fabric.SetEcnMarker(1U << 3, [&](DataRate r) {
            asked.push_back(r.GetBitRate());
            return MakeStep(r.GetBitRate() / 800000);
        });
        f.Build(graph);
        EXPECT_EQ(asked.size(), gbps == 100 ? 1u : 2u) << "once for each rate";
        f.Send(3, EcnField::ECT0, 50);
        f.Run();
        uint64_t waiting = gbps * 1250 / 996 + 1; // frames that exceed the threshold
        uint64_t marked = waiting + 1 < 50 ? 50 - waiting - 1 : 0;
        EXPECT_EQ(f.Port(0)->GetPeer()->GetCounters().ecnMarks, marked) << gbps << " Gb/s";
    }
}

TEST(Marking, ThatAveragesHasAMarkerForEachPort)
{
    EcnSwitch f;
    int made = 0;
    f.fabric.SetEcnMarker((1U << 3) | (1U << 4), [&](DataRate) {
        ++made;
        return CreateObjectWithAttributes<RedEcnMarker>("QueueWeight", DoubleValue(0.002));
    });
    f.BuildAndWatch();
    EXPECT_EQ(made, 3 * 2) << "three ports, two classes: each queue has an average of its own";
}

TEST(Marking, OfAFabricIsReproducibleFromItsStreams)
{
    auto marks = [](int64_t stream) {
        EcnSwitch f;
        f.fabric.SetEcn([](DataRate) { return EcnThresholds{0, 100000, 0.5}; });
        f.BuildAndWatch();
        f.fabric.AssignStreams(f.network, stream);
        f.Send(3, EcnField::ECT0, 50);
        std::vector<bool> marked;
        f.Port(0)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>(
                [&](const FabricFrame& frame) { marked.push_back(frame.ecn == EcnField::CE); }));
        f.Run();
        return marked;
    };
    EXPECT_EQ(marks(1), marks(1));
    EXPECT_NE(marks(1), marks(1000));
}

} // namespace
