// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What a distributed run is made of, in one process: how a fabric is divided (cuts counted
 * by hand), frames as messages between processes, and the order of events of one time. Runs of
 * several processes are in distributed-test.sh.
 */

#include "ns3/arrival-event.h"
#include "ns3/arrival-order-scheduler.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/frame-message.h"
#include "ns3/frame-tag.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/make-event.h"
#include "ns3/partition-helper.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

const bool g_resolution = []() {
    Time::SetResolution(Time::PS);
    return true;
}();

// ---------------------------------------------------------------- how a fabric is divided

FabricGraph
MakeFourLeaves()
{
    LeafSpineParameters parameters; // 4 leaves with 4 hosts each, 4 spines
    parameters.linkDelay = NanoSeconds(100);
    parameters.uplinkDelay = NanoSeconds(700);
    return MakeLeafSpine(parameters);
}

TEST(Partition, PodsOfALeafSpineAreItsLeavesWithTheirHosts)
{
    const FabricGraph graph = MakeFourLeaves();
    std::string error;
    const FabricPartition halves = PartitionHelper(graph).Divide(PartitionKind::POD, 2, error);
    EXPECT_EQ(error, "");
    // Hosts 0 to 15, leaves 16 to 19, spines 20 to 23.
    const std::vector<uint32_t> expected{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
                                         1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    EXPECT_EQ(halves.rankOfVertex, expected);
    EXPECT_EQ(halves.cutLinks, 8U); // each of 4 leaves to the 2 spines of the other half
    EXPECT_EQ(halves.lookahead, NanoSeconds(700));
    EXPECT_DOUBLE_EQ(halves.GetImbalance(), 1.0);
}

TEST(Partition, RailsAreDividedAndServersStayWhole)
{
    RailOptimizedParameters parameters;
    parameters.servers = 4;
    parameters.gpusPerServer = 4;
    const FabricGraph graph = MakeRailOptimized(parameters);
    std::string error;
    PartitionHelper(graph).Divide(PartitionKind::POD, 2, error); // every leaf meets every server
    EXPECT_NE(error.find("1 parts of this kind for 2 processes"), std::string::npos) << error;
    const FabricPartition halves = PartitionHelper(graph).Divide(PartitionKind::RAIL, 2, error);
    EXPECT_EQ(error, "");
    uint32_t hosts = 0;
    std::vector<uint32_t> leafRanks;
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        const FabricGraph::Vertex& vertex = graph.GetVertices()[v];
        if (vertex.role == FabricGraph::Role::HOST)
        {
            EXPECT_EQ(halves.rankOfVertex[v], hosts / 2) << vertex.name;
            ++hosts;
        }
        else if (vertex.tier == 1)
        {
            leafRanks.push_back(halves.rankOfVertex[v]);
        }
    }
    EXPECT_EQ(hosts, 4U);
    EXPECT_EQ(leafRanks, (std::vector<uint32_t>{0, 0, 1, 1})); // a leaf a rail
}

TEST(Partition, ACutTakesTheThinPlace)
{
    // Two islands, whose vertices are listed alternately, and one cable between them.
    FabricGraph graph;
    std::vector<uint32_t> hosts;
    for (int i = 0; i < 8; ++i)
    {
        hosts.push_back(graph.AddHost("host" + std::to_string(i)));
    }
    const uint32_t left = graph.AddSwitch("left");
    const uint32_t right = graph.AddSwitch("right");
    for (int i = 0; i < 8; ++i)
    {
        graph.Connect({hosts[i], i % 2 ? right : left, DataRate("100Gbps"), NanoSeconds(500)});
    }
    graph.Connect({left, right, DataRate("100Gbps"), MicroSeconds(3)});
    std::string error;
    const FabricPartition halves = PartitionHelper(graph).Divide(PartitionKind::CUT, 2, error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(halves.cutLinks, 1U);
    EXPECT_EQ(halves.lookahead, MicroSeconds(3));
    EXPECT_DOUBLE_EQ(halves.GetImbalance(), 1.0);
}

TEST(Partition, AScaleUpDomainKeepsItsServersTogether)
{
    const FabricGraph graph = MakeFourLeaves();
    PartitionHelper helper(graph);
    helper.SetHostsPerDomain(16);
    std::string error;
    for (PartitionKind kind : {PartitionKind::POD, PartitionKind::RAIL, PartitionKind::CUT})
    {
        const FabricPartition halves = helper.Divide(kind, 2, error);
        const auto& ranks = halves.rankOfVertex;
        EXPECT_EQ(std::count(ranks.begin(), ranks.begin() + 16, ranks.front()), 16);
    }
}

TEST(Partition, FollowsLoadsThatAreGiven)
{
    const FabricGraph graph = MakeFourLeaves();
    PartitionHelper helper(graph);
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        helper.SetLoad(v, v < 4 ? 3 : v < 16 ? 1 : 0); // the first leaf has half of the traffic
    }
    std::string error;
    const FabricPartition halves = helper.Divide(PartitionKind::POD, 2, error);
    EXPECT_EQ(halves.loads, (std::vector<double>{12, 12}));
}

