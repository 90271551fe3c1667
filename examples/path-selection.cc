// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The same traffic under every path selector: what each costs in time, order and balance.
 *
 * A leaf-spine fabric with as many uplinks as hosts on a leaf, so that no link need carry more than
 * its rate. Every host sends to the host of the same number on the next leaf, in steps with a pause
 * between them, as a pipeline does: a permutation without incast. Whatever goes slower than the
 * ideal does so because paths were chosen unluckily.
 *
 *     ./path-selection
 *     ./path-selection --slowSpine=true     one spine has half the rate
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

/// What the command line says.
struct Options
{
    uint32_t leaves{4};
    uint32_t hostsPerLeaf{8};
    uint32_t steps{10};
    uint64_t bytes{1000000};
    Time pause{MicroSeconds(40)};
    bool slowSpine{false};
};

/// What came out.
struct Result
{
    Time end;               ///< of the last message
    Time meanMessage;       ///< from post to completion
    uint64_t outOfOrder{0}; ///< data frames that a later one had overtaken
    uint64_t frames{0};     ///< data frames
    double imbalance{0};    ///< busiest uplink of a leaf over the mean, less 1, mean of all leaves
};

FabricGraph
MakeGraph(const Options& options)
{
    FabricGraph graph;
    std::vector<uint32_t> leaves;
    for (uint32_t l = 0; l < options.leaves; ++l)
    {
        leaves.push_back(graph.AddSwitch("leaf" + std::to_string(l), 1));
        for (uint32_t h = 0; h < options.hostsPerLeaf; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(l * options.hostsPerLeaf + h));
            graph.Connect({host, leaves[l], DataRate("100Gbps"), NanoSeconds(500)});
        }
    }
    for (uint32_t s = 0; s < options.hostsPerLeaf; ++s)
    {
        uint32_t spine = graph.AddSwitch("spine" + std::to_string(s), 2);
        DataRate rate(options.slowSpine && s == 0 ? "50Gbps" : "100Gbps");
        for (uint32_t leaf : leaves)
        {
            graph.Connect({leaf, spine, rate, NanoSeconds(500)});
        }
    }
    return graph;
}

/// The hosts, their traffic, and what is seen of it.
class Run
{
  public:
    Run(const Options& options, FabricHelper& fabric)
        : m_options(options),
          m_network(fabric.Install(MakeGraph(options)))
    {
        fabric.AssignStreams(m_network, 1);
        RdmaHelper rdma;
        rdma.SetReliability("ns3::OutOfOrderPlacement");
        rdma.SetReliabilityAttribute("ReorderDistance", UintegerValue(1000));
        rdma.Install(m_network.hosts);
        m_completions->SetCallback(MakeCallback(&Run::OnCompletion, this));
        const uint32_t hosts = m_network.hosts.GetN();
        for (uint32_t h = 0; h < hosts; ++h)
        {
            // For Entropy: the hosts of a leaf number their paths. To the others it is just a port.
            m_senders.push_back(MakePair(h));
            m_senders[h]->SetAttribute("UdpSourcePort", UintegerValue(49152 + h));
            QueuePair::Connect(m_senders[h], MakePair((h + options.hostsPerLeaf) % hosts));
            m_left.push_back(options.steps);
            Post(h);
        }
        for (const auto& port : m_network.GetHostPorts())
        {
            port->TraceConnectWithoutContext("FrameRx", MakeCallback(&Run::OnFrame, this));
        }
    }

    Result Go()
    {
        Simulator::Run();
        m_result.meanMessage = m_sum / (m_options.steps * m_network.hosts.GetN());
        m_result.imbalance = GetImbalance();
        return m_result;
    }

  private:
    Ptr<QueuePair> MakePair(uint32_t host)
    {
        Ptr<Node> node = m_network.hosts.Get(host);
        Ptr<RdmaStack> stack = node->GetObject<RdmaStack>();
        return stack->CreateQueuePair(stack->GetNics()[0]->GetDevice(), m_completions);
    }

    void Post(uint32_t host)
    {
        SendWorkRequest request;
        request.id = host;
        request.bytes = m_options.bytes;
        m_posted[host] = Simulator::Now();
        NS_ABORT_IF(m_senders[host]->PostSend(request) != PostResult::POSTED);
    }

