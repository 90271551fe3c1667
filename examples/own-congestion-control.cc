// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A congestion control of one's own, written in the script, beside DCQCN on an incast.
 *
 *     host 1 ---\
 *     host 2 ---- switch ---- host 0
 *     ...    ---/
 *
 * MyAimd adds a little to its window for each window that arrives, and halves it, once a round
 * trip, where the network is congested: by ECN echo, or by a round trip that is too long. Nothing
 * in the module knows of it. doc/tutorial-congestion-control.rst builds it step by step.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

/// Additive increase, multiplicative decrease of a window.
class MyAimd : public RdmaCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("MyAimd")
                .SetParent<RdmaCongestionOps>()
                .AddConstructor<MyAimd>()
                .AddAttribute("Increase",
                              "Bytes that the window grows by, for each window acknowledged.",
                              UintegerValue(1000),
                              MakeUintegerAccessor(&MyAimd::m_increase),
                              MakeUintegerChecker<uint64_t>())
                .AddAttribute("Decrease",
                              "What congestion leaves of the window.",
                              DoubleValue(0.5),
                              MakeDoubleAccessor(&MyAimd::m_decrease),
                              MakeDoubleChecker<double>(0, 1))
                .AddAttribute("DelayTarget",
                              "A longer round trip is congestion; 0: the ECN echo is.",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&MyAimd::m_delayTarget),
                              MakeTimeChecker(Time(0)));
        return tid;
    }

    std::string GetName() const override
    {
        return "my-aimd";
    }

    Ptr<RdmaCongestionOps> Fork() const override
    {
        return CopyObject<MyAimd>(this);
    }

    RdmaFeedback GetFeedback() const override
    {
        RdmaFeedback feedback;
        feedback.cnp = false;
        feedback.ecnEcho = m_delayTarget.IsZero();
        return feedback;
    }

    void Init(RdmaRateState& state, int64_t) override
    {
        state.rateBps = state.lineRateBps; // the window is what holds it back
        m_window = m_most = state.lineRateBps / 8 * TimeStep(GetBaseRttSteps(state)).GetSeconds();
        state.windowBytes = static_cast<uint64_t>(m_window);
    }

    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override
    {
        bool congested =
            m_delayTarget.IsZero() ? signal.ecnEcho : TimeStep(signal.rttSteps) > m_delayTarget;
        if (!congested)
        {
            m_window += static_cast<double>(m_increase * signal.ackedBytes) / m_window;
        }
        else if (signal.ackedThrough > m_cutThrough)
        {
            // What is in flight now has not yet felt this cut: no other one before it is back.
            m_window *= m_decrease;
            m_cutThrough = signal.sentThrough;
        }
        m_window = std::clamp(m_window, static_cast<double>(state.mtuBytes), m_most);
        state.windowBytes = static_cast<uint64_t>(m_window);
    }

  private:
    uint64_t m_increase{0};
    double m_decrease{0};
    Time m_delayTarget;

    double m_window{0};       ///< bytes
    double m_most{0};         ///< bandwidth-delay product, bytes
    uint64_t m_cutThrough{0}; ///< no cut before so many bytes are acknowledged
};

NS_OBJECT_ENSURE_REGISTERED(MyAimd);

namespace
{

struct Incast
{
    uint32_t senders{16};
    uint64_t bytes{4000000};
    DataRate rate{"100Gbps"};
    Time delay{MicroSeconds(1)};
};

/// Runs the incast with one congestion control and prints a line of the table.
void
RunIncast(const Incast& incast, const std::string& title, FabricHelper fabric, RdmaHelper rdma)
{
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h <= incast.senders; ++h)
    {
        graph.Connect(
            {graph.AddHost("host" + std::to_string(h)), center, incast.rate, incast.delay});
    }
    FabricNetwork network = fabric.Install(graph);
    rdma.Install(network.hosts);
    fabric.AssignStreams(network, 1);

