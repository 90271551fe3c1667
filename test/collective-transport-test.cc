// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief How collectives use the network: the messages of NCCL's captures, slots, PXN, PCIe, two
 * communicators on the same GPUs, and who is named as the straggler.
 */

#include "fabric-fixture.h"

#include "ns3/collective-executor.h"
#include "ns3/config.h"
#include "ns3/direct-algorithm.h"
#include "ns3/double.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/queue-pair-connection.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/ring-algorithm.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <malloc.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Operation = CollectiveOperation;

constexpr uint64_t MIB = 1 << 20;
const Time DELAY = NanoSeconds(500);

CollectiveRequest
MakeRequest(Operation operation, uint64_t count, uint32_t typeBytes)
{
    CollectiveRequest request;
    request.operation = operation;
    request.count = count;
    request.typeBytes = typeBytes;
    return request;
}

/// A cluster whose kernels and proxies cost nothing, unless a test says so.
class Machines
{
  public:
    void BuildStar(uint32_t hosts)
    {
        fixture.BuildStar(hosts, "400Gbps", DELAY);
        cluster = helper.Install(fixture.network);
    }

    void BuildRails(uint32_t servers, uint32_t gpusPerServer)
    {
        RailOptimizedParameters parameters;
        parameters.servers = servers;
        parameters.gpusPerServer = gpusPerServer;
        fixture.Build(MakeRailOptimized(parameters.Resolved()));
        cluster = helper.Install(fixture.network);
    }

    /// @param ranks numbers of GPUs; none: all @return an executor of their communicator
    Ptr<CollectiveExecutor> Join(const std::string& name, std::vector<uint32_t> ranks = {})
    {
        std::vector<Ptr<GpuEndpoint>> gpus;
        for (uint32_t rank : ranks)
        {
            gpus.push_back(cluster.gpus[rank]);
        }
        auto communicator = CreateObject<Communicator>();
        communicator->SetRanks(name, gpus.empty() ? cluster.gpus : gpus);
        communicator->SetCosts(costs);
        auto executor = CreateObject<CollectiveExecutor>();
        executor->SetCommunicator(communicator);
        return executor;
    }

    static Ptr<CollectiveCosts> MakeCosts()
    {
        auto made = CreateObject<CollectiveCosts>();
        for (const char* time : {"LaunchLatency",
                                 "SimpleLaunch",
                                 "ProxyPost",
                                 "SlotReturn",
                                 "SimpleStep",
                                 "SimpleNetworkStep"})
        {
            made->SetAttribute(time, TimeValue(Time(0)));
        }
        for (const char* rate :
             {"SimpleThreadRate", "SimpleNetworkRate", "SimpleNetworkBlockRate", "LocalThreadRate"})
        {
            made->SetAttribute(rate, StringValue("100000Gbps"));
        }
        return made;
    }

    FabricFixture fixture;
    GpuClusterHelper helper;
    GpuCluster cluster;
    Ptr<CollectiveCosts> costs{MakeCosts()};
};

Ptr<RingAlgorithm>
MakeRing(uint32_t channels, uint64_t chunkBytes, uint64_t sliceBytes)
{
    auto ring = CreateObject<RingAlgorithm>();
    ring->SetAttribute("Channels", UintegerValue(channels));
    ring->SetAttribute("ChunkSize", UintegerValue(chunkBytes));
    ring->SetAttribute("SliceSize", UintegerValue(sliceBytes));
    return ring;
}

CollectiveRecord
RunAlone(Ptr<CollectiveExecutor> executor,
         const CollectiveRequest& request,
         Ptr<RingAlgorithm> ring)
{
    CollectiveRecord found;
    executor->Launch(request, ring, [&found](const CollectiveRecord& record) { found = record; });
    Simulator::Run();
    for (const std::string& line : executor->DescribeBlocked())
    {
        ADD_FAILURE() << line;
    }
    EXPECT_EQ(found.error, "");
    return found;
}

} // namespace

// ---------------------------------------------------------------- NCCL's captures

