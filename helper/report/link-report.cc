// SPDX-License-Identifier: GPL-2.0-only
#include "link-report.h"

#include "results-folder.h"

#include <algorithm>

namespace ns3
{

namespace
{

double
Share(double part, int64_t whole)
{
    return whole > 0 ? part / static_cast<double>(whole) : 0;
}

/// @param port some @param byCredits of the classes that go by credits, or of the others
/// @return how long flow control has held them
int64_t
HeldSteps(const FabricNetDevice& port, bool byCredits)
{
    int64_t total = 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        bool credits = port.GetCreditClasses() & (1U << c);
        total += credits == byCredits ? port.PausedSteps(c, NowSteps()) : 0;
    }
    return total;
}

} // namespace

void
WriteLinkReport(std::ostream& out, const std::vector<ReportedPort>& ports, int64_t elapsed)
{
    out << "port,peer,rate_gbps,tx_frames,tx_bytes,tx_payload_bytes,utilization,peak_queue_bytes,"
           "mean_queue_bytes,ecn_marks,pauses_sent,pauses_received,paused_us,drops,lost_frames,"
           "credit_stall_us\n";
    for (const ReportedPort& reported : ports)
    {
        const PortCounters& counters = reported.port->GetCounters();
        out << reported.name << ',' << reported.peer << ','
            << FixedText(static_cast<double>(reported.port->GetDataRate().GetBitRate()) / 1e9, 3)
            << ',' << counters.txFrames << ',' << counters.txBytes << ',' << counters.txPayloadBytes
            << ',' << FixedText(Share(static_cast<double>(counters.busySteps), elapsed), 6) << ','
            << counters.peakQueueBytes << ','
            << FixedText(Share(counters.queueByteSteps, elapsed), 1) << ',' << counters.ecnMarks
            << ',' << counters.pausesSent << ',' << counters.pausesReceived << ','
            << MicrosecondText(HeldSteps(*reported.port, false)) << ',' << counters.droppedFrames
            << ',' << counters.lostFrames << ',' << MicrosecondText(HeldSteps(*reported.port, true))
            << '\n';
    }
}

FabricTotals
AddUpPorts(const std::vector<ReportedPort>& ports, int64_t elapsed)
{
    FabricTotals totals;
    for (const ReportedPort& reported : ports)
    {
        const PortCounters& counters = reported.port->GetCounters();
        totals.frames += counters.rxFrames;
        totals.payloadBytes += counters.txPayloadBytes;
        totals.ecnMarks += counters.ecnMarks;
        totals.pauses += counters.pausesSent;
        totals.pausedSteps += HeldSteps(*reported.port, false);
        totals.drops += counters.droppedFrames;
        totals.lost += counters.lostFrames;
        totals.peakQueueBytes = std::max(totals.peakQueueBytes, counters.peakQueueBytes);
        double utilization = Share(static_cast<double>(counters.busySteps), elapsed);
        if (utilization > totals.hottestUtilization)
        {
            totals.hottestUtilization = utilization;
            totals.hottest = reported.name + " -> " + reported.peer;
        }
    }
    return totals;
}

} // namespace ns3
