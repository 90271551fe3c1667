// SPDX-License-Identifier: GPL-2.0-only
#include "time-series.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

TimeSeries::TimeSeries(const ResultsFolder& folder, Time interval)
    : m_interval(interval),
      m_rates(folder.Create("rates.csv")),
      m_queues(folder.Create("queues.csv"))
{
    m_rates << "time_us,flow,source,destination,goodput_gbps,rate_gbps,window_bytes\n";
    m_queues << "time_us,port,peer,queue_bytes\n";
}

void
TimeSeries::AddPort(const ReportedPort& port)
{
    m_ports.push_back({port});
}

void
TimeSeries::AddFlow(uint64_t id,
                    const std::string& source,
                    const std::string& destination,
                    Ptr<QueuePair> sender,
                    uint64_t bytes)
{
    const uint64_t firstPsn = sender->GetRequester().GetWindow().acked;
    m_flows.push_back({id, source, destination, sender, bytes, firstPsn});
}

void
TimeSeries::Start()
{
    m_last = NowSteps();
    Simulator::Schedule(m_interval, &TimeSeries::Look, this);
}

void
TimeSeries::Finish()
{
    if (NowSteps() > m_last)
    {
        Sample();
    }
}

void
TimeSeries::Look()
{
    Sample();
    Simulator::Schedule(m_interval, &TimeSeries::Look, this);
}

void
TimeSeries::Sample()
{
    const int64_t now = NowSteps();
    for (SampledFlow& flow : m_flows)
    {
        SampleFlow(flow, now);
    }
    for (SampledPort& port : m_ports)
    {
        if (!port.used && port.reported.port->GetQueuedBytes() > 0)
        {
            port.used = true;
            WriteQueue(port, m_last, 0);
        }
    }
    for (const SampledPort& port : m_ports)
    {
        if (port.used)
        {
            WriteQueue(port, now, port.reported.port->GetQueuedBytes());
        }
    }
    m_last = now;
}

void
TimeSeries::WriteQueue(const SampledPort& port, int64_t time, uint64_t bytes)
{
    m_queues << MicrosecondText(time) << ',' << port.reported.name << ',' << port.reported.peer
             << ',' << bytes << '\n';
}

void
TimeSeries::SampleFlow(SampledFlow& flow, int64_t now)
{
    // Frames are full but the last ones of messages, which the flow's length sets right.
    const uint64_t frames = flow.sender->GetRequester().GetWindow().acked - flow.firstPsn;
    const uint64_t acked = std::min(flow.bytes, frames * flow.sender->GetMtu());
    const bool busy = flow.sender->GetRequester().GetOutstanding() > 0;
    if (!busy && acked == flow.ackedBytes)
    {
        return;
    }
    constexpr double STEPS_PER_NS = 1000; // a bit a nanosecond is a Gb/s
    const double bits = 8 * static_cast<double>(acked - flow.ackedBytes);
    const double nanoseconds = static_cast<double>(now - m_last) / STEPS_PER_NS;
    const RdmaRateState& state = flow.sender->GetPacer().GetState();
    m_rates << MicrosecondText(now) << ',' << flow.id << ',' << flow.source << ','
            << flow.destination << ',' << FixedText(bits / nanoseconds, 4) << ','
            << FixedText(state.rateBps / 1e9, 4) << ',' << state.windowBytes << '\n';
    flow.ackedBytes = acked;
}

} // namespace ns3