TEST(Partition, RefusesWhatCannotBeDivided)
{
    const FabricGraph graph = MakeFourLeaves();
    std::string error;
    PartitionHelper(graph).Divide(PartitionKind::POD, 9, error);
    EXPECT_NE(error.find("4 parts of this kind for 9 processes"), std::string::npos) << error;
    LeafSpineParameters parameters;
    parameters.uplinkDelay = Time(0);
    const FabricGraph near = MakeLeafSpine(parameters);
    PartitionHelper(near).Divide(PartitionKind::POD, 2, error);
    EXPECT_NE(error.find("would be cut, but has no delay"), std::string::npos) << error;

    FabricGraph lossy;
    const uint32_t a = lossy.AddHost("a");
    const uint32_t s = lossy.AddSwitch("s");
    const uint32_t t = lossy.AddSwitch("t");
    const uint32_t b = lossy.AddHost("b");
    lossy.Connect({a, s, DataRate("100Gbps"), NanoSeconds(5)});
    lossy.Connect({s, t, DataRate("100Gbps"), NanoSeconds(5), 1e-3});
    lossy.Connect({t, b, DataRate("100Gbps"), NanoSeconds(5)});
    PartitionHelper(lossy).Divide(PartitionKind::CUT, 2, error);
    EXPECT_NE(error.find("the link of s and t would be cut, but loses frames"), std::string::npos)
        << error;
}

// ---------------------------------------------------------------- frames as messages

FramePtr
MakeMarkedFrame()
{
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::RC_WRITE_FIRST;
    frame->payloadBytes = 4096;
    frame->trafficClass = 5;
    frame->ecn = EcnField::CE;
    frame->ingressPort = 17;
    frame->hops = 3;
    frame->flowHash = 0xdeadbeef;
    frame->psn = 0x123456;
    frame->remoteAddress = 0x1122334455667788;
    frame->atomicData = 0x99aabbccddeeff00;
    frame->messageId = 77;
    frame->sentTime = 123456789012;
    frame->arrivalTime = 123457000001;
    frame->journey = {1, 20, 300, 4000};
    frame->dstMac = Mac48Address("02:00:0a:00:00:07");
    frame->ComputeSize();
    SwitchHeader& header = frame->MakeSwitchHeader();
    header.telemetryFormat = TelemetryFormat::HPCC;
    header.pathId = 0xabc;
    header.telemetry.push_back({7, 1, 2, 3, 1500, uint64_t{1} << 40, 987654321098, 400000000000});
    header.telemetry.push_back({8, 4, 5, 6, 0, 17, 987654321099, 100000000000});
    header.conga.congestion = 5;
    header.conweave.tailTime = 42;
    return frame;
}

/// @param message it @return its frames, all of which must go to port 7
std::vector<FramePtr>
Read(const FrameMessage& message)
{
    std::vector<FramePtr> got;
    const std::vector<uint8_t>& bytes = message.GetBytes();
    FrameMessage::Read(bytes.data(), bytes.size(), [&got](uint32_t port, FramePtr frame) {
        EXPECT_EQ(port, 7U);
        got.push_back(std::move(frame));
    });
    return got;
}

