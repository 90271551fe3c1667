// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-fixture.h"

#include "ns3/node.h"

namespace ns3
{

FabricFixture::FabricFixture()
    : m_queue(CreateObject<CompletionQueue>())
{
    EXPECT_TRUE(g_countsPicoseconds);
    m_queue->SetCallback(MakeCallback(&FabricFixture::OnCompletion, this));
}

FabricFixture::~FabricFixture()
{
    Simulator::Destroy();
}

// ---------------------------------------------------------------- fabrics

void
FabricFixture::BuildStar(uint32_t hosts, const std::string& rate, Time delay)
{
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h < hosts; ++h)
    {
        uint32_t host = graph.AddHost("host" + std::to_string(h));
        graph.Connect({host, center, DataRate(rate), delay, lossRate});
    }
    Build(graph);
}

void
FabricFixture::BuildChain(const std::vector<std::string>& rates, Time delay)
{
    FabricGraph graph;
    uint32_t before = graph.AddHost("host0");
    for (size_t i = 0; i < rates.size(); ++i)
    {
        uint32_t next = i + 1 < rates.size() ? graph.AddSwitch("switch" + std::to_string(i))
                                             : graph.AddHost("host1");
        graph.Connect({before, next, DataRate(rates[i]), delay, lossRate});
        before = next;
    }
    Build(graph);
}

void
FabricFixture::BuildTwoSwitches(uint32_t hostsPerSide,
                                const std::string& hostRate,
                                uint32_t links,
                                const std::string& linkRate,
                                Time delay)
{
    FabricGraph graph;
    uint32_t sides[] = {graph.AddSwitch("left"), graph.AddSwitch("right")};
    for (uint32_t side : sides)
    {
        for (uint32_t h = 0; h < hostsPerSide; ++h)
        {
            uint32_t host =
                graph.AddHost(graph.GetVertices()[side].name + "-host" + std::to_string(h));
            graph.Connect({host, side, DataRate(hostRate), delay, lossRate});
        }
    }
    for (uint32_t k = 0; k < links; ++k)
    {
        graph.Connect({sides[0], sides[1], DataRate(linkRate), delay, lossRate});
    }
    Build(graph);
}

void
FabricFixture::Build(const FabricGraph& graph)
{
    network = fabric.Install(graph);
    fabric.AssignStreams(network, 1); // the same numbers in each run of a process
    rdma.Install(network.hosts);
    for (const auto& nic : Nics())
    {
        nic->TraceConnectWithoutContext("MessageComplete",
                                        MakeCallback(&FabricFixture::OnMessage, this));
    }
}

Ptr<FabricNetDevice>
FabricFixture::Port(uint32_t host) const
{
    return Nic(host)->GetDevice();
}

Ptr<RdmaNic>
FabricFixture::Nic(uint32_t host) const
{
    return network.hosts.Get(host)->GetObject<RdmaStack>()->GetNics().at(0);
}

Ptr<FabricChannel>
FabricFixture::Cable(uint32_t host) const
{
    return DynamicCast<FabricChannel>(Port(host)->GetChannel());
}

Ptr<FabricSwitch>
FabricFixture::Switch(uint32_t index) const
{
    return network.switches.Get(index)->GetObject<FabricSwitch>();
}

std::vector<Ptr<RdmaNic>>
FabricFixture::Nics() const
{
    std::vector<Ptr<RdmaNic>> all;
    for (uint32_t h = 0; h < network.hosts.GetN(); ++h)
    {
        const auto& nics = network.hosts.Get(h)->GetObject<RdmaStack>()->GetNics();
        all.insert(all.end(), nics.begin(), nics.end());
    }
    return all;
}

// ---------------------------------------------------------------- traffic

