// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief N senders, one receiver: what PFC and DCQCN make of an incast.
 *
 *     host 1 ---\
 *     host 2 ---- switch ---- host 0
 *     ...    ---/
 *
 * PFC alone lets nothing drop, but stops senders whoever they send to. DCQCN slows them down
 * instead. Neither: frames drop, and go-back-N repeats them.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/// A line of the table: what a flow got.
void
PrintFlow(const MessageRecord& record, double& sum, double& sumOfSquares)
{
    double microseconds = TimeStep(record.end - record.start).GetSeconds() * 1e6;
    double gbps = 8e-3 * static_cast<double>(record.bytes) / microseconds;
    auto percent = [&](int64_t steps) {
        return 100.0 * static_cast<double>(steps) / static_cast<double>(record.end - record.start);
    };
    std::cout << std::setw(15) << Ipv4Address(record.srcAddress) << std::setw(12) << microseconds
              << std::setw(10) << gbps << std::setw(11) << percent(record.shares.queueing)
              << std::setw(10) << percent(record.shares.paused) << std::setw(12)
              << percent(record.shares.congestionControl) << "  " << ToString(record.status)
              << "\n";
    sum += gbps;
    sumOfSquares += gbps * gbps;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    uint32_t senders = 15;
    uint64_t bytes = 4000000;
    DataRate rate("100Gbps");
    Time delay = NanoSeconds(500);
    bool pfc = true;
    bool dcqcn = true;
    std::string preset = "nic-default";
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "number of senders", senders);
    cmd.AddValue("bytes", "that each of them sends", bytes);
    cmd.AddValue("rate", "of all links", rate);
    cmd.AddValue("delay", "of each link, one way", delay);
    cmd.AddValue("pfc", "lossless, by priority flow control", pfc);
    cmd.AddValue("dcqcn", "congestion control by DCQCN", dcqcn);
    cmd.AddValue("preset", "DCQCN's parameters: paper, hpcc-simulator, nic-default", preset);
    cmd.Parse(argc, argv);

    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h <= senders; ++h)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(h)), center, rate, delay});
    }

    FabricHelper fabric;
    RdmaHelper rdma;
    fabric.SetSwitchAttribute("Pfc", BooleanValue(pfc));
    if (dcqcn)
    {
        CongestionPreset parameters = GetCongestionPreset("dcqcn", preset, rate);
        fabric.SetEcn([parameters](DataRate) {
            return EcnThresholds{parameters.marking->kminBytes,
                                 parameters.marking->kmaxBytes,
                                 parameters.marking->pmax};
        });
        if (parameters.marking->markAtDequeue)
        {
            fabric.SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
        }
        rdma.SetNicAttribute("CnpInterval", TimeValue(parameters.marking->cnpInterval));
        rdma.SetCongestionControl(parameters.ops);
    }
    FabricNetwork network = fabric.Install(graph);
    rdma.Install(network.hosts);
    fabric.AssignStreams(network, 1);

    std::cout << std::fixed << std::setprecision(2)
              << "         sender     FCT (us)  Gb/s (payload)  queued %  paused %  throttled %\n";
    double sum = 0;
    double sumOfSquares = 0;
    int64_t lastEnd = 0;
    auto report = [&](const MessageRecord& record) {
        PrintFlow(record, sum, sumOfSquares);
        lastEnd = record.end;
    };
    auto stackOf = [&](uint32_t h) { return network.hosts.Get(h)->GetObject<RdmaStack>(); };
    for (uint32_t h = 1; h <= senders; ++h)
    {
        Ptr<RdmaNic> nic = stackOf(h)->GetNics()[0];
        nic->TraceConnectWithoutContext("MessageComplete",
                                        Callback<void, const MessageRecord&>(report));
        Ptr<FabricNetDevice> receiver = stackOf(0)->GetNics()[0]->GetDevice();
        Ptr<QueuePair> sender = stackOf(h)->CreateQueuePair(nic->GetDevice(), nullptr);
        QueuePair::Connect(sender, stackOf(0)->CreateQueuePair(receiver, nullptr));
        SendWorkRequest request;
        request.bytes = bytes;
        NS_ABORT_MSG_UNLESS(sender->PostSend(request) == PostResult::POSTED, "not posted");
    }
    Simulator::Run();

    uint64_t pauses = 0;
    uint64_t marks = 0;
    uint64_t cnps = 0;
    uint64_t repeated = 0;
    Ptr<FabricSwitch> fabricSwitch = network.GetSwitches()[0];
    for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
    {
        pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
        marks += fabricSwitch->GetPort(p)->GetCounters().ecnMarks;
        const RdmaNicCounters& counters = stackOf(p)->GetNics()[0]->GetCounters();
        cnps += counters.cnpsSent;
        repeated += counters.retransmittedFrames;
    }
    double goodput = 8.0 * static_cast<double>(bytes) * senders / TimeStep(lastEnd).GetSeconds();
    std::cout << "all done after  " << TimeStep(lastEnd).GetSeconds() * 1e6 << " us, "
              << goodput / 1e9 << " Gb/s of payload\n"
              << "Jain's index    " << sum * sum / (senders * sumOfSquares) << "\n"
              << "pause frames    " << pauses << "\n"
              << "ECN marks       " << marks << ", CNPs " << cnps << "\n"
              << "peak buffer     " << fabricSwitch->GetBuffer()->GetPeakBytes() << " B\n"
              << "dropped frames  "
              << fabricSwitch->GetLosslessDrops() + fabricSwitch->GetLossyDrops() << ", repeated "
              << repeated << std::endl;
    Simulator::Destroy();
    return 0;
}
