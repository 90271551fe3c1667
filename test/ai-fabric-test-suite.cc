// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The module's suite for ns-3's test runner: the core in a few compact cases. The full tests
 * are the GoogleTest programs beside it.
 *
 * Suites of a test runner share a process, and so a time resolution, which this one must not
 * change. All links are therefore of 1 Gb/s: a byte takes 8 ns, which any resolution from
 * nanoseconds on expresses exactly.
 */

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-helper.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

const DataRate RATE(1000000000);
constexpr int64_t BYTE_NS = 8;
constexpr int64_t DELAY_NS = 500;
constexpr int64_t FRAME = 14 + 20 + 8 + 12 + 4096 + 4 + 4; ///< Ethernet to FCS, full MTU
constexpr int64_t SLOT = 8 + FRAME + 12;                   ///< with preamble and gap
constexpr int64_t RETH = 16;
constexpr int64_t ACK = 8 + 14 + 20 + 8 + 12 + 4 + 4 + 4; ///< with preamble

/// @param bytes on the wire @param cables passed @return how long both take
Time
Takes(int64_t bytes, int64_t cables)
{
    return NanoSeconds(bytes * BYTE_NS + cables * DELAY_NS);
}

/// A case with a fabric; host 0 is the receiver.
class FabricTestCase : public TestCase
{
  public:
    explicit FabricTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// @param senders hosts around one switch, besides host 0
    void BuildStar(uint32_t senders)
    {
        FabricGraph graph;
        uint32_t center = graph.AddSwitch("switch");
        for (uint32_t h = 0; h <= senders; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(h));
            graph.Connect({host, center, RATE, NanoSeconds(DELAY_NS)});
        }
        Build(graph);
    }

    void Build(const FabricGraph& graph)
    {
        m_network = m_fabric.Install(graph);
        m_fabric.AssignStreams(m_network, 1);
        m_rdma.Install(m_network.hosts);
        for (const auto& port : m_network.GetHostPorts())
        {
            NicOf(port)->TraceConnectWithoutContext("MessageComplete",
                                                    MakeCallback(&FabricTestCase::Completed, this));
        }
    }

    void Send(uint32_t from, uint64_t bytes)
    {
        auto ports = m_network.GetHostPorts();
        auto make = [this](Ptr<FabricNetDevice> port) {
            auto stack = port->GetNode()->GetObject<RdmaStack>();
            return stack->CreateQueuePair(port, nullptr);
        };
        Ptr<QueuePair> sender = make(ports[from]);
        QueuePair::Connect(sender, make(ports[0]));
        SendWorkRequest request;
        request.bytes = bytes;
        NS_TEST_EXPECT_MSG_EQ((sender->PostSend(request) == PostResult::POSTED), true, "posted");
        m_posted += bytes;
    }

    /// Runs until nothing is left; checks that all messages have arrived and nothing stays behind.
    void RunAndCheck(uint64_t messages)
    {
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_records.size(), messages, "a record for each message");
        uint64_t bytes = 0;
        for (const MessageRecord& record : m_records)
        {
            NS_TEST_EXPECT_MSG_EQ((record.status == WcStatus::SUCCESS), true, "it succeeded");
            NS_TEST_EXPECT_MSG_EQ(record.shares.Total(), record.end - record.start, "parts add up");
            bytes += record.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(bytes, m_posted, "all bytes arrive");
        for (const auto& fabricSwitch : m_network.GetSwitches())
        {
            NS_TEST_EXPECT_MSG_EQ(fabricSwitch->GetBuffer()->GetUsedBytes(), 0u, "buffer is empty");
        }
    }

    Ptr<RdmaNic> NicOf(Ptr<FabricNetDevice> port) const
    {
        return port->GetNode()->GetObject<RdmaStack>()->GetNic(port);
    }

    Ptr<FabricNetDevice> HostPort(uint32_t host) const
    {
        return m_network.GetHostPorts()[host];
    }

    Time End() const
    {
        return m_records.empty() ? Time(0) : TimeStep(m_records.back().end);
    }

    FabricHelper m_fabric;
    RdmaHelper m_rdma;
    FabricNetwork m_network;
    std::vector<MessageRecord> m_records;

  private:
    void DoTeardown() override
    {
        m_network = FabricNetwork();
        Simulator::Destroy();
    }

    void Completed(const MessageRecord& record)
    {
        m_records.push_back(record);
    }

    uint64_t m_posted{0};
};

