// SPDX-License-Identifier: GPL-2.0-only
#include "traffic-matrix.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

TrafficMatrix::TrafficMatrix(Kind kind, uint32_t hosts)
    : m_kind(kind),
      m_hosts(hosts),
      m_next(hosts, 0)
{
    NS_ABORT_MSG_IF(kind == Kind::WEIGHTED, "TrafficMatrix: weights are missing");
    NS_ABORT_MSG_IF(hosts < 2, "TrafficMatrix: there must be at least 2 hosts");
    for (uint32_t host = 0; kind == Kind::PERMUTATION && host < hosts; ++host)
    {
        m_next[host] = (host + 1) % hosts; // until it is drawn
    }
}

TrafficMatrix::TrafficMatrix(const std::vector<std::vector<double>>& weights)
    : m_kind(Kind::WEIGHTED),
      m_hosts(static_cast<uint32_t>(weights.size())),
      m_sums(weights)
{
    const std::string error = CheckWeights(weights);
    NS_ABORT_MSG_UNLESS(error.empty(), "TrafficMatrix: " << error);
    for (std::vector<double>& row : m_sums)
    {
        double sum = 0;
        for (double& cell : row)
        {
            sum += cell;
            cell = sum;
        }
        m_most = std::max(m_most, sum);
    }
}

std::string
TrafficMatrix::CheckWeights(const std::vector<std::vector<double>>& weights)
{
    bool some = false;
    for (size_t row = 0; row < weights.size(); ++row)
    {
        if (weights[row].size() != weights.size())
        {
            return "row " + std::to_string(row) + " has " + std::to_string(weights[row].size()) +
                   " weights, and there are " + std::to_string(weights.size()) + " rows";
        }
        for (double weight : weights[row])
        {
            if (!(weight >= 0) || std::isinf(weight))
            {
                return "row " + std::to_string(row) + " has a weight that is not 0 or more";
            }
            some = some || weight > 0;
        }
        if (weights[row][row] != 0)
        {
            return "row " + std::to_string(row) + " has a weight from the host to itself";
        }
    }
    return weights.size() < 2 ? "there must be at least 2 hosts" : some ? "" : "all weights are 0";
}

void
TrafficMatrix::Draw(Ptr<UniformRandomVariable> random)
{
    if (m_kind != Kind::PERMUTATION)
    {
        return;
    }
    // One cycle through all hosts (Sattolo's shuffle): nobody sends to itself.
    std::vector<uint32_t> order(m_hosts);
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        order[host] = host;
    }
    for (uint32_t last = m_hosts - 1; last > 0; --last)
    {
        std::swap(order[last], order[random->GetInteger(0, last - 1)]);
    }
    m_next = order;
}

double
TrafficMatrix::GetLoadShare(uint32_t source) const
{
    return m_kind == Kind::WEIGHTED ? m_sums[source].back() / m_most : 1;
}

uint32_t
TrafficMatrix::GetDestination(uint32_t source, Ptr<UniformRandomVariable> random)
{
    switch (m_kind)
    {
    case Kind::UNIFORM: {
        const uint32_t other = random->GetInteger(0, m_hosts - 2);
        return other + (other >= source ? 1 : 0);
    }
    case Kind::PERMUTATION:
        return m_next[source];
    case Kind::ALL_TO_ALL:
        return (source + 1 + m_next[source]++ % (m_hosts - 1)) % m_hosts;
    case Kind::WEIGHTED:
        break;
    }
    const std::vector<double>& sums = m_sums[source];
    const double drawn = random->GetValue(0, sums.back());
    const auto found = std::upper_bound(sums.begin(), sums.end(), drawn);
    return static_cast<uint32_t>(found - sums.begin());
}

} // namespace ns3
