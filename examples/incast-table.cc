// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief One incast under every congestion control with its default parameters: the table of
 * doc/incast-table.rst.
 *
 *     host 1 ---\
 *     host 2 ---- switch ---- host 0
 *     ...    ---/
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

struct Incast
{
    uint32_t senders{16};
    uint64_t bytes{1000000};
    DataRate rate{"100Gbps"};
    Time delay{NanoSeconds(500)};
    uint64_t bufferBytes{0};
    bool trimming{false};
};

/// Sets up what a congestion control needs of switches and NICs.
void
Configure(FabricHelper& fabric,
          RdmaHelper& rdma,
          const std::string& algorithm,
          const Incast& incast)
{
    CongestionPreset preset = GetCongestionPreset(algorithm, "", incast.rate);
    rdma.SetCongestionControl(preset.ops);
    // Four cables; a frame of 4096 B and its answer over two links.
    Time baseRtt = 4 * incast.delay + 2 * incast.rate.CalculateBytesTxTime(4096 + 70 + 16 + 74);
    rdma.SetQueuePairAttribute("BaseRtt", TimeValue(baseRtt));
    if (preset.marking)
    {
        CongestionMarking marking = *preset.marking;
        fabric.SetEcn([marking](DataRate) {
            return EcnThresholds{marking.kminBytes, marking.kmaxBytes, marking.pmax};
        });
        if (marking.markAtDequeue)
        {
            fabric.SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
        }
        rdma.SetNicAttribute("CnpInterval", TimeValue(marking.cnpInterval));
    }
    if (preset.ops.Create<RdmaCongestionOps>()->GetFeedback().telemetry != TelemetryFormat::NONE)
    {
        ObjectFactory stamper("ns3::IntStamper");
        stamper.Set("PintBaseRtt", TimeValue(baseRtt));
        fabric.SetSwitchPart("IntStamper", stamper);
    }
    if (incast.trimming)
    {
        fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0));
        fabric.SetSwitchPart("FrameTrimmer", ObjectFactory("ns3::FrameTrimmer"));
        rdma.SetReliability("ns3::SelectiveRepeat");
        rdma.SetReliabilityAttribute("LongTimeout", TimeValue(MilliSeconds(4)));
        rdma.SetReliabilityAttribute("ShortTimeout", TimeValue(MilliSeconds(4)));
    }
    fabric.SetBufferAttribute("Size", UintegerValue(incast.bufferBytes));
}

/// Runs it and prints a line of the table.
void
RunIncast(const std::string& algorithm, const Incast& incast)
{
    FabricHelper fabric;
    RdmaHelper rdma;
    Configure(fabric, rdma, algorithm, incast);
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

    int64_t end = 0;
    double sum = 0;
    double squares = 0;
    auto report = [&](const MessageRecord& record) {
        double goodput = static_cast<double>(record.bytes) / TimeStep(record.end).GetSeconds();
        sum += goodput;
        squares += goodput * goodput;
        end = std::max(end, record.end);
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
    Simulator::Stop(Seconds(2));
    Simulator::Run();

    Ptr<FabricSwitch> fabricSwitch = network.GetSwitches()[0];
    uint64_t pauses = 0;
    for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
    {
        pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
    }
    uint64_t trimmed = stackOf(0)->GetNics()[0]->GetCounters().trimmedFramesReceived;
    std::cout << std::left << std::setw(16) << algorithm << std::right << std::setw(12)
              << static_cast<double>(fabricSwitch->GetBuffer()->GetPeakBytes()) / 1000
              << std::setw(12) << TimeStep(end).GetSeconds() * 1e6 << std::setw(9)
              << std::setprecision(3) << sum * sum / (incast.senders * squares)
              << std::setprecision(1) << std::setw(9) << pauses << std::setw(9) << trimmed
              << std::setw(7) << fabricSwitch->GetLosslessDrops() + fabricSwitch->GetLossyDrops()
              << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    Incast incast;
    std::string only;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "number of senders", incast.senders);
    cmd.AddValue("bytes", "that each of them sends", incast.bytes);
    cmd.AddValue("rate", "of all links", incast.rate);
    cmd.AddValue("delay", "of each link, one way", incast.delay);
    cmd.AddValue("buffer",
                 "of the switch, bytes; 0: as in doc/incast-table.rst",
                 incast.bufferBytes);
    cmd.AddValue("trimming", "lossy classes and trimming instead of PFC", incast.trimming);
    cmd.AddValue("algorithm", "this one only", only);
    cmd.Parse(argc, argv);
    if (incast.bufferBytes == 0)
    {
        incast.bufferBytes = incast.trimming ? 1000000 + uint64_t{40000} * incast.senders
                                             : 16000000 + uint64_t{64000} * incast.senders;
    }

    double seconds = 8.0 * static_cast<double>(incast.senders * incast.bytes) /
                     static_cast<double>(incast.rate.GetBitRate());
    std::cout << std::fixed << std::setprecision(1) << incast.senders << " x " << incast.bytes
              << " B; the payload alone takes " << seconds * 1e6 << " us\n"
              << "algorithm          peak (kB)    all (us)   Jain's   pauses  trimmed  drops\n";
    std::vector<std::string> trimming{"nscc", "rccc", "eqds", "ndp"};
    for (const std::string& algorithm : GetCongestionControlNames())
    {
        bool wanted = only.empty() ? (!incast.trimming ||
                                      std::count(trimming.begin(), trimming.end(), algorithm) > 0)
                                   : algorithm == only;
        if (wanted)
        {
            RunIncast(algorithm, incast);
        }
    }
    return 0;
}
