// SPDX-License-Identifier: GPL-2.0-only
#include "partition-helper.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

constexpr uint32_t NO_TIER = UINT32_MAX;
constexpr double MOST_IMBALANCE = 1.05; ///< that a better cut may bring
constexpr double GOOD_BALANCE = 1.1;    ///< is not worth a worse cut to improve
constexpr uint32_t MOST_PASSES = 10;

/// Sets of numbers that are joined.
class JoinedSets
{
  public:
    explicit JoinedSets(size_t count)
        : m_parent(count)
    {
        std::iota(m_parent.begin(), m_parent.end(), 0);
    }

    uint32_t Find(uint32_t item)
    {
        while (m_parent[item] != item)
        {
            item = m_parent[item] = m_parent[m_parent[item]];
        }
        return item;
    }

    void Join(uint32_t a, uint32_t b)
    {
        const uint32_t first = Find(a);
        const uint32_t second = Find(b);
        m_parent[std::max(first, second)] = std::min(first, second);
    }

  private:
    std::vector<uint32_t> m_parent;
};

bool
IsHost(const FabricGraph& graph, uint32_t vertex)
{
    return graph.GetVertices()[vertex].role == FabricGraph::Role::HOST;
}

} // namespace

const std::vector<std::string>&
GetPartitionKindNames()
{
    static const std::vector<std::string> names{"pod", "rail", "cut"};
    return names;
}

bool
ParsePartitionKind(const std::string& name, PartitionKind& kind)
{
    const std::vector<std::string>& names = GetPartitionKindNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
    {
        return false;
    }
    kind = static_cast<PartitionKind>(found - names.begin());
    return true;
}

double
FabricPartition::GetImbalance() const
{
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    const double most = loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
    return sum > 0 ? most * static_cast<double>(loads.size()) / sum : 1;
}

PartitionHelper::PartitionHelper(const FabricGraph& graph)
    : m_graph(graph),
      m_loads(graph.GetVertices().size(), 0)
{
    uint64_t fastest = 1;
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        fastest = std::max(fastest, edge.rate.GetBitRate());
    }
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        const double rate =
            static_cast<double>(edge.rate.GetBitRate()) / static_cast<double>(fastest);
        for (uint32_t v : {edge.a, edge.b})
        {
            m_loads[v] += rate * (IsHost(graph, v) ? HOST_PORT_LOAD : 1);
        }
    }
}

void
PartitionHelper::SetLoad(uint32_t vertex, double load)
{
    m_loads.at(vertex) = load;
}

void
PartitionHelper::SetHostsPerDomain(uint32_t hosts)
{
    NS_ABORT_MSG_IF(hosts == 0, "PartitionHelper: a domain has at least one host");
    m_hostsPerDomain = hosts;
}

std::vector<uint32_t>
PartitionHelper::FindTiers() const
{
    // As the builder says; where a file says nothing, by the distance from the hosts.
    const auto& vertices = m_graph.GetVertices();
    std::vector<uint32_t> tiers(vertices.size(), NO_TIER);
    std::vector<std::vector<uint32_t>> neighbours(vertices.size());
    for (const FabricGraph::Edge& edge : m_graph.GetEdges())
    {
        neighbours[edge.a].push_back(edge.b);
        neighbours[edge.b].push_back(edge.a);
    }
    std::vector<uint32_t> queue;
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        if (IsHost(m_graph, v))
        {
            tiers[v] = 0;
            queue.push_back(v);
        }
    }
    for (size_t i = 0; i < queue.size(); ++i)
    {
        for (uint32_t next : neighbours[queue[i]])
        {
            if (tiers[next] == NO_TIER)
            {
                tiers[next] = tiers[queue[i]] + 1;
                queue.push_back(next);
            }
        }
    }
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        tiers[v] = vertices[v].tier > 0 ? vertices[v].tier : tiers[v];
    }
    return tiers;
}