/// 256 frames over one switch: all of them, the first and largest one twice, and the ACK's way.
class ClosedFormCase : public FabricTestCase
{
  public:
    ClosedFormCase()
        : FabricTestCase("One WRITE completes at the closed form's time")
    {
    }

  private:
    void DoRun() override
    {
        BuildStar(1);
        Send(1, 256 * 4096);
        RunAndCheck(1);
        Time expected = Takes(256 * SLOT + RETH - 12 + (8 + FRAME + RETH) + 2 * ACK, 4);
        NS_TEST_EXPECT_MSG_EQ(End(), expected, "to the nanosecond");
    }
};

/// Four senders: the receiver's link is never idle, nothing drops, pauses come and go.
class IncastCase : public FabricTestCase
{
  public:
    IncastCase()
        : FabricTestCase("An incast with PFC drops nothing and fills the bottleneck")
    {
    }

  private:
    void DoRun() override
    {
        m_fabric.SetBufferAttribute("Size", UintegerValue(400000));
        BuildStar(4);
        for (uint32_t h = 1; h <= 4; ++h)
        {
            Send(h, 100 * 4096);
        }
        RunAndCheck(4);
        int64_t everything = 4 * (100 * SLOT + RETH) - 12;
        NS_TEST_EXPECT_MSG_EQ(End(),
                              Takes(8 + FRAME + RETH + everything + 2 * ACK, 4),
                              "no gap on the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(m_network.GetSwitches()[0]->GetLosslessDrops(), 0u, "no drop");
        NS_TEST_EXPECT_MSG_GT(HostPort(1)->GetCounters().pausesReceived, 0u, "PFC was at work");
    }
};

/// The last frame is lost: the transport timer repeats it.
class TailLossCase : public FabricTestCase
{
  public:
    TailLossCase()
        : FabricTestCase("The loss of a last frame costs a timeout")
    {
    }

  private:
    void DoRun() override
    {
        m_rdma.SetQueuePairAttribute("Timeout", UintegerValue(8)); // 4.096 us x 2^8
        BuildStar(1);
        m_network.channels[1]->SetLossFilter(MakeCallback(&TailLossCase::IsFirstOne, this));
        Send(1, 4096);
        RunAndCheck(1);
        Time round = Takes(2 * (8 + FRAME + RETH) + 2 * ACK, 4);
        NS_TEST_EXPECT_MSG_EQ(End(), NanoSeconds(4096 * 256) + round, "the timer, then a round");
        NS_TEST_EXPECT_MSG_EQ(NicOf(HostPort(1))->GetCounters().timeouts, 1u, "one timeout");
    }

    bool IsFirstOne(const FabricFrame&)
    {
        return m_seen++ == 0;
    }

    int m_seen{0};
};

/// One frame in fifty is lost, either way: go-back-N delivers all the same.
class RandomLossCase : public FabricTestCase
{
  public:
    RandomLossCase()
        : FabricTestCase("Random loss is recovered from")
    {
    }

  private:
    void DoRun() override
    {
        m_rdma.SetQueuePairAttribute("Timeout", UintegerValue(10));
        BuildStar(3);
        for (const auto& channel : m_network.channels)
        {
            channel->SetAttribute("LossRate", DoubleValue(0.02));
        }
        for (uint32_t h = 1; h <= 3; ++h)
        {
            Send(h, 100 * 4096);
        }
        RunAndCheck(3);
        NS_TEST_EXPECT_MSG_GT(NicOf(HostPort(1))->GetCounters().retransmittedFrames,
                              0u,
                              "repeated");
    }
};

/// 64 flows, four cables between two switches: all four are used, and only one way is taken by
/// each.
class ForwardingCase : public FabricTestCase
{
  public:
    ForwardingCase()
        : FabricTestCase("Equal-cost paths are all used, unknown destinations are counted")
    {
    }