namespace
{

/// What a queue pair sends, as "opcode:payload" and "ack", in hexadecimal and decimal.
class FrameLog
{
  public:
    explicit FrameLog(FabricFixture& fixture, uint32_t hosts)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            fixture.Port(host)->TraceConnectWithoutContext(
                "FrameTx",
                MakeCallback(&FrameLog::Sent, this).Bind(host));
        }
    }

    void Sent(uint32_t host, const FabricFrame& frame)
    {
        if (frame.kind != FrameKind::ROCE)
        {
            return;
        }
        std::vector<std::string>& lines = log[{host, frame.dstAddress, frame.destQp}];
        auto opcode = static_cast<uint32_t>(frame.opcode);
        constexpr uint32_t ACKNOWLEDGE = 0x11;
        if (opcode == ACKNOWLEDGE)
        {
            lines.emplace_back("ack");
            return;
        }
        char text[32];
        std::snprintf(text,
                      sizeof text,
                      "%02x%s:%u",
                      opcode,
                      frame.ackRequest ? "a" : "",
                      frame.payloadBytes);
        lines.emplace_back(text);
    }

    /// @param acks whether to count those, else what is no ACK
    static std::vector<std::string> Filter(const std::vector<std::string>& lines, bool acks)
    {
        std::vector<std::string> kept;
        for (const std::string& line : lines)
        {
            if ((line == "ack") == acks)
            {
                kept.push_back(line);
            }
        }
        return kept;
    }

    /// By host, the peer's address and its queue pair.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<std::string>> log;
};

/// NCCL's data of a rank in the captures (nccl_ring_node*.pcap): two all-reduces of three ranks,
/// one of a byte and one of 24 KiB, two slices a chunk. @param oneByte messages that have the byte
std::vector<std::string>
CapturedData(const std::vector<size_t>& oneByte)
{
    std::vector<std::string> lines(8, "0ba:0");
    for (size_t i : oneByte)
    {
        lines[i] = "0ba:1";
    }
    for (int step = 0; step < 4; ++step)
    {
        for (const char* frame : {"06:1024",
                                  "07:1024",
                                  "07:1024",
                                  "07:1024",
                                  "07:1024",
                                  "07:1024",
                                  "07:1024",
                                  "09a:1024"})
        {
            lines.emplace_back(frame);
        }
        lines.emplace_back("0ba:0");
    }
    return lines;
}

} // namespace