std::vector<uint32_t>
PartitionHelper::FindUnits(PartitionKind kind, std::vector<Unit>& units) const
{
    const auto& vertices = m_graph.GetVertices();
    JoinedSets sets(vertices.size());
    uint32_t hosts = 0;
    uint32_t firstOfDomain = 0;
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        if (IsHost(m_graph, v))
        {
            firstOfDomain = hosts % m_hostsPerDomain == 0 ? v : firstOfDomain;
            sets.Join(firstOfDomain, v);
            ++hosts;
        }
    }
    const std::vector<uint32_t> tiers = FindTiers();
    uint32_t top = 0;
    for (uint32_t tier : tiers)
    {
        top = tier == NO_TIER ? top : std::max(top, tier);
    }
    for (const FabricGraph::Edge& edge : m_graph.GetEdges())
    {
        const bool below = tiers[edge.a] < top && tiers[edge.b] < top;
        const bool switches = !IsHost(m_graph, edge.a) && !IsHost(m_graph, edge.b);
        if (below && (kind == PartitionKind::POD || (kind == PartitionKind::RAIL && switches)))
        {
            sets.Join(edge.a, edge.b);
        }
    }
    std::map<uint32_t, uint32_t> numbers; // of units, by the first vertex
    std::vector<uint32_t> unitOf(vertices.size());
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        const auto [found, isNew] =
            numbers.try_emplace(sets.Find(v), static_cast<uint32_t>(numbers.size()));
        unitOf[v] = found->second;
        if (isNew)
        {
            units.emplace_back();
        }
        units[unitOf[v]].vertices.push_back(v);
        units[unitOf[v]].load += m_loads[v];
    }
    return unitOf;
}

std::vector<uint32_t>
PartitionHelper::SpreadUnits(const std::vector<Unit>& units, uint32_t ranks) const
{
    // Neighbours in the graph's order are mostly neighbours in the fabric: consecutive units with
    // hosts to each rank, and of the others likewise, tier by tier.
    const std::vector<uint32_t> tiers = FindTiers();
    std::map<uint32_t, double> totals; // by tier; 0: with hosts
    std::vector<uint32_t> tierOf;
    for (const Unit& unit : units)
    {
        tierOf.push_back(HasHosts(unit) ? 0 : tiers[unit.vertices.front()]);
        totals[tierOf.back()] += unit.load;
    }
    std::vector<uint32_t> rankOfUnit(units.size(), 0);
    for (const auto& [tier, total] : totals)
    {
        double before = 0;
        for (size_t u = 0; u < units.size(); ++u)
        {
            if (tierOf[u] == tier)
            {
                const double middle = before + units[u].load / 2;
                const double share = total > 0 ? middle / total : 0;
                rankOfUnit[u] =
                    std::min(ranks - 1, static_cast<uint32_t>(share * static_cast<double>(ranks)));
                before += units[u].load;
            }
        }
    }
    return rankOfUnit;
}

void
PartitionHelper::ImproveCut(const std::vector<Unit>& units,
                            const std::vector<uint32_t>& unitOf,
                            uint32_t ranks,
                            std::vector<uint32_t>& rankOfUnit) const
{
    std::vector<std::map<uint32_t, double>> neighbours(units.size()); // rate to each other unit
    for (const FabricGraph::Edge& edge : m_graph.GetEdges())
    {
        const uint32_t a = unitOf[edge.a];
        const uint32_t b = unitOf[edge.b];
        if (a != b)
        {
            neighbours[a][b] += static_cast<double>(edge.rate.GetBitRate());
            neighbours[b][a] += static_cast<double>(edge.rate.GetBitRate());
        }
    }
    std::vector<double> loads(ranks, 0);
    double total = 0;
    for (size_t u = 0; u < units.size(); ++u)
    {
        loads[rankOfUnit[u]] += units[u].load;
        total += units[u].load;
    }
    const double most =
        std::max(MOST_IMBALANCE * total / ranks, *std::max_element(loads.begin(), loads.end()));
    auto ratesOf = [&](size_t u) {
        std::vector<double> towards(ranks, 0); // rate of its links to each process
        for (const auto& [other, rate] : neighbours[u])
        {
            towards[rankOfUnit[other]] += rate;
        }
        return towards;
    };
    // Gives u to another process, which gives it one of its own.
    auto swap = [&](size_t u) {
        const std::vector<double> towards = ratesOf(u);
        const uint32_t own = rankOfUnit[u];
        const auto to = static_cast<uint32_t>(std::max_element(towards.begin(), towards.end()) -
                                              towards.begin());
        const double gain = towards[to] - towards[own];
        for (size_t v = 0; gain > 0 && v < units.size(); ++v)
        {
            const double more = units[v].load - units[u].load; // for the process of u
            if (rankOfUnit[v] != to || loads[own] + more > most || loads[to] - more > most)
            {
                continue;
            }
            const std::vector<double> back = ratesOf(v);
            const auto between = neighbours[u].find(static_cast<uint32_t>(v));
            const double joined = between != neighbours[u].end() ? between->second : 0;
            if (gain + back[own] - back[to] - 2 * joined > 0)
            {
                loads[own] += more;
                loads[to] -= more;
                std::swap(rankOfUnit[u], rankOfUnit[v]);
                return true;
            }
        }
        return false;
    };
    bool moved = true;
    for (uint32_t pass = 0; moved && pass < MOST_PASSES; ++pass)
    {
        moved = false;
        for (size_t u = 0; u < units.size(); ++u)
        {
            const std::vector<double> towards = ratesOf(u);
            const uint32_t own = rankOfUnit[u];
            uint32_t best = own;
            for (uint32_t r = 0; r < ranks; ++r)
            {
                const bool fits = loads[r] + units[u].load <= most;
                const bool isBetter =
                    towards[r] > towards[best] ||
                    (towards[r] == towards[best] && loads[r] + units[u].load < loads[best]);
                best = r != own && fits && isBetter ? r : best;
            }
            if (best != own && loads[own] > units[u].load)
            {
                loads[own] -= units[u].load;
                loads[best] += units[u].load;
                rankOfUnit[u] = best;
                moved = true;
            }
            else
            {
                moved = swap(u) || moved;
            }
        }
    }
}