/// @param frame it @return what another process gets
FramePtr
Pass(const FramePtr& frame)
{
    FrameMessage message;
    EXPECT_TRUE(message.Add(7, *frame));
    return Read(message).front();
}

TEST(FrameMessage, HoldsWhatTheFarEndMayAskFor)
{
    const FramePtr sent = MakeMarkedFrame();
    const FramePtr got = Pass(sent);
    EXPECT_EQ(got->opcode, RdmaOpcode::RC_WRITE_FIRST);
    EXPECT_EQ(got->sizeBytes, sent->sizeBytes);
    EXPECT_EQ(got->payloadBytes, 4096U);
    EXPECT_EQ(got->trafficClass, 5);
    EXPECT_EQ(got->ecn, EcnField::CE);
    EXPECT_EQ(got->ingressPort, 17);
    EXPECT_EQ(got->hops, 3);
    EXPECT_EQ(got->flowHash, 0xdeadbeefU);
    EXPECT_EQ(got->psn, 0x123456U);
    EXPECT_EQ(got->remoteAddress, 0x1122334455667788U);
    EXPECT_EQ(got->atomicData, 0x99aabbccddeeff00U);
    EXPECT_EQ(got->messageId, 77U);
    EXPECT_EQ(got->sentTime, 123456789012U);
    EXPECT_EQ(got->arrivalTime, 123457000001);
    EXPECT_EQ(got->journey.serialization, 1);
    EXPECT_EQ(got->journey.paused, 4000);
    EXPECT_EQ(got->dstMac, sent->dstMac);
    EXPECT_EQ(got->payload, nullptr);
    ASSERT_NE(got->switchHeader, nullptr);
    EXPECT_EQ(got->switchHeader->pathId, 0xabc);
    ASSERT_EQ(got->switchHeader->telemetry.size(), 2U);
    EXPECT_EQ(got->switchHeader->telemetry[0].txBytes, uint64_t{1} << 40);
    EXPECT_EQ(got->switchHeader->telemetry[1].time, 987654321099);
    EXPECT_EQ(got->switchHeader->conga.congestion, 5);
    EXPECT_EQ(got->switchHeader->conweave.tailTime, 42);
}

TEST(FrameMessage, HoldsAPauseFrame)
{
    FramePtr pause = FabricFrame::Create();
    pause->kind = FrameKind::PFC;
    pause->pauseClasses = 0x09;
    pause->pauseQuanta = {65535, 0, 0, 7, 0, 0, 0, 1};
    const FramePtr got = Pass(pause);
    EXPECT_TRUE(got->IsPause());
    EXPECT_EQ(got->pauseClasses, 0x09);
    EXPECT_EQ(got->pauseQuanta, pause->pauseQuanta);
}

TEST(FrameMessage, HoldsSeveralFramesInTheirOrderUntilItIsFull)
{
    FrameMessage message(FrameMessage::MOST_BYTES_OF_NS3);
    std::vector<FramePtr> frames;
    for (uint32_t i = 0; i < 100; ++i)
    {
        FramePtr frame = FabricFrame::Create();
        frame->psn = i;
        frame->payloadBytes = 4096;
        if (!message.Add(7, *frame))
        {
            break;
        }
        frames.push_back(frame);
    }
    EXPECT_GE(frames.size(), 5U); // or messages would cost as much as frames
    EXPECT_LT(frames.size(), 100U);
    const std::vector<uint8_t>& bytes = message.GetBytes();
    Ptr<Packet> packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    EXPECT_LE(packet->GetSerializedSize() + 24, 2000U); // MAX_MPI_MSG_SIZE, and what precedes it
    const std::vector<FramePtr> got = Read(message);
    ASSERT_EQ(got.size(), frames.size());
    for (uint32_t i = 0; i < got.size(); ++i)
    {
        EXPECT_EQ(got[i]->psn, i);
    }
    message.Clear();
    EXPECT_TRUE(message.IsEmpty());
}