TEST(NcclPattern, ThreeRanksExchangeTheMessagesOfTheCaptures)
{
    // The captures have, for each connection: 16 WRITEs of 64 bytes that say that the receiver is
    // ready, each acknowledged; and 16 WRITEs with immediate, each acknowledged once. Which of the
    // first eight has the byte depends on the rank: 4, 2, and 0 and 6.
    Config::SetDefault("ns3::QueuePair::Mtu", UintegerValue(1024));
    Machines m;
    m.BuildStar(3);
    FrameLog frames(m.fixture, 3);
    Ptr<CollectiveExecutor> executor = m.Join("world");
    Ptr<RingAlgorithm> ring = MakeRing(1, 2 * MIB, MIB); // NCCL's: 4 steps of 512 KiB, 2 a slice
    ring->SetAttribute("EmptySlices", BooleanValue(true));
    RunAlone(executor, MakeRequest(Operation::ALL_REDUCE, 1, 1), ring);
    RunAlone(executor, MakeRequest(Operation::ALL_REDUCE, 24 * 1024, 1), ring);

    const std::vector<std::string> ready(16, "0aa:64");
    std::vector<std::vector<std::string>> data;
    size_t readySeen = 0;
    for (const auto& [key, lines] : frames.log)
    {
        std::vector<std::string> requests = FrameLog::Filter(lines, false);
        EXPECT_EQ(FrameLog::Filter(lines, true).size(), 16u) << "host " << std::get<0>(key);
        if (requests == ready)
        {
            ++readySeen;
        }
        else
        {
            data.push_back(requests);
        }
    }
    EXPECT_EQ(readySeen, 3u);
    std::vector<std::vector<std::string>> expected{CapturedData({4}),
                                                   CapturedData({2}),
                                                   CapturedData({0, 6})};
    std::sort(data.begin(), data.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(data, expected);
}

// ---------------------------------------------------------------- slots

TEST(Slots, ASenderIsNeverFurtherAheadThanTheWindow)
{
    for (uint32_t window : {2, 8})
    {
        Machines m;
        m.BuildStar(2);
        m.costs->SetAttribute("SimpleNetworkStepWork", StringValue("100us"));
        Ptr<CollectiveExecutor> executor = m.Join("world");
        Ptr<RingAlgorithm> ring = MakeRing(1, 64 * 1024, 64 * 1024);
        ring->SetAttribute("Window", UintegerValue(window));
        CollectiveRequest request = MakeRequest(Operation::BROADCAST, 16 * 64 * 1024, 1);
        CollectiveRecord record = RunAlone(executor, request, ring);
        // Each end works 100 us on each of 16 messages, one after the other, beside each other; the
        // last message takes some microseconds more.
        EXPECT_NEAR((record.end - record.start).GetMicroSeconds(), 17 * 100, 50) << window;
        Simulator::Destroy();
    }
}

// ---------------------------------------------------------------- adaptive routing

TEST(AdaptiveRouting, EachLongMessageWaitsUntilItIsAcknowledged)
{
    // NCCL's threshold is 8192 bytes. Of longer messages the immediate goes 100 us after the
    // acknowledgement, and the next message after it: four of one pair of queue pairs take 400 us
    // and four round trips of a few microseconds, two and two of two pairs half of it.
    for (uint32_t pairs : {1, 2})
    {
        for (uint64_t bytes : {8192, 8208})
        {
            Machines m;
            m.BuildStar(2);
            m.costs->SetAttribute("AdaptiveRouting", BooleanValue(true));
            m.costs->SetAttribute("AdaptiveRoutingWait", StringValue("100us"));
            Ptr<CollectiveExecutor> executor = m.Join("world");
            executor->GetCommunicator()->SetAttribute("QueuePairsPerConnection",
                                                      UintegerValue(pairs));
            CollectiveRecord record = RunAlone(executor,
                                               MakeRequest(Operation::BROADCAST, 4 * bytes, 1),
                                               MakeRing(1, bytes, bytes));
            const double expected = bytes > 8192 ? 400. / pairs : 0;
            EXPECT_NEAR((record.end - record.start).GetMicroSeconds(), expected, 20)
                << pairs << " pairs, " << bytes << " B";
            Simulator::Destroy();
        }
    }
}

// ---------------------------------------------------------------- the proxy and its protocol

namespace
{

/// @param request sends and receives @param plan how @return how long they take all ranks
Time
RunDirect(Machines& m, const CollectiveRequest& request, const CollectivePlan& plan)
{
    Ptr<CollectiveExecutor> executor = m.Join("world");
    CollectiveRecord found;
    executor->Launch(request, CreateObject<DirectAlgorithm>(), plan, [&found](const auto& record) {
        found = record;
    });
    Simulator::Run();
    EXPECT_EQ(found.error, "");
    return found.end - found.start;
}

/// @param bytes for each of four others @param plan how @return how long rank 0's scatter takes
Time
ScatterFromOne(Machines& m, uint64_t bytes, const CollectivePlan& plan)
{
    m.BuildStar(5);
    return RunDirect(m, MakeRequest(Operation::SCATTER, 5 * bytes, 1), plan);
}

CollectivePlan
MakeTransferPlan(CollectiveProtocol protocol)
{
    CollectivePlan plan;
    plan.protocol = protocol;
    plan.channels = plan.workChannels = 1;
    plan.chunkBytes = plan.sliceBytes = 64 * 1024;
    plan.window = 8;
    return plan;
}

} // namespace

TEST(Proxy, ServesOneMessageAfterTheOther)
{
    // Four messages of 1 KiB leave rank 0. Its proxy has each for 10 us, and that of the receiver
    // too: the last one is there after 4 x 10 + 10 us, besides about 2 us on the way. Without that
    // work the way is all.
    for (int64_t work : {0, 10})
    {
        Machines m;
        m.costs->SetAttribute("ProxyWork", TimeValue(MicroSeconds(work)));
        Time took = ScatterFromOne(m, 1024, MakeTransferPlan(CollectiveProtocol::SIMPLE));
        EXPECT_GT(took, MicroSeconds(5 * work + 1)) << work;
        EXPECT_LT(took, MicroSeconds(5 * work + 3)) << work;
        Simulator::Destroy();
    }
}

TEST(PointToPoint, GoesBySimpleBetweenServersWhateverTheSize)
{
    // LL doubles what is sent; NCCL's network connections of sends and receives have no LL buffers.
    for (bool simple : {true, false})
    {
        Machines m;
        CollectivePlan plan = MakeTransferPlan(CollectiveProtocol::LL);
        if (simple)
        {
            plan.networkProtocol = CollectiveProtocol::SIMPLE;
        }
        ScatterFromOne(m, 1024, plan);
        EXPECT_EQ(m.cluster.gpus[0]->GetNicPort()->GetCounters().txPayloadBytes,
                  4 * 1024 * (simple ? 1 : 2));
        Simulator::Destroy();
    }
}

TEST(ThreadBlock, ThreadsThatSendShareItsRate)
{
    // Rank 0 sends 1 MiB to each of four others and copies its own, by five threads of one block.
    // Each thread alone writes 10 Gb/s; the block 10, 20 or 80, of which each has a fifth: 1 MiB
    // takes 4194, 2097 or (by the thread) 839 us, and a receiver copies the last 64 KiB in 52 us.
    for (auto [block, expected] : {std::pair{10, 4194}, {20, 2097}, {80, 839}})
    {
        Machines m;
        m.costs->SetAttribute("SimpleNetworkRate", StringValue("10Gbps"));
        m.costs->SetAttribute("SimpleNetworkBlockRate",
                              StringValue(std::to_string(block) + "Gbps"));
        Time took = ScatterFromOne(m, MIB, MakeTransferPlan(CollectiveProtocol::SIMPLE));
        EXPECT_NEAR(took.GetMicroSeconds(), expected + 52, .03 * expected) << block;
        Simulator::Destroy();
    }
}

TEST(ThreadBlock, MoreBuffersTakeLonger)
{
    // An all-gather of two ranks: each sends its 512 KiB at 5.24288 Gb/s, 800 us, and copies the
    // other's, as long again. Out of place what it sends is also written to its own output: half
    // as long again for the sending, where another buffer takes that share.
    for (bool inPlace : {true, false})
    {
        Machines m;
        m.BuildStar(2);
        m.costs->SetAttribute("SimpleNetworkRate", StringValue("5242.88Mbps"));
        m.costs->SetAttribute("MoreAccesses", DoubleValue(.5));
        CollectiveRequest request = MakeRequest(Operation::ALL_GATHER, MIB, 1);
        request.inPlace = inPlace;
        CollectiveRecord record =
            RunAlone(m.Join("world"), request, MakeRing(1, 64 * 1024, 64 * 1024));
        double expected = 800 * (inPlace ? 2 : 2.5);
        EXPECT_NEAR((record.end - record.start).GetMicroSeconds(), expected, .05 * expected);
        Simulator::Destroy();
    }
}

namespace
{

/// Two GPUs of a server exchange 1 MiB each: each sends by a thread and receives by one of the same
/// block.
Time
Exchange(const std::vector<std::pair<std::string, std::string>>& costs, const CollectivePlan& plan)
{
    Machines m;
    m.BuildRails(1, 2);
    for (const auto& [name, value] : costs)
    {
        m.costs->SetAttribute(name, StringValue(value));
    }
    Time took = RunDirect(m, MakeRequest(Operation::SEND_RECEIVE, MIB, 1), plan);
    Simulator::Destroy();
    return took;
}

} // namespace

TEST(ThreadBlock, OneThreadCopiesWhileAnotherFences)
{
    // The block moves 10 Gb/s: 1 MiB written and 1 MiB copied take 1678 us. Each of 16 chunks takes
    // a thread 30 us beside, in which the other copies: with its half of the warps a chunk takes
    // 105 us, alone it would take 52.
    Time took = Exchange({{"SimpleThreadRate", "10Gbps"}, {"SimpleStepWork", "30us"}},
                         MakeTransferPlan(CollectiveProtocol::SIMPLE));
    EXPECT_NEAR(took.GetMicroSeconds(), 1678, .07 * 1678);
}

TEST(ThreadBlock, TwoThreadsMayMoveMoreThanOne)
{
    // A thread alone moves 10 Gb/s, the block 20: each thread has 10, and 1 MiB takes 839 us.
    Time took = Exchange({{"SimpleThreadRate", "10Gbps"}, {"SimpleBlockRate", "20Gbps"}},
                         MakeTransferPlan(CollectiveProtocol::SIMPLE));
    EXPECT_NEAR(took.GetMicroSeconds(), 839, .07 * 839);
}

TEST(ThreadBlock, WhatWasWrittenStraightIntoTheOutputIsNotCopied)
{
    // By half of a block of 10 Gb/s 1 MiB takes 1678 us to write; as one chunk it is copied after
    // that, by the whole block, in 839.
    CollectivePlan plan = MakeTransferPlan(CollectiveProtocol::SIMPLE);
    plan.chunkBytes = plan.sliceBytes = MIB;
    const std::map<std::string, double> expected{{"SlotReturn", 1678 + 839}, // none of the two
                                                 {"DirectReceive", 1678},
                                                 {"DirectSends", 1678}};
    for (const auto& [how, time] : expected)
    {
        Time took =
            Exchange({{"SimpleThreadRate", "10Gbps"}, {how, how == "SlotReturn" ? "0s" : "true"}},
                     plan);
        EXPECT_NEAR(took.GetMicroSeconds(), time, .03 * time) << how;
    }
}

TEST(ThreadBlock, WhatAnAllToAllReceivesIsCopiedInRegisteredBuffersToo)
{
    // 1 MiB at 10 Gb/s take 838.9 us.
    auto costs = CreateObject<CollectiveCosts>();
    costs->SetAttribute("SimpleThreadRate", StringValue("10Gbps"));
    costs->SetAttribute("DirectSends", BooleanValue(true));
    ProgramStep step;
    step.receive.way = MessageWay::PEER;
    step.destination.buffer = ProgramBuffer::OUTPUT;
    step.bytes = MIB;
    CollectiveCosts::Workplace
        place{ProgramKind::SEND_RECEIVE, CollectiveProtocol::SIMPLE, false, false, 1, .5, 1};
    EXPECT_EQ(costs->GetWork(step, place), 0);
    place.kind = ProgramKind::EXCHANGE;
    EXPECT_NEAR(TimeStep(costs->GetWork(step, place)).GetNanoSeconds(), 838861, 1);
}

TEST(ThreadBlock, WhatIsSentAsAWholeHasNoFencesBetween)
{
    // 200 us for each of 16 chunks of 64 KiB are more than the 105 us that half of the block's
    // warps take, and make them 252 us with the 52 us of a block that copies alone; registered
    // buffers are not sent in chunks.
    const CollectivePlan plan = MakeTransferPlan(CollectiveProtocol::SIMPLE);
    for (const auto& [how, time] :
         std::map<std::string, double>{{"DirectReceive", 16 * 252.4}, {"DirectSends", 1678}})
    {
        Time took =
            Exchange({{"SimpleThreadRate", "10Gbps"}, {"SimpleStepWork", "200us"}, {how, "true"}},
                     plan);
        EXPECT_NEAR(took.GetMicroSeconds(), time, .03 * time) << how;
    }
}

TEST(ThreadBlock, ARingIsNoSend)
{
    // An all-gather of two: each GPU writes 1 MiB, 839 us at 10 Gb/s, and then copies what has
    // come, as long again, unless it came straight into the output.
    for (const auto& [how, time] :
         std::map<std::string, double>{{"DirectReceive", 839}, {"DirectSends", 2 * 839}})
    {
        Machines m;
        m.BuildRails(1, 2);
        m.costs->SetAttribute("SimpleThreadRate", StringValue("10Gbps"));
        m.costs->SetAttribute(how, BooleanValue(true));
        CollectiveRequest request = MakeRequest(Operation::ALL_GATHER, 2 * MIB, 1);
        request.inPlace = true;
        CollectiveRecord record =
            RunAlone(m.Join("world"), request, MakeRing(1, 64 * 1024, 64 * 1024));
        EXPECT_NEAR((record.end - record.start).GetMicroSeconds(), time, .07 * time) << how;
        Simulator::Destroy();
    }
}

// ---------------------------------------------------------------- PXN

TEST(Pxn, AMessageToAnotherRailGoesByTheNicThere)
{
    // Rank 0 (server 0, rail 0) sends 1 MiB to rank 7 (server 1, rail 3). With PXN it leaves by NIC
    // 3 of server 0; without, by NIC 0, and crosses the spine.
    for (bool pxn : {true, false})
    {
        Machines m;
        m.BuildRails(2, 4);
        Ptr<CollectiveExecutor> executor = m.Join("pair", {0, 1, 2, 3, 7});
        executor->GetCommunicator()->SetAttribute("Pxn", BooleanValue(pxn));
        ProgramMessage message{MessageWay::PEER, 4, 0};
        CollectiveConnection& connection =
            executor->GetCommunicator()->GetConnection(message, 0, true);
        EXPECT_TRUE(connection.IsNetwork());

        class : public CollectiveConnectionUser
        {
          public:
            void SendCompleted() override
            {
                done = true;
            }

            void MayGoOn() override
            {
            }

            bool done{false};
        } user;

        ASSERT_TRUE(connection.HasRoom(0, 8, user));
        connection.Send(0, MIB, 0, user);
        Simulator::Run();
        EXPECT_TRUE(user.done);
        auto sent = [&m](uint32_t nic) {
            return m.cluster.gpus[nic]->GetNicPort()->GetCounters().txPayloadBytes;
        };
        EXPECT_EQ(sent(3), pxn ? MIB : 0);
        EXPECT_EQ(sent(0), pxn ? 0 : MIB);
        uint64_t scaleUp =
            m.cluster.gpus[0]->GetScaleUpPort()->GetDevice()->GetCounters().txPayloadBytes;
        EXPECT_EQ(scaleUp, pxn ? MIB : 0);
        Simulator::Destroy();
    }
}

// ---------------------------------------------------------------- grouped receives

namespace
{

/// A thread's end of a connection: notes when it could go on.
class Notes : public CollectiveConnectionUser
{
  public:
    void SendCompleted() override
    {
    }

    void MayGoOn() override
    {
        went = Simulator::Now();
    }

    Time went;
};

} // namespace

TEST(GroupedReceive, NoneIsThereBeforeAllAre)
{
    // Four ranks of a server send 4 KiB each to rank 7 by the NIC of rank 3, the last one 100 us
    // after the others. As one request (net.cc, ncclIbIsend: sent when all are matched) all arrive
    // then; on their own the first three arrive at once, within 10 us.
    for (bool together : {true, false})
    {
        Machines m;
        m.BuildRails(2, 4);
        Ptr<CollectiveExecutor> executor = m.Join("world");
        MessageBatch batch;
        batch.messages = together ? 4 : 1;
        std::array<Notes, 4> senders;
        std::array<Notes, 4> receivers;
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            CollectiveConnection& connection =
                executor->GetCommunicator()->GetConnection({MessageWay::PEER, 7, 0}, rank, true);
            Notes& receiver = receivers[rank];
            EXPECT_FALSE(connection.IsReady(7, CollectiveProtocol::SIMPLE, receiver, batch));
            Simulator::Schedule(MicroSeconds(rank == 3 ? 100 : 0), [&, rank] {
                connection.Send(rank, 4096, 0, senders[rank], batch);
            });
        }
        Simulator::Run();
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            EXPECT_NEAR(receivers[rank].went.GetMicroSeconds(), together || rank == 3 ? 105 : 5, 5)
                << rank;
        }
        Simulator::Destroy();
    }
}

