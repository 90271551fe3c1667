// SPDX-License-Identifier: GPL-2.0-only
#include "collective-costs.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveCosts);

namespace
{

constexpr uint64_t GBYTES = 8'000'000'000; // bits

} // namespace

TypeId
CollectiveCosts::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveCosts")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<CollectiveCosts>()
            .AddAttribute("LaunchLatency",
                          "From the moment at which a rank's stream comes to a collective until "
                          "its first step: launch of the kernel, and what it does before and "
                          "after. The default is the base latency that NCCL's tuning assumes for "
                          "a ring with protocol LL.",
                          TimeValue(NanoSeconds(6600)),
                          MakeTimeAccessor(&CollectiveCosts::m_launchLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Ll128Launch",
                          "What it takes longer with LL128. NCCL's tuning: 14.0 us in all.",
                          TimeValue(NanoSeconds(7400)),
                          MakeTimeAccessor(&CollectiveCosts::m_ll128Launch),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleLaunch",
                          "What it takes longer with Simple. NCCL's tuning: 8.4 us in all.",
                          TimeValue(NanoSeconds(1800)),
                          MakeTimeAccessor(&CollectiveCosts::m_simpleLaunch),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchLaunch",
                          "What it takes longer still where the switch adds up or copies (NVLS). "
                          "NCCL's tuning: 25 us for all but the data.",
                          TimeValue(NanoSeconds(12000)),
                          MakeTimeAccessor(&CollectiveCosts::m_switchLaunch),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchNetworkLaunch",
                          "In place of SwitchLaunch where the program goes by the network, too "
                          "(NVLS tree).",
                          TimeValue(NanoSeconds(12000)),
                          MakeTimeAccessor(&CollectiveCosts::m_switchNetworkLaunch),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SlotReturn",
                          "From the end of work on a message until its sender knows that the slot "
                          "is free (scale-up; over the network a write tells it).",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&CollectiveCosts::m_slotReturn),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ProxyPost",
                          "From the end of work on a message for the network until the host's "
                          "proxy has seen and posted it. NCCL's tuning assumes 1 us (Intel) or 2 "
                          "us (AMD) for each message.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&CollectiveCosts::m_proxyPost),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ProxyWork",
                          "For how long a rank's proxy is busy with a message that it posts, or "
                          "that has come: it serves all connections of the rank one after the "
                          "other.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_proxyWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AdaptiveRouting",
                          "On InfiniBand NCCL sends what is longer than AdaptiveRoutingThreshold, "
                          "and what it sends for several GPUs by one NIC (PXN), as WRITEs and an "
                          "empty WRITE with immediate (net_ib.cc). The NIC holds the last, and "
                          "what follows it on the queue pair, until the packets before it, which "
                          "may overtake each other, are acknowledged: each such message costs a "
                          "round trip.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CollectiveCosts::m_adaptiveRouting),
                          MakeBooleanChecker())
            .AddAttribute("AdaptiveRoutingThreshold",
                          "Bytes on the wire up to which a message goes in one piece "
                          "(NCCL_IB_AR_THRESHOLD).",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&CollectiveCosts::m_adaptiveRoutingThreshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AdaptiveRoutingWait",
                          "From the acknowledgement of such a WRITE until its immediate goes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_adaptiveRoutingWait),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LlStep",
                          "From the arrival of an LL message by scale-up links until the thread "
                          "goes on. NCCL's tuning has 0.6 us for a whole step of a ring.",
                          TimeValue(NanoSeconds(200)),
                          MakeTimeAccessor(&CollectiveCosts::m_llStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LlNetworkStep",
                          "Likewise by the network (proxies at both ends besides ProxyPost).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&CollectiveCosts::m_llNetworkStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LlRound",
                          "Bytes of LL data that a thread block moves at once: those of the first "
                          "round of a step are part of its latency (512 threads have 8 B each, "
                          "but not all arrive together).",
                          UintegerValue(2048),
                          MakeUintegerAccessor(&CollectiveCosts::m_llRound),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LlThreadRate",
                          "Data that a thread block moves by LL, beyond the first round.",
                          DataRateValue(DataRate(9 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_llThreadRate),
                          MakeDataRateChecker())
            .AddAttribute("LlNetworkRate",
                          "Data that a thread block moves by LL to or from the network: its "
                          "buffers are in the host's memory.",
                          DataRateValue(DataRate(3 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_llNetworkRate),
                          MakeDataRateChecker())
            .AddAttribute("Ll128Step",
                          "From the arrival of an LL128 message by scale-up links until the thread "
                          "goes on. NCCL's tuning has 1.9 us for a whole step of a ring.",
                          TimeValue(NanoSeconds(600)),
                          MakeTimeAccessor(&CollectiveCosts::m_ll128Step),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Ll128NetworkStep",
                          "Likewise by the network.",
                          TimeValue(MicroSeconds(2)),
                          MakeTimeAccessor(&CollectiveCosts::m_ll128NetworkStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Ll128ThreadRate",
                          "Data that a thread block moves by LL128.",
                          DataRateValue(DataRate(40 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_ll128ThreadRate),
                          MakeDataRateChecker())
            .AddAttribute("Ll128NetworkRate",
                          "Likewise to or from the network.",
                          DataRateValue(DataRate(20 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_ll128NetworkRate),
                          MakeDataRateChecker())
            .AddAttribute("Ll128StepWork",
                          "What a thread works on an LL128 step besides its bytes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_ll128StepWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleStepWork",
                          "What a thread works on a Simple step besides its bytes: barriers, and "
                          "the fence that waits until the other GPU's memory has all of them. It "
                          "does not keep the other threads of the block from copying.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_simpleStepWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleNetworkStepWork",
                          "Likewise by the network: the buffers are in the GPU's own memory. What "
                          "comes by the network and goes on to another GPU takes both.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_simpleNetworkStepWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchStepWork",
                          "Likewise on a step of a program that uses the switch.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_switchStepWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchNetworkStepWork",
                          "In place of SwitchStepWork where the program goes by the network, too.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_switchNetworkStepWork),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleStep",
                          "From the arrival of a Simple message by scale-up links until the thread "
                          "goes on: fence, flag, polling, barrier. NCCL's tuning has 3.4 us for a "
                          "whole step of a ring.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&CollectiveCosts::m_simpleStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleNetworkStep",
                          "Likewise by the network: the host's proxy sees the completion, flushes "
                          "and tells the kernel. NCCL's tuning has 14 us for a whole step.",
                          TimeValue(MicroSeconds(3)),
                          MakeTimeAccessor(&CollectiveCosts::m_simpleNetworkStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SimpleThreadRate",
                          "Data that a thread block moves by Simple.",
                          DataRateValue(DataRate(100 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_simpleThreadRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "SimpleBlockRate",
                "What the threads of a block (sends and receives, ways of a tree) move by "
                "Simple together, each with its share of the warps, where each alone has "
                "SimpleThreadRate; no less than that.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&CollectiveCosts::m_simpleBlockRate),
                MakeDataRateChecker())
            .AddAttribute("SimpleNetworkRate",
                          "Likewise to or from the network.",
                          DataRateValue(DataRate(100 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_simpleNetworkRate),
                          MakeDataRateChecker())
            .AddAttribute("SimpleNetworkBlockRate",
                          "What the threads of a block (sends and receives of several peers) move "
                          "together to or from the network, where each alone has "
                          "SimpleNetworkRate; no less than that.",
                          DataRateValue(DataRate(100 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_simpleNetworkBlockRate),
                          MakeDataRateChecker())
            .AddAttribute("MoreAccesses",
                          "What a thread block takes longer with Simple for each buffer beyond one "
                          "that it reads and one that it writes (a sum reads two, a copy that is "
                          "passed on is written twice), as a share of the time of its bytes.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&CollectiveCosts::m_moreAccesses),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("DirectReceive",
                          "The ranks of a server are in one process: with Simple a sender writes "
                          "straight into the receiver's output, which need not copy it there.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CollectiveCosts::m_directReceive),
                          MakeBooleanChecker())
            .AddAttribute(
                "DirectSends",
                "Likewise of sends and receives alone, and whole, without chunks, as with "
                "registered buffers; those of an all-to-all, gather or scatter are copied.",
                BooleanValue(false),
                MakeBooleanAccessor(&CollectiveCosts::m_directSends),
                MakeBooleanChecker())
            .AddAttribute("ReductionStep",
                          "From the arrival of a sum that the switch made until the thread goes "
                          "on (NVLS).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&CollectiveCosts::m_reductionStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MulticastStep",
                          "From the arrival of a multicast message until the thread goes on.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&CollectiveCosts::m_multicastStep),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LocalThreadRate",
                          "Data that a thread block copies within the GPU's memory.",
                          DataRateValue(DataRate(150 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_localThreadRate),
                          MakeDataRateChecker())
            .AddAttribute("SwitchThreadRate",
                          "Data that all warps of a thread block together move into and out of "
                          "the switch's buffers, and pass on from there. NCCL gives each role of a "
                          "block some of its 20 warps (src/device/all_reduce.h).",
                          DataRateValue(DataRate(100 * GBYTES)),
                          MakeDataRateAccessor(&CollectiveCosts::m_switchThreadRate),
                          MakeDataRateChecker());
    return tid;
}

Time
CollectiveCosts::GetLaunchLatency(CollectiveProtocol protocol, ProgramKind kind) const
{
    Time launch = m_launchLatency;
    launch += protocol == CollectiveProtocol::LL128    ? m_ll128Launch
              : protocol == CollectiveProtocol::SIMPLE ? m_simpleLaunch
                                                       : Time(0);
    return launch + (kind == ProgramKind::SWITCH               ? m_switchLaunch
                     : kind == ProgramKind::SWITCH_AND_NETWORK ? m_switchNetworkLaunch
                                                               : Time(0));
}

int64_t
CollectiveCosts::GetStepOverhead(CollectiveProtocol protocol, MessageWay way, bool network) const
{
    if (way == MessageWay::REDUCTION)
    {
        return m_reductionStep.GetTimeStep();
    }
    if (way == MessageWay::MULTICAST)
    {
        return m_multicastStep.GetTimeStep();
    }
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return (network ? m_llNetworkStep : m_llStep).GetTimeStep();
    case CollectiveProtocol::LL128:
        return (network ? m_ll128NetworkStep : m_ll128Step).GetTimeStep();
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return (network ? m_simpleNetworkStep : m_simpleStep).GetTimeStep();
}

int64_t
CollectiveCosts::GetWork(const ProgramStep& step, const Workplace& place) const
{
    const bool bySwitch = (step.send.way == MessageWay::REDUCTION && !step.receive) ||
                          (step.receive.way == MessageWay::MULTICAST && !step.send);
    if (bySwitch)
    {
        return 0;
    }
    if (place.kind == ProgramKind::SWITCH || place.kind == ProgramKind::SWITCH_AND_NETWORK)
    {
        return GetSwitchWork(step, place);
    }
    const double shared = place.slowdown * place.working;
    if (!step.send && !step.receive)
    {
        return GetWorkOf(step.bytes, m_localThreadRate, shared);
    }
    const DataRate& rate = GetThreadRate(place.protocol, place.network);
    switch (place.protocol)
    {
    case CollectiveProtocol::LL:
        return GetWorkOf(step.bytes - (place.network ? 0 : std::min(step.bytes, m_llRound)),
                         rate,
                         shared);
    case CollectiveProtocol::LL128:
        return m_ll128StepWork.GetTimeStep() + GetWorkOf(step.bytes, rate, shared);
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return GetSimpleWork(step, place);
}

int64_t
CollectiveCosts::GetSwitchWork(const ProgramStep& step, const Workplace& place) const
{
    const Time& ofStep =
        place.kind == ProgramKind::SWITCH ? m_switchStepWork : m_switchNetworkStepWork;
    return ofStep.GetTimeStep() +
           GetWorkOf(step.bytes, m_switchThreadRate, place.slowdown / place.share);
}

int64_t
CollectiveCosts::GetSimpleWork(const ProgramStep& step, const Workplace& place) const
{
    const bool whole = m_directSends && !place.network && place.kind == ProgramKind::SEND_RECEIVE;
    const bool direct = (whole || m_directReceive) && !place.network && step.receive &&
                        !step.source && !step.accumulates;
    if (direct && !step.send)
    {
        return 0; // a flag to wait for
    }
    // What is sent as a whole has no chunk to end with a fence (src/device/sendrecv.h at
    // v2.28.9-1: useLargeChunk).
    const int64_t ofNetwork = place.network ? m_simpleNetworkStepWork.GetTimeStep() : 0;
    const int64_t ofPeer =
        !whole && (!place.network || place.writesPeer) ? m_simpleStepWork.GetTimeStep() : 0;
    const double slowdown = place.slowdown * (1 + m_moreAccesses * CountMoreAccesses(step, direct));
    const DataRate& rate = GetThreadRate(CollectiveProtocol::SIMPLE, place.network);
    const DataRate& ofBlock =
        std::max(rate, place.network ? m_simpleNetworkBlockRate : m_simpleBlockRate);
    // Fences of one thread go on while the others copy.
    return std::max(ofNetwork + ofPeer + GetWorkOf(step.bytes, rate, slowdown),
                    GetWorkOf(step.bytes, ofBlock, slowdown * CountParts(step, place, whole)));
}

double
CollectiveCosts::CountParts(const ProgramStep& step, const Workplace& place, bool whole)
{
    const bool transfers =
        place.kind == ProgramKind::SEND_RECEIVE || place.kind == ProgramKind::EXCHANGE;
    if (place.network || !transfers)
    {
        return 1 / place.share; // threads keep their warps while others wait
    }
    // Sends have half of the warps; what comes is copied within the GPU as fast as by all of them.
    // Where nothing is copied, all threads at work send.
    const uint32_t sends = whole ? 2 * place.working : std::max(2U, place.working);
    return step.send ? sends : place.working;
}

int
CollectiveCosts::CountMoreAccesses(const ProgramStep& step, bool direct)
{
    int accesses = (step.receive ? 1 : 0) + (step.source ? 1 : 0) +
                   (step.destination && !direct ? 1 : 0) + (step.send ? 1 : 0);
    return std::max(0, accesses - 2);
}

const DataRate&
CollectiveCosts::GetThreadRate(CollectiveProtocol protocol, bool network) const
{
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return network ? m_llNetworkRate : m_llThreadRate;
    case CollectiveProtocol::LL128:
        return network ? m_ll128NetworkRate : m_ll128ThreadRate;
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return network ? m_simpleNetworkRate : m_simpleThreadRate;
}

int64_t
CollectiveCosts::GetWorkOf(uint64_t bytes, const DataRate& rate, double slowdown)
{
    double seconds = 8 * static_cast<double>(bytes) / static_cast<double>(rate.GetBitRate());
    auto stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    return std::llround(seconds * stepsPerSecond * slowdown);
}

} // namespace ns3
