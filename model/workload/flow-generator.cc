// SPDX-License-Identifier: GPL-2.0-only
#include "flow-generator.h"

#include "ns3/abort.h"

#include <cmath>
#include <numeric>

namespace ns3
{

namespace
{

constexpr double BITS_PER_BYTE = 8;

/// Time steps of a second.
double
StepsPerSecond()
{
    return static_cast<double>(Seconds(1).GetTimeStep());
}

/// @param time steps @return as a whole number; what is beyond all simulated time: never
int64_t
WholeSteps(double time)
{
    constexpr double NEVER = 9e18;
    return time < NEVER ? std::llround(time) : INT64_MAX;
}

/// @param now time steps @param interval time steps @return the sum; never stays never
int64_t
Later(int64_t now, int64_t interval)
{
    return interval > INT64_MAX - now ? INT64_MAX : now + interval;
}

} // namespace

FlowGenerator::FlowGenerator(const FlowGeneratorParameters& parameters)
    : m_parameters(parameters),
      m_sizes(CreateObject<UniformRandomVariable>()),
      m_destinations(CreateObject<UniformRandomVariable>()),
      m_intervals(CreateObject<ExponentialRandomVariable>()),
      m_states(CreateObject<UniformRandomVariable>()),
      m_incastIntervals(CreateObject<ExponentialRandomVariable>()),
      m_incastHosts(CreateObject<UniformRandomVariable>())
{
    const std::string error = Check(parameters);
    NS_ABORT_MSG_UNLESS(error.empty(), "FlowGenerator: " << error);
    const LoadOverhead& overhead = m_parameters.overhead;
    m_meanLoadBytes = m_parameters.sizes.GetMeanBytes() + overhead.flowBytes;
    if (overhead.frameBytes > 0)
    {
        m_meanLoadBytes += m_parameters.sizes.GetMeanFrames(overhead.mtu) * overhead.frameBytes;
    }
}

std::string
FlowGenerator::Check(const FlowGeneratorParameters& parameters)
{
    const size_t hosts = parameters.hostRateBps.size();
    if (hosts < 2 || hosts != parameters.matrix.GetHosts())
    {
        return "there are " + std::to_string(hosts) + " hosts, and the traffic matrix has " +
               std::to_string(parameters.matrix.GetHosts());
    }
    if (parameters.duration.IsZero() && parameters.flows == 0)
    {
        return "neither a duration nor a number of flows says when it ends";
    }
    if (!(parameters.load > 0) && !parameters.incast)
    {
        return "without a load there is nothing to do";
    }
    if (parameters.overhead.frameBytes > 0 && parameters.overhead.mtu == 0)
    {
        return "headers count as load, and no MTU says how many there are";
    }
    if (parameters.incast)
    {
        const IncastPattern& incast = *parameters.incast;
        if (incast.senders < 1 || incast.senders >= hosts)
        {
            return std::to_string(incast.senders) + " senders cannot send to one of " +
                   std::to_string(hosts) + " hosts";
        }
        if (incast.bytes == 0 || !(incast.load > 0))
        {
            return "an incast has bytes and a load";
        }
        if (incast.receiver && *incast.receiver >= hosts)
        {
            return "the incast's receiver is no host";
        }
    }
    return "";
}

int64_t
FlowGenerator::AssignStreams(int64_t stream)
{
    const int64_t first = stream;
    m_sizes->SetStream(stream++);
    m_destinations->SetStream(stream++);
    m_intervals->SetStream(stream++);
    m_states->SetStream(stream++);
    m_incastIntervals->SetStream(stream++);
    m_incastHosts->SetStream(stream++);
    return stream - first;
}

void
FlowGenerator::Start()
{
    m_started = true;
    m_parameters.matrix.Draw(m_destinations);
    const auto hosts = static_cast<uint32_t>(m_parameters.hostRateBps.size());
    m_onUntil.assign(hosts, 0);
    for (uint32_t host = 0; host < hosts && m_parameters.load > 0; ++host)
    {
        if (m_parameters.matrix.GetLoadShare(host) > 0)
        {
            if (m_parameters.onOff)
            {
                // As if it had run for ever: the state by its share of time.
                const double on = m_parameters.onOff->on.GetDouble();
                const double off = m_parameters.onOff->off.GetDouble();
                const bool isOn = m_states->GetValue(0, 1) < on / (on + off);
                m_onUntil[host] = isOn ? WholeSteps(m_intervals->GetValue(on, 0)) : 0;
            }
            m_arrivals.push({NextArrival(host, 0), host});
        }
    }
    if (m_parameters.incast)
    {
        const IncastPattern& incast = *m_parameters.incast;
        double capacity = 0;
        for (uint64_t rate : m_parameters.hostRateBps)
        {
            capacity += static_cast<double>(rate);
        }
        const LoadOverhead& overhead = m_parameters.overhead;
        double bytes = static_cast<double>(incast.bytes) + overhead.flowBytes;
        if (overhead.frameBytes > 0)
        {
            bytes +=
                std::ceil(static_cast<double>(incast.bytes) / overhead.mtu) * overhead.frameBytes;
        }
        m_incastIntervalSteps =
            bytes * incast.senders * BITS_PER_BYTE / (incast.load * capacity) * StepsPerSecond();
        m_nextIncast = WholeSteps(m_incastIntervals->GetValue(m_incastIntervalSteps, 0));
    }
}

double
FlowGenerator::MeanIntervalSteps(uint32_t source) const
{
    const double rate = static_cast<double>(m_parameters.hostRateBps[source]) * m_parameters.load *
                        m_parameters.matrix.GetLoadShare(source);
    return m_meanLoadBytes * BITS_PER_BYTE / rate * StepsPerSecond();
}

int64_t
FlowGenerator::NextArrival(uint32_t source, int64_t now)
{
    if (m_parameters.onOff)
    {
        return NextOnOffArrival(source, now);
    }
    return Later(now, WholeSteps(m_intervals->GetValue(MeanIntervalSteps(source), 0)));
}

int64_t
FlowGenerator::NextOnOffArrival(uint32_t source, int64_t now)
{
    const double on = m_parameters.onOff->on.GetDouble();
    const double off = m_parameters.onOff->off.GetDouble();
    const double mean = MeanIntervalSteps(source) * on / (on + off);
    // What is left of an interval when an on-time ends goes on in the next one: arrivals forget.
    int64_t left = WholeSteps(m_intervals->GetValue(mean, 0));
    while (left != INT64_MAX && Later(now, left) > m_onUntil[source])
    {
        if (m_onUntil[source] > now)
        {
            left -= m_onUntil[source] - now;
            now = m_onUntil[source];
        }
        now = Later(now, WholeSteps(m_intervals->GetValue(off, 0)));
        m_onUntil[source] = Later(now, WholeSteps(m_intervals->GetValue(on, 0)));
    }
    return Later(now, left);
}

void
FlowGenerator::StartIncast()
{
    const IncastPattern& incast = *m_parameters.incast;
    const auto hosts = static_cast<uint32_t>(m_parameters.hostRateBps.size());
    const uint32_t receiver =
        incast.receiver ? *incast.receiver : m_incastHosts->GetInteger(0, hosts - 1);
    std::vector<uint32_t> others(hosts);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + receiver);
    for (uint32_t s = 0; s < incast.senders; ++s)
    {
        std::swap(others[s], others[m_incastHosts->GetInteger(s, hosts - 2)]);
        m_incast.push({others[s], receiver, incast.bytes, m_nextIncast, true});
    }
    m_nextIncast =
        Later(m_nextIncast, WholeSteps(m_incastIntervals->GetValue(m_incastIntervalSteps, 0)));
}

bool
FlowGenerator::Next(GeneratedFlow& flow)
{
    if (!m_started)
    {
        Start();
    }
    const int64_t background = m_arrivals.empty() ? INT64_MAX : m_arrivals.top().first;
    if (m_incast.empty() && m_nextIncast < background)
    {
        StartIncast();
    }
    const bool isIncast = !m_incast.empty() && m_incast.front().start <= background;
    const int64_t start = isIncast ? m_incast.front().start : background;
    const int64_t end =
        m_parameters.duration.IsZero() ? INT64_MAX : m_parameters.duration.GetTimeStep();
    if (start >= end || (m_parameters.flows > 0 && m_count >= m_parameters.flows))
    {
        return false;
    }
    if (isIncast)
    {
        flow = m_incast.front();
        m_incast.pop();
    }
    else
    {
        const uint32_t source = m_arrivals.top().second;
        m_arrivals.pop();
        m_arrivals.push({NextArrival(source, start), source});
        flow = {source,
                m_parameters.matrix.GetDestination(source, m_destinations),
                m_parameters.sizes.GetSize(m_sizes->GetValue(0, 1)),
                start,
                false};
    }
    ++m_count;
    return true;
}

} // namespace ns3