    double sum = 0;
    double squares = 0;
    uint64_t done = 0;
    Time end;
    auto report = [&](const MessageRecord& record) {
        double seconds = TimeStep(record.end - record.start).GetSeconds();
        double gbps = 8e-9 * static_cast<double>(record.bytes) / seconds;
        sum += gbps;
        squares += gbps * gbps;
        done += record.status == WcStatus::SUCCESS;
        end = TimeStep(record.end);
    };
    auto stackOf = [&](uint32_t h) { return network.hosts.Get(h)->GetObject<RdmaStack>(); };
    Ptr<FabricNetDevice> receiver = stackOf(0)->GetNics()[0]->GetDevice();
    for (uint32_t h = 1; h <= incast.senders; ++h)
    {
        Ptr<RdmaNic> nic = stackOf(h)->GetNics()[0];
        nic->TraceConnectWithoutContext("MessageComplete",
                                        Callback<void, const MessageRecord&>(report));
        Ptr<QueuePair> sender = stackOf(h)->CreateQueuePair(nic->GetDevice(), nullptr);
        QueuePair::Connect(sender, stackOf(0)->CreateQueuePair(receiver, nullptr));
        SendWorkRequest request;
        request.bytes = incast.bytes;
        NS_ABORT_MSG_UNLESS(sender->PostSend(request) == PostResult::POSTED, "not posted");
    }
    Simulator::Run();

    Ptr<FabricSwitch> fabricSwitch = network.GetSwitches()[0];
    uint64_t pauses = 0;
    uint64_t marks = 0;
    for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
    {
        pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
        marks += fabricSwitch->GetPort(p)->GetCounters().ecnMarks;
    }
    std::cout << std::left << std::setw(16) << title << std::right << std::setw(6) << done
              << std::setw(12) << end.GetSeconds() * 1e6 << std::setw(12)
              << sum * sum / (incast.senders * squares) << std::setw(12)
              << static_cast<double>(fabricSwitch->GetBuffer()->GetPeakBytes()) / 1000
              << std::setw(10) << pauses << std::setw(10) << marks << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    Incast incast;
    uint64_t increase = 1000;
    double decrease = 0.5;
    Time delayTarget = MicroSeconds(12);
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "number of senders", incast.senders);
    cmd.AddValue("bytes", "that each of them sends", incast.bytes);
    cmd.AddValue("rate", "of all links", incast.rate);
    cmd.AddValue("delay", "of each link, one way", incast.delay);
    cmd.AddValue("increase", "MyAimd: bytes a window and window", increase);
    cmd.AddValue("decrease", "MyAimd: what congestion leaves of the window", decrease);
    cmd.AddValue("delayTarget", "MyAimd, by delay: a longer round trip is congestion", delayTarget);
    cmd.Parse(argc, argv);

    std::cout << std::fixed << std::setprecision(3)
              << "algorithm         done    all (us)      Jain's   peak (kB)    pauses     marks\n";

    CongestionPreset preset = GetCongestionPreset("dcqcn", "nic-default", incast.rate);
    const CongestionMarking& marks = *preset.marking;
    FabricHelper dcqcnFabric;
    RdmaHelper dcqcn;
    dcqcnFabric.SetEcn([marks](DataRate) {
        return EcnThresholds{marks.kminBytes, marks.kmaxBytes, marks.pmax};
    });
    dcqcn.SetNicAttribute("CnpInterval", TimeValue(marks.cnpInterval));
    dcqcn.SetCongestionControl(preset.ops);
    RunIncast(incast, "dcqcn", dcqcnFabric, dcqcn);

    // The round trip of an empty network: four cables, and a frame and its answer on two links.
    Time baseRtt = 4 * incast.delay + 2 * incast.rate.CalculateBytesTxTime(4096 + 82 + 86);
    RdmaHelper mine;
    mine.SetQueuePairAttribute("AckInterval", UintegerValue(1));
    mine.SetQueuePairAttribute("BaseRtt", TimeValue(baseRtt));
    mine.SetCongestionControl("MyAimd");
    mine.SetCongestionControlAttribute("Increase", UintegerValue(increase));
    mine.SetCongestionControlAttribute("Decrease", DoubleValue(decrease));
    FabricHelper marking;
    marking.SetEcn([](DataRate) { return EcnThresholds{100000, 100000, 1}; });
    RunIncast(incast, "my-aimd, ECN", marking, mine);

    mine.SetCongestionControlAttribute("DelayTarget", TimeValue(delayTarget));
    RunIncast(incast, "my-aimd, delay", FabricHelper(), mine);
    return 0;
}