TEST(GroupedReceive, HasSixteenStepsOnTheWay)
{
    // NCCL_SHARED_STEPS (16) over the messages of a request, and no more than NCCL_STEPS (8):
    // net.cc. Eight messages of each sender could be on the way; nobody takes them.
    for (auto [messages, expected] : {std::pair{1U, 8U}, {2, 8}, {4, 4}, {8, 2}})
    {
        Machines m;
        m.BuildRails(2, 8);
        Ptr<CollectiveExecutor> executor = m.Join("world");
        std::vector<Notes> notes(2 * messages);
        for (uint32_t rank = 0; rank < messages; ++rank)
        {
            CollectiveConnection& connection =
                executor->GetCommunicator()->GetConnection({MessageWay::PEER, 8, 0}, rank, true);
            for (uint32_t i = 0; i < 8; ++i)
            {
                MessageBatch batch;
                batch.messages = messages;
                batch.number = i;
                connection.Send(rank, 4096, 0, notes[rank], batch);
            }
        }
        Simulator::Run();
        EXPECT_EQ(m.cluster.gpus[0]->GetNicPort()->GetCounters().txPayloadBytes,
                  uint64_t{4096} * messages * expected)
            << messages;
        Simulator::Destroy();
    }
}

TEST(GroupedReceive, PeersThatSendLessOrNothingHoldNobodyUp)
{
    // An all-to-all of unequal blocks, also empty ones, between three servers of four GPUs, twice:
    // all blocks arrive, and each NIC carries what the blocks to its rail add up to.
    Machines m;
    m.BuildRails(3, 4);
    CollectiveRequest request = MakeRequest(Operation::ALL_TO_ALL_V, 0, 1);
    auto transfers = std::make_shared<std::vector<PointToPoint>>();
    std::vector<uint64_t> byNic(12);
    std::vector<uint64_t> messages(12); // to each rank from other servers
    for (uint32_t from = 0; from < 12; ++from)
    {
        for (uint32_t to = 0; to < 12; ++to)
        {
            const uint64_t count = (from * 7 + to * 5) % 4 * 40000; // 0 to 2 chunks
            transfers->push_back({from, to, count});
            if (from / 4 != to / 4)
            {
                byNic[from / 4 * 4 + to % 4] += count;
                messages[to] += (count + 65535) / 65536;
            }
        }
    }
    request.transfers = transfers;
    Ptr<CollectiveExecutor> executor = m.Join("world");
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 2; ++i)
    {
        executor->Launch(request,
                         CreateObject<DirectAlgorithm>(),
                         MakeTransferPlan(CollectiveProtocol::SIMPLE),
                         [&ended](const CollectiveRecord& record) {
                             EXPECT_EQ(record.error, "");
                             ++ended;
                         });
    }
    Simulator::Run();
    EXPECT_EQ(ended, 2u);
    for (uint32_t nic = 0; nic < 12; ++nic)
    {
        EXPECT_EQ(m.cluster.gpus[nic]->GetNicPort()->GetCounters().txPayloadBytes,
                  2 * (byNic[nic] + messages[nic] * QueuePairConnection::CLEAR_TO_SEND_BYTES))
            << nic;
    }
    Simulator::Destroy();
}