FabricPartition
PartitionHelper::Divide(PartitionKind kind, uint32_t ranks, std::string& error) const
{
    error.clear();
    FabricPartition partition;
    partition.loads.assign(ranks, 0);
    std::vector<Unit> units;
    const std::vector<uint32_t> unitOf = FindUnits(kind, units);
    std::vector<uint32_t> rankOfUnit =
        kind == PartitionKind::CUT ? FindCut(units, unitOf, ranks) : SpreadUnits(units, ranks);
    for (uint32_t unit : unitOf)
    {
        partition.rankOfVertex.push_back(rankOfUnit[unit]);
    }
    Evaluate(partition, error);
    const auto parts = std::count_if(units.begin(), units.end(), [this](const Unit& unit) {
        return HasHosts(unit);
    });
    if (static_cast<size_t>(parts) < ranks)
    {
        error = "the fabric has " + std::to_string(parts) + " parts of this kind for " +
                std::to_string(ranks) + " processes";
    }
    return partition;
}

bool
PartitionHelper::HasHosts(const Unit& unit) const
{
    return std::any_of(unit.vertices.begin(), unit.vertices.end(), [this](uint32_t v) {
        return IsHost(m_graph, v);
    });
}

std::vector<uint32_t>
PartitionHelper::FindCut(const std::vector<Unit>& units,
                         const std::vector<uint32_t>& unitOf,
                         uint32_t ranks) const
{
    std::vector<uint32_t> best;
    std::pair<double, double> bestScore;
    for (PartitionKind begin : {PartitionKind::POD, PartitionKind::RAIL, PartitionKind::CUT})
    {
        std::vector<Unit> parts;
        const std::vector<uint32_t> partOf = FindUnits(begin, parts);
        const std::vector<uint32_t> rankOfPart = SpreadUnits(parts, ranks);
        std::vector<uint32_t> rankOfUnit(units.size());
        for (uint32_t v = 0; v < unitOf.size(); ++v)
        {
            rankOfUnit[unitOf[v]] = rankOfPart[partOf[v]];
        }
        ImproveCut(units, unitOf, ranks, rankOfUnit);
        FabricPartition partition;
        partition.loads.assign(ranks, 0);
        for (size_t u = 0; u < units.size(); ++u)
        {
            partition.loads[rankOfUnit[u]] += units[u].load;
        }
        double cutRate = 0;
        for (const FabricGraph::Edge& edge : m_graph.GetEdges())
        {
            const bool cut = rankOfUnit[unitOf[edge.a]] != rankOfUnit[unitOf[edge.b]];
            cutRate += cut ? static_cast<double>(edge.rate.GetBitRate()) : 0;
        }
        const std::pair<double, double> score{std::max(partition.GetImbalance(), GOOD_BALANCE),
                                              cutRate};
        if (best.empty() || score < bestScore)
        {
            best = rankOfUnit;
            bestScore = score;
        }
    }
    return best;
}

void
PartitionHelper::Evaluate(FabricPartition& partition, std::string& error) const
{
    for (uint32_t v = 0; v < partition.rankOfVertex.size(); ++v)
    {
        partition.loads[partition.rankOfVertex[v]] += m_loads[v];
    }
    const auto& vertices = m_graph.GetVertices();
    for (const FabricGraph::Edge& edge : m_graph.GetEdges())
    {
        if (partition.rankOfVertex[edge.a] == partition.rankOfVertex[edge.b])
        {
            continue;
        }
        ++partition.cutLinks;
        partition.lookahead = std::min(partition.lookahead, edge.delay);
        const std::string name =
            "the link of " + vertices[edge.a].name + " and " + vertices[edge.b].name;
        if (!edge.delay.IsStrictlyPositive())
        {
            error = name + " would be cut, but has no delay, which is how far one process may be "
                           "ahead of another";
        }
        else if (edge.lossRate > 0)
        {
            error = name + " would be cut, but loses frames: both ends would have to know which";
        }
    }
}

} // namespace ns3