TEST(FrameMessage, PayloadWithoutBytesCostsNone)
{
    FramePtr frame = MakeMarkedFrame();
    frame->payload = Create<Packet>(9000); // zero-filled
    FrameTag tag(*frame, 5);
    frame->payload->AddPacketTag(tag);
    const FramePtr got = Pass(frame);
    ASSERT_NE(got->payload, nullptr);
    EXPECT_EQ(got->payload->GetSize(), 9000U);
    EXPECT_EQ(got->journey.paused, 4000);
    FrameTag back;
    EXPECT_TRUE(got->payload->PeekPacketTag(back));
}

TEST(FrameMessage, CarriesAnApplicationsBytesBesideOtherFrames)
{
    FramePtr plain = MakeMarkedFrame();
    FramePtr loaded = MakeMarkedFrame();
    std::vector<uint8_t> bytes(4095);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    loaded->payload = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    FrameMessage message;
    for (const FramePtr& frame : {plain, loaded, plain})
    {
        EXPECT_TRUE(message.Add(7, *frame));
    }
    const std::vector<FramePtr> got = Read(message);
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(got[0]->payload, nullptr);
    EXPECT_EQ(got[2]->psn, plain->psn);
    ASSERT_EQ(got[1]->payload->GetSize(), bytes.size());
    std::vector<uint8_t> back(bytes.size());
    got[1]->payload->CopyData(back.data(), static_cast<uint32_t>(back.size()));
    EXPECT_EQ(back, bytes);
}

TEST(FrameMessageDeathTest, SaysThatRealBytesAreTooMany)
{
    FramePtr frame = MakeMarkedFrame();
    std::vector<uint8_t> bytes(4096, 7);
    frame->payload = Create<Packet>(bytes.data(), bytes.size());
    FrameMessage message(FrameMessage::MOST_BYTES_OF_NS3);
    EXPECT_DEATH(message.Add(0, *frame), "4096 bytes of an application .* has room for 1912");
}

// ---------------------------------------------------------------- events of one time

void
Nothing()
{
}

TEST(ArrivalOrder, ArrivalsComeFirstByNumberAndOthersAsTheyWereScheduled)
{
    ArrivalOrderScheduler scheduler;
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    std::vector<Scheduler::Event> events;
    std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> expected; // time, kind and number, uid
    for (uint32_t uid = 4; uid < 2004; ++uid)
    {
        Scheduler::Event event;
        event.key.m_ts = random->GetInteger(0, 40);
        event.key.m_uid = uid;
        event.key.m_context = uid % 7;
        uint64_t place = (uint64_t{1} << 32) + uid;
        if (random->GetInteger(0, 1) == 0)
        {
            // Of one port no two arrivals have one time.
            place = 2004 - uid;
            event.impl = new ArrivalEvent(
                static_cast<uint32_t>(place),
                [](void*) {},
                nullptr);
        }
        else
        {
            event.impl = MakeEvent(&Nothing);
        }
        scheduler.Insert(event);
        events.push_back(event);
        expected.emplace_back(event.key.m_ts, place, uid);
    }
    for (size_t i = 0; i < events.size(); i += 3) // take some out again
    {
        scheduler.Remove(events[i]);
        std::get<0>(expected[i]) = UINT64_MAX;
        events[i].impl->Unref();
    }
    std::sort(expected.begin(), expected.end());
    for (const auto& [time, place, uid] : expected)
    {
        if (time == UINT64_MAX)
        {
            break;
        }
        ASSERT_FALSE(scheduler.IsEmpty());
        ASSERT_EQ(scheduler.PeekNext().key.m_uid, uid);
        Scheduler::Event next = scheduler.RemoveNext();
        ASSERT_EQ(next.key.m_ts, time);
        ASSERT_EQ(next.key.m_uid, uid);
        ASSERT_EQ(next.key.m_context, uid % 7);
        next.impl->Unref();
    }
    EXPECT_TRUE(scheduler.IsEmpty());
}

/// An event that calls a function.
struct CallingEvent : public FabricEvent
{
    explicit CallingEvent(std::function<void()> function)
        : FabricEvent(KIND),
          call(std::move(function))
    {
    }

    static void Fire(FabricEvent& event)
    {
        static_cast<CallingEvent&>(event).call();
    }

    static constexpr Kind KIND{&Fire, nullptr};

    std::function<void()> call;
};