    void OnCompletion(const WorkCompletion& completion)
    {
        auto host = static_cast<uint32_t>(completion.id);
        m_result.end = Simulator::Now();
        m_sum += Simulator::Now() - m_posted[host];
        if (--m_left[host] > 0)
        {
            Simulator::Schedule(m_options.pause, &Run::Post, this, host);
        }
    }

    void OnFrame(const FabricFrame& frame)
    {
        if (frame.kind == FrameKind::ROCE && frame.payloadBytes > 0)
        {
            uint32_t& next = m_nextPsn[{frame.dstAddress, frame.destQp}];
            ++m_result.frames;
            m_result.outOfOrder += frame.psn < next;
            next = std::max(next, frame.psn + 1);
        }
    }

    double GetImbalance() const
    {
        double sum = 0;
        for (uint32_t l = 0; l < m_options.leaves; ++l)
        {
            Ptr<FabricSwitch> leaf = m_network.switches.Get(l)->GetObject<FabricSwitch>();
            double most = 0;
            double total = 0;
            for (uint32_t u = 0; u < m_options.hostsPerLeaf; ++u)
            {
                Ptr<FabricNetDevice> uplink = leaf->GetPort(m_options.hostsPerLeaf + u);
                auto busy = static_cast<double>(uplink->GetCounters().txPayloadBytes);
                most = std::max(most, busy);
                total += busy;
            }
            sum += most / total * m_options.hostsPerLeaf - 1;
        }
        return sum / m_options.leaves;
    }

    Options m_options;
    FabricNetwork m_network;
    Ptr<CompletionQueue> m_completions{CreateObject<CompletionQueue>()};
    std::vector<Ptr<QueuePair>> m_senders;
    std::vector<uint32_t> m_left; ///< steps, by host
    std::map<uint32_t, Time> m_posted;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_nextPsn;
    Time m_sum;
    Result m_result;
};

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    Options options;
    CommandLine cmd(__FILE__);
    cmd.AddValue("leaves", "leaf switches", options.leaves);
    cmd.AddValue("hosts", "hosts on a leaf, and spines", options.hostsPerLeaf);
    cmd.AddValue("steps", "messages that a host sends, one after the other", options.steps);
    cmd.AddValue("bytes", "of a message", options.bytes);
    cmd.AddValue("pause", "after each message", options.pause);
    cmd.AddValue("slowSpine", "one spine has links of half the rate", options.slowSpine);
    cmd.Parse(argc, argv);

    std::cout << std::left << std::setw(22) << "selector" << std::right << std::setw(12)
              << "message us" << std::setw(10) << "end us" << std::setw(16) << "out of order"
              << std::setw(12) << "imbalance" << std::endl;
    for (std::string name : {"Ecmp",
                             "WeightedEcmp",
                             "Entropy",
                             "RandomSpray",
                             "RoundRobinSpray",
                             "Flowlet",
                             "Drill",
                             "Adaptive",
                             "Conga",
                             "ConWeave"})
    {
        FabricHelper fabric;
        fabric.SetPathSelector("ns3::" + name + "PathSelector");
        if (name == "Flowlet" || name == "Conga")
        {
            // The default of 500 us is for TCP: here a flow pauses for less.
            fabric.SetPathSelectorAttribute("FlowletTimeout", TimeValue(options.pause / 2));
        }
        Result result = Run(options, fabric).Go();
        Simulator::Destroy();
        std::cout << std::left << std::setw(22) << name << std::right << std::fixed
                  << std::setprecision(1) << std::setw(12) << result.meanMessage.ToDouble(Time::US)
                  << std::setw(10) << result.end.ToDouble(Time::US) << std::setw(15)
                  << 100.0 * static_cast<double>(result.outOfOrder) /
                         static_cast<double>(result.frames)
                  << "%" << std::setw(11) << 100 * result.imbalance << "%" << std::endl;
    }
    Time ideal = DataRate("100Gbps").CalculateBytesTxTime(options.bytes) * 4178 / 4096;
    std::cout << "a message alone on its path takes about " << ideal.ToDouble(Time::US)
              << " us and a round of the fabric" << std::endl;
    return 0;
}