TEST(GroupedReceive, EachPeerHasItsShareOfABlock)
{
    // Two servers of 8 exchange 64 KiB a pair of ranks; one block has the 8 sends and the 8
    // receives to and from the other server, each a sixteenth of 16 Gb/s, whether the others work
    // or wait: 524 us to write, and 524 us to copy what came.
    Machines m;
    m.BuildRails(2, 8);
    m.costs->SetAttribute("SimpleNetworkRate", StringValue("16Gbps"));
    m.costs->SetAttribute("SimpleNetworkBlockRate", StringValue("16Gbps"));
    CollectivePlan plan = MakeTransferPlan(CollectiveProtocol::SIMPLE);
    plan.workChannels = 2;
    Time took = RunDirect(m, MakeRequest(Operation::ALL_TO_ALL, 16 * 65536, 1), plan);
    EXPECT_NEAR(took.GetMicroSeconds(), 2 * 524.288, .03 * 2 * 524.288);
    Simulator::Destroy();
}

// ---------------------------------------------------------------- several communicators

TEST(Overlap, TwoCommunicatorsShareGpusAndLinksAndLoseNothing)
{
    // Tensor parallel: all-reduce within each server of 4. Data parallel: all-reduce of each pair
    // of GPUs of a rail. Both at once: each moves its bytes, 2 (n - 1) / n S a rank, and nothing
    // else.
    Machines m;
    m.BuildRails(2, 4);
    const uint64_t tensor = 8 * MIB;
    const uint64_t data = 4 * MIB;
    std::vector<Ptr<CollectiveExecutor>> executors;
    std::vector<CollectiveRecord> records;
    auto launch = [&](const std::string& name, std::vector<uint32_t> ranks, uint64_t bytes) {
        executors.push_back(m.Join(name, std::move(ranks)));
        executors.back()->Launch(MakeRequest(Operation::ALL_REDUCE, bytes, 1),
                                 MakeRing(2, 512 * 1024, 128 * 1024),
                                 [&records](const CollectiveRecord& r) { records.push_back(r); });
    };
    for (uint32_t server : {0, 4})
    {
        launch("tp" + std::to_string(server), {server, server + 1, server + 2, server + 3}, tensor);
    }
    for (uint32_t rail = 0; rail < 4; ++rail)
    {
        launch("dp" + std::to_string(rail), {rail, rail + 4}, data);
    }
    Simulator::Run();
    ASSERT_EQ(records.size(), 6u);
    for (const CollectiveRecord& record : records)
    {
        EXPECT_EQ(record.error, "");
    }
    const uint64_t dataSent = 2 * (2 - 1) * data / 2;
    const uint64_t messages = dataSent / (128 * 1024); // each with a clear-to-send the other way
    for (const Ptr<GpuEndpoint>& gpu : m.cluster.gpus)
    {
        EXPECT_EQ(gpu->GetNicPort()->GetCounters().txPayloadBytes,
                  dataSent + messages * QueuePairConnection::CLEAR_TO_SEND_BYTES);
        EXPECT_EQ(gpu->GetScaleUpPort()->GetDevice()->GetCounters().txPayloadBytes,
                  2 * (4 - 1) * tensor / 4);
    }
    m.fixture.ExpectDrained();
}