  private:
    void DoRun() override
    {
        FabricGraph graph;
        uint32_t host0 = graph.AddHost("host0");
        uint32_t host1 = graph.AddHost("host1");
        uint32_t left = graph.AddSwitch("left");
        uint32_t right = graph.AddSwitch("right");
        graph.Connect({host0, left, RATE, NanoSeconds(DELAY_NS)});
        graph.Connect({host1, right, RATE, NanoSeconds(DELAY_NS)});
        for (int k = 0; k < 4; ++k)
        {
            graph.Connect({left, right, RATE, NanoSeconds(DELAY_NS)});
        }
        Build(graph);
        for (int i = 0; i < 64; ++i)
        {
            Send(1, 1000);
        }
        FramePtr stray = FabricFrame::Create();
        stray->sizeBytes = 64;
        HostPort(0)->Enqueue(std::move(stray)); // its destination is 0.0.0.0
        RunAndCheck(64);
        uint64_t all = 0;
        for (size_t k = 1; k <= 4; ++k)
        {
            uint64_t bytes = m_network.ports[right][k]->GetCounters().txPayloadBytes;
            NS_TEST_EXPECT_MSG_GT(bytes, 0u, "the cable is used");
            all += bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(all, 64000u, "each byte crosses once");
        NS_TEST_EXPECT_MSG_EQ(m_network.GetSwitches()[0]->GetUnroutableDrops(),
                              1u,
                              "the stray one");
    }
};

/// A pause of 1000 quanta of 512 bits, and nobody resumes.
class PauseCase : public FabricTestCase
{
  public:
    PauseCase()
        : FabricTestCase("A pause runs out by itself")
    {
    }

  private:
    void DoRun() override
    {
        BuildStar(1);
        HostPort(0)->SendPause(1 << 3, 1000); // to the switch's port, before the frame comes there
        Send(1, 4096);
        RunAndCheck(1);
        Time opens = Takes(8 + 64 + 1000 * 64, 1);
        NS_TEST_EXPECT_MSG_EQ(End(), opens + Takes(8 + FRAME + RETH + 2 * ACK, 3), "then it goes");
    }
};

/// Two GPUs of a server behind a switch: 16 frames of 4096 B, with 16 B for each 256, the last one
/// stored in between; two cables of 25 ns, and the switch's 300 ns.
class ScaleUpCase : public FabricTestCase
{
  public:
    ScaleUpCase()
        : FabricTestCase("A message by scale-up links arrives at the closed form's time")
    {
    }

  private:
    void DoRun() override
    {
        BuildStar(0);
        GpuClusterHelper helper;
        helper.SetGpusPerServer(2);
        helper.SetScaleUpDeviceAttribute("DataRate", DataRateValue(RATE));
        helper.SetScaleUpSwitchDeviceAttribute("DataRate", DataRateValue(RATE));
        GpuCluster cluster = helper.Install(m_network);
        Ptr<ScaleUpPort> from = cluster.gpus[0]->GetScaleUpPort();
        uint32_t flow = ScaleUpPort::Connect(from,
                                             cluster.gpus[1]->GetScaleUpPort(),
                                             {},
                                             MakeCallback(&ScaleUpCase::Arrived, this));
        from->Send(flow, 16 * 4096);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 16 * 4096u, "all bytes");
        NS_TEST_EXPECT_MSG_EQ(m_at,
                              NanoSeconds(17 * (4096 + 16 * 16) * BYTE_NS + 2 * 25 + 300),
                              "to the nanosecond");
    }

    void Arrived(uint64_t bytes)
    {
        m_bytes += bytes;
        m_at = Simulator::Now();
    }

    uint64_t m_bytes{0};
    Time m_at;
};

/// The suite.
class AiFabricTestSuite : public TestSuite
{
  public:
    AiFabricTestSuite()
        : TestSuite("ai-fabric", Type::UNIT)
    {
        AddTestCase(new ClosedFormCase);
        AddTestCase(new IncastCase);
        AddTestCase(new TailLossCase);
        AddTestCase(new RandomLossCase);
        AddTestCase(new ForwardingCase);
        AddTestCase(new PauseCase);
        AddTestCase(new ScaleUpCase);
    }
};

AiFabricTestSuite g_aiFabricTestSuite; ///< registers itself

} // namespace
