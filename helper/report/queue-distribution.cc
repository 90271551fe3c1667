// SPDX-License-Identifier: GPL-2.0-only
#include "queue-distribution.h"

#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

namespace
{

/// Lengths are kept to this many bytes.
constexpr uint64_t LENGTH_CELL_BYTES = 256;

void
WriteQueueRow(std::ostream& out,
              const std::string& port,
              const std::string& peer,
              const TimeWeightedDistribution& lengths,
              const std::vector<double>& percents)
{
    out << port << ',' << peer << ',' << FixedText(lengths.GetShare(0), 6) << ','
        << FixedText(lengths.GetMean(), 1);
    for (double percent : percents)
    {
        out << ',' << lengths.GetPercentile(percent);
    }
    out << ',' << lengths.GetLargest() << '\n';
}

} // namespace

QueueDistribution::QueueDistribution(Time interval)
    : m_interval(interval),
      m_all(LENGTH_CELL_BYTES)
{
}

void
QueueDistribution::AddPort(const ReportedPort& port)
{
    m_ports.push_back({port, TimeWeightedDistribution(LENGTH_CELL_BYTES)});
}

void
QueueDistribution::Start()
{
    Simulator::Schedule(m_interval, &QueueDistribution::Look, this);
}

void
QueueDistribution::Look()
{
    for (SampledPort& port : m_ports)
    {
        const uint64_t bytes = port.reported.port->GetQueuedBytes();
        port.lengths.Add(bytes, m_interval.GetTimeStep());
        m_all.Add(bytes, m_interval.GetTimeStep());
    }
    Simulator::Schedule(m_interval, &QueueDistribution::Look, this);
}

void
QueueDistribution::Write(const ResultsFolder& folder, const std::vector<double>& percents) const
{
    std::ofstream out = folder.Create("queue-distribution.csv");
    out << "port,peer,share_empty,mean_bytes";
    for (double percent : percents)
    {
        std::ostringstream name; // as short as the number is
        name << percent;
        out << ",p" << name.str() << "_bytes";
    }
    out << ",max_bytes\n";
    for (const SampledPort& port : m_ports)
    {
        WriteQueueRow(out, port.reported.name, port.reported.peer, port.lengths, percents);
    }
    WriteQueueRow(out, "all", "", m_all, percents);
}

} // namespace ns3