TEST(ArrivalOrder, IsThatOfOurSimulatorToo)
{
    ASSERT_TRUE(FabricSimulatorImpl::Use());
    Simulator::Now(); // makes the simulator
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(2);
    std::vector<uint64_t> heard;
    std::vector<std::unique_ptr<CallingEvent>> events;
    std::vector<std::tuple<int64_t, uint64_t, uint64_t>> expected; // time, place, name
    for (uint32_t i = 0; i < 2000; ++i)
    {
        events.push_back(std::make_unique<CallingEvent>([&heard, i] { heard.push_back(i); }));
        const int64_t time = random->GetInteger(0, 40);
        const bool isArrival = random->GetInteger(0, 1) == 0;
        if (isArrival)
        {
            events.back()->ScheduleArrival(0, time, 2000 - i);
        }
        else
        {
            events.back()->Schedule(0, time);
        }
        expected.emplace_back(time, isArrival ? 2000 - i : (uint64_t{1} << 32) + i, i);
    }
    std::sort(expected.begin(), expected.end());
    Simulator::Run();
    ASSERT_EQ(heard.size(), expected.size());
    for (size_t i = 0; i < heard.size(); ++i)
    {
        ASSERT_EQ(heard[i], std::get<2>(expected[i])) << i;
    }
    Simulator::Destroy();
}

TEST(ArrivalOrder, AnArrivalDoesNotExpireOtherEventsOfItsTime)
{
    ASSERT_TRUE(FabricSimulatorImpl::Use());
    bool called = false;
    const EventId id = Simulator::Schedule(TimeStep(5), [&called] { called = true; });
    uint32_t arrivals = 0;
    CallingEvent arrival([&] {
        EXPECT_FALSE(called);
        EXPECT_FALSE(id.IsExpired());
        ++arrivals;
    });
    arrival.ScheduleArrival(0, 5, 1000000); // a number above the event's uid
    Simulator::Run();
    EXPECT_EQ(arrivals, 1U);
    EXPECT_TRUE(called);
    EXPECT_TRUE(id.IsExpired());
    Simulator::Destroy();
}

/// Windows of 10 time steps from the next event on.
struct TestWindows : public SimulationWindows
{
    uint32_t GetRank() const override
    {
        return 3;
    }

    uint64_t Next(uint64_t next, bool stopped) override
    {
        starts.push_back(next);
        return stopped || next == NO_TIME ? NO_TIME : next + 10;
    }

    std::vector<uint64_t> starts;
};

TEST(SimulationWindows, NoEventIsCalledBeforeItsWindow)
{
    ASSERT_TRUE(FabricSimulatorImpl::Use());
    TestWindows windows;
    FabricSimulatorImpl::SetWindows(&windows);
    std::vector<std::pair<int64_t, size_t>> calls; // time, windows so far
    auto call = [&] { calls.emplace_back(Simulator::Now().GetTimeStep(), windows.starts.size()); };
    for (int64_t time : {3, 12, 13, 14, 23, 40})
    {
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(time)), call);
    }
    EXPECT_EQ(Simulator::GetSystemId(), 3U);
    Simulator::Run();
    // [3, 13), [13, 23), [23, 33), [40, 50), and then there is nothing.
    const std::vector<std::pair<int64_t, size_t>> expected{{3, 1},
                                                           {12, 1},
                                                           {13, 2},
                                                           {14, 2},
                                                           {23, 3},
                                                           {40, 4}};
    EXPECT_EQ(calls, expected);
    EXPECT_EQ(windows.starts, (std::vector<uint64_t>{3, 13, 23, 40, SimulationWindows::NO_TIME}));
    // An event that stops the simulation leaves the rest for the next run.
    windows.starts.clear();
    Simulator::Schedule(TimeStep(1), &Simulator::Stop);
    Simulator::Schedule(TimeStep(2), call);
    Simulator::Run();
    EXPECT_EQ(calls.size(), expected.size());
    Simulator::Run();
    EXPECT_EQ(calls.size(), expected.size() + 1);
    FabricSimulatorImpl::SetWindows(nullptr);
    Simulator::Destroy();
}

} // namespace