Connection
FabricFixture::Connect(uint32_t from,
                       uint32_t to,
                       const std::function<void(Ptr<QueuePair>)>& configure)
{
    auto make = [&](uint32_t host) {
        auto stack = network.hosts.Get(host)->GetObject<RdmaStack>();
        Ptr<QueuePair> qp = stack->CreateQueuePair(Port(host), m_queue);
        if (configure)
        {
            configure(qp);
        }
        m_pairs.push_back(qp);
        return qp;
    };
    Connection connection{make(from), nullptr};
    connection.b = make(to);
    QueuePair::Connect(connection.a, connection.b);
    return connection;
}

void
FabricFixture::Post(const Connection& connection,
                    uint64_t messageBytes,
                    RdmaOperation operation,
                    uint64_t id)
{
    SendWorkRequest request;
    request.id = id;
    request.operation = operation;
    request.bytes = messageBytes;
    ASSERT_EQ(connection.a->PostSend(request), PostResult::POSTED);
}

void
FabricFixture::PostReceive(const Connection& connection, uint64_t roomBytes, uint64_t id)
{
    ASSERT_EQ(connection.b->PostReceive({id, roomBytes}), PostResult::POSTED);
}

void
FabricFixture::Run()
{
    Simulator::Run();
}

void
FabricFixture::OnMessage(const MessageRecord& record)
{
    records.push_back(record);
}

void
FabricFixture::OnCompletion(const WorkCompletion& completion)
{
    completions.push_back({completion, Simulator::Now()});
}

// ---------------------------------------------------------------- checks

uint64_t
FabricFixture::Total(uint64_t RdmaNicCounters::*name) const
{
    uint64_t sum = 0;
    for (const auto& nic : Nics())
    {
        sum += nic->GetCounters().*name;
    }
    return sum;
}

uint64_t
FabricFixture::Drops() const
{
    uint64_t sum = 0;
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        sum += fabricSwitch->GetLosslessDrops() + fabricSwitch->GetLossyDrops() +
               fabricSwitch->GetUnroutableDrops();
    }
    return sum;
}

void
FabricFixture::ExpectDrained()
{
    for (const auto& qp : m_pairs)
    {
        EXPECT_EQ(qp->GetRequester().GetOutstanding(), 0u) << "queue pair " << qp->GetNumber();
    }
    for (const auto& ports : network.ports)
    {
        for (const auto& port : ports)
        {
            EXPECT_EQ(port->GetQueuedBytes(), 0u);
            EXPECT_EQ(port->GetPausedClasses(NowSteps()), 0u);
        }
    }
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        EXPECT_EQ(fabricSwitch->GetBuffer()->GetUsedBytes(), 0u);
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
            {
                EXPECT_FALSE(fabricSwitch->IsPausing(p, c)) << "port " << p << " class " << c;
            }
        }
    }
}

void
FabricFixture::ExpectSharesAddUp() const
{
    for (const MessageRecord& record : records)
    {
        const TimeShares& s = record.shares;
        ASSERT_EQ(s.Total(), record.end - record.start) << "message " << record.workRequestId;
        for (int64_t part : {s.serialization,
                             s.propagation,
                             s.queueing,
                             s.paused,
                             s.congestionControl,
                             s.window,
                             s.nicContention,
                             s.retransmission})
        {
            ASSERT_GE(part, 0) << "message " << record.workRequestId;
        }
    }
}

void
FabricFixture::ExpectAllSucceeded(uint64_t count, uint64_t messageBytes) const
{
    uint64_t sum = 0;
    for (const MessageRecord& record : records)
    {
        EXPECT_EQ(record.status, WcStatus::SUCCESS) << ToString(record.status);
        sum += record.bytes;
    }
    EXPECT_EQ(records.size(), count);
    EXPECT_EQ(sum, messageBytes);
    uint64_t delivered = 0;
    for (const auto& qp : m_pairs)
    {
        delivered += qp->GetResponder().GetDeliveredBytes();
    }
    EXPECT_EQ(delivered, messageBytes);
}

} // namespace ns3
