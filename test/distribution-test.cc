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
#include "ns3/frame-message.h"
#include "ns3/frame-tag.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/make-event.h"
#include "ns3/partition-helper.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <gtest/gtest.h>
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

/// @param frames some @return what another process gets, as MpiInterface passes it
std::vector<FramePtr>
Pass(const std::vector<FramePtr>& frames)
{
    FrameMessage message;
    for (const FramePtr& frame : frames)
    {
        EXPECT_TRUE(message.Add(7, *frame));
    }
    Ptr<Packet> packet = message.Take();
    std::vector<uint8_t> bytes(packet->GetSerializedSize());
    EXPECT_LE(bytes.size(), FrameMessage::MOST_BYTES);
    packet->Serialize(bytes.data(), static_cast<uint32_t>(bytes.size()));
    std::vector<FramePtr> got;
    FrameMessage::Read(Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()), true),
                       [&got](uint32_t port, FramePtr frame) {
                           EXPECT_EQ(port, 7U);
                           got.push_back(std::move(frame));
                       });
    return got;
}

TEST(FrameMessage, HoldsWhatTheFarEndMayAskFor)
{
    const FramePtr sent = MakeMarkedFrame();
    const FramePtr got = Pass({sent}).front();
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
    const FramePtr got = Pass({pause}).front();
    EXPECT_TRUE(got->IsPause());
    EXPECT_EQ(got->pauseClasses, 0x09);
    EXPECT_EQ(got->pauseQuanta, pause->pauseQuanta);
}

TEST(FrameMessage, HoldsSeveralFramesInTheirOrderUntilItIsFull)
{
    FrameMessage message;
    std::vector<FramePtr> frames;
    for (uint32_t i = 0; i < 100; ++i)
    {
        FramePtr frame = FabricFrame::Create();
        frame->psn = i;
        frame->payloadBytes = 4096;
        if (!message.Add(i, *frame))
        {
            break;
        }
        frames.push_back(frame);
    }
    EXPECT_GE(frames.size(), 10U); // or messages would cost as much as frames
    EXPECT_LT(frames.size(), 100U);
    Ptr<Packet> packet = message.Take();
    EXPECT_LE(packet->GetSerializedSize(), FrameMessage::MOST_BYTES);
    EXPECT_TRUE(message.IsEmpty());
    uint32_t next = 0;
    FrameMessage::Read(packet, [&next](uint32_t port, const FramePtr& frame) {
        EXPECT_EQ(port, next);
        EXPECT_EQ(frame->psn, next);
        ++next;
    });
    EXPECT_EQ(next, frames.size());
}

TEST(FrameMessage, PayloadWithoutBytesCostsNone)
{
    FramePtr frame = MakeMarkedFrame();
    frame->payload = Create<Packet>(9000); // zero-filled
    FrameTag tag(*frame, 5);
    frame->payload->AddPacketTag(tag);
    const FramePtr got = Pass({frame}).front();
    ASSERT_NE(got->payload, nullptr);
    EXPECT_EQ(got->payload->GetSize(), 9000U);
    EXPECT_EQ(got->journey.paused, 4000);
    FrameTag back;
    EXPECT_TRUE(got->payload->PeekPacketTag(back));
}

TEST(FrameMessage, FramesWithAPayloadGoAlone)
{
    FramePtr frame = FabricFrame::Create();
    FrameMessage message;
    EXPECT_TRUE(message.Add(0, *frame));
    FramePtr loaded = FabricFrame::Create();
    loaded->payload = Create<Packet>(10);
    EXPECT_FALSE(message.Add(0, *loaded));
    message.Take();
    EXPECT_TRUE(message.Add(0, *loaded));
    EXPECT_FALSE(message.Add(0, *frame));
}

TEST(FrameMessageDeathTest, SaysThatRealBytesAreTooMany)
{
    FramePtr frame = MakeMarkedFrame();
    std::vector<uint8_t> bytes(4096, 7);
    frame->payload = Create<Packet>(bytes.data(), bytes.size());
    FrameMessage message;
    message.Add(0, *frame);
    EXPECT_DEATH(message.Take(), "ns-3's MPI has room for 1976");
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

} // namespace