TEST(Overlap, TwoCollectivesOnOneLinkTakeTwiceAsLong)
{
    // Two communicators of the same two GPUs on two streams: their bytes share the NICs.
    auto run = [](uint32_t communicators) {
        Machines m;
        m.BuildStar(2);
        std::vector<Ptr<CollectiveExecutor>> executors;
        Time last;
        for (uint32_t c = 0; c < communicators; ++c)
        {
            executors.push_back(m.Join("c" + std::to_string(c)));
            executors.back()->Launch(MakeRequest(Operation::ALL_REDUCE, 64 * MIB, 1),
                                     MakeRing(2, 2 * MIB, 128 * 1024),
                                     [&last](const CollectiveRecord& r) { last = r.end; });
        }
        Simulator::Run();
        Simulator::Destroy();
        return last.GetSeconds();
    };
    EXPECT_NEAR(run(2) / run(1), 2, 0.03);
}

// ---------------------------------------------------------------- stragglers

TEST(Straggler, ASlowNicIsNamed)
{
    for (uint32_t slow : {1, 3})
    {
        Machines m;
        m.BuildStar(4);
        m.fixture.Port(slow)->SetDataRate(DataRate("100Gbps"));
        CollectiveRecord record = RunAlone(m.Join("world"),
                                           MakeRequest(Operation::ALL_REDUCE, 16 * MIB, 1),
                                           MakeRing(1, MIB, 128 * 1024));
        EXPECT_EQ(record.stragglerRank, slow);
        Simulator::Destroy();
    }
}

TEST(Straggler, ASlowGpuIsNamed)
{
    // One GPU's clock is at a third: its thread blocks take three times as long.
    for (uint32_t slow : {0, 2})
    {
        Machines m;
        m.BuildStar(4);
        m.costs->SetAttribute("SimpleThreadRate", StringValue("100Gbps"));
        m.costs->SetAttribute("SimpleNetworkRate", StringValue("100Gbps"));
        m.cluster.gpus[slow]->GetProcessor()->SetAttribute("Clock", DoubleValue(1.0 / 3));
        EXPECT_DOUBLE_EQ(m.cluster.gpus[slow]->GetCommunicationSlowdown(), 3);
        CollectiveRecord record = RunAlone(m.Join("world"),
                                           MakeRequest(Operation::ALL_REDUCE, 16 * MIB, 1),
                                           MakeRing(2, MIB, 128 * 1024));
        EXPECT_EQ(record.stragglerRank, slow);
        Simulator::Destroy();
    }
}

TEST(Straggler, AGpuThatSharesItsNicSinceARailIsMissingIsNamed)
{
    // Three NICs for four GPUs: GPU g has NIC floor(3 g / 4), so GPUs 0 and 1 share one, and only
    // the network joins them all. Each direct message has the same size: the two take longest.
    Machines m;
    RailOptimizedParameters parameters;
    parameters.servers = 2;
    parameters.gpusPerServer = 3;
    m.fixture.Build(MakeRailOptimized(parameters.Resolved()));
    m.helper.SetGpusPerServer(4);
    m.helper.SetScaleUp(false);
    m.cluster = m.helper.Install(m.fixture.network);
    CollectiveRecord record = RunAlone(m.Join("world"),
                                       MakeRequest(Operation::ALL_REDUCE, 16 * MIB, 1),
                                       MakeRing(1, MIB, 128 * 1024));
    EXPECT_LE(record.stragglerRank % 4, 1u) << record.stragglerRank;
}

// ---------------------------------------------------------------- scale

TEST(Scale, ARingOf1024RanksIsSmall)
{
    // 128 servers of 8: 1,023 hops of a broadcast. Programs are made step by step, so what is there
    // grows with ranks: connections, queue pairs, threads. 8 GiB are allowed for a real all-reduce.
    Machines m;
    m.BuildRails(128, 8);
    CollectiveRecord record = RunAlone(m.Join("world"),
                                       MakeRequest(Operation::BROADCAST, 64 * 1024, 1),
                                       MakeRing(1, MIB, 128 * 1024));
    EXPECT_EQ(record.ranks, 1024u);
    EXPECT_LT(mallinfo2().uordblks, size_t{1} << 30);
}
