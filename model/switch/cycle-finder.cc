// SPDX-License-Identifier: GPL-2.0-only
#include "cycle-finder.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX;

using Graph = std::vector<std::vector<uint32_t>>;

/// Strongly connected components.
class Components
{
  public:
    explicit Components(const Graph& successors)
        : componentOf(successors.size(), NONE),
          m_successors(successors),
          m_number(successors.size(), NONE),
          m_low(successors.size(), NONE)
    {
        for (uint32_t node = 0; node < successors.size(); ++node)
        {
            if (m_number[node] == NONE)
            {
                VisitFrom(node);
            }
        }
    }

    std::vector<uint32_t> componentOf;          ///< by node
    std::vector<std::vector<uint32_t>> members; ///< by component, ascending

  private:
    /// A node on the way of the depth-first search.
    struct Visit
    {
        uint32_t node;
        size_t next; ///< which of its successors
    };

    void Enter(uint32_t node)
    {
        m_number[node] = m_low[node] = m_count++;
        m_open.push_back(node);
        m_way.push_back({node, 0});
    }

    void VisitFrom(uint32_t start)
    {
        Enter(start);
        while (!m_way.empty())
        {
            auto& [node, next] = m_way.back();
            if (next == m_successors[node].size())
            {
                Leave(node);
                continue;
            }
            uint32_t successor = m_successors[node][next++];
            if (m_number[successor] == NONE)
            {
                Enter(successor);
            }
            else if (componentOf[successor] == NONE)
            {
                m_low[node] = std::min(m_low[node], m_number[successor]);
            }
        }
    }

    void Leave(uint32_t node)
    {
        m_way.pop_back();
        if (!m_way.empty())
        {
            uint32_t before = m_way.back().node;
            m_low[before] = std::min(m_low[before], m_low[node]);
        }
        if (m_low[node] == m_number[node])
        {
            CloseComponent(node);
        }
    }

    void CloseComponent(uint32_t root)
    {
        auto component = static_cast<uint32_t>(members.size());
        members.emplace_back();
        uint32_t node = NONE;
        do
        {
            node = m_open.back();
            m_open.pop_back();
            componentOf[node] = component;
            members.back().push_back(node);
        } while (node != root);
        std::sort(members.back().begin(), members.back().end());
    }

    const Graph& m_successors;
    std::vector<uint32_t> m_number; ///< by node: when it was entered
    std::vector<uint32_t> m_low;
    std::vector<uint32_t> m_open; ///< nodes whose component is not complete
    std::vector<Visit> m_way;
    uint32_t m_count{0};
};

/// Looks for shortest cycles inside components.
class CycleSearch
{
  public:
    CycleSearch(const Graph& successors, const std::vector<uint32_t>& componentOf)
        : m_successors(successors),
          m_componentOf(componentOf),
          m_before(successors.size(), NONE)
    {
    }

    /// @param members of a component @return a shortest cycle in it; empty if it has none
    std::vector<uint32_t> Shortest(const std::vector<uint32_t>& members)
    {
        std::vector<uint32_t> best;
        for (uint32_t start : members)
        {
            std::vector<uint32_t> cycle = From(start, best.empty() ? SIZE_MAX : best.size());
            if (!cycle.empty())
            {
                best = std::move(cycle);
            }
        }
        return best;
    }

  private:
    /// @param start a node @param limit only cycles of fewer nodes count
    /// @return a shortest cycle through @p start, from it on; empty if there is none below limit
    std::vector<uint32_t> From(uint32_t start, size_t limit)
    {
        std::vector<uint32_t> queue{start};
        std::vector<uint32_t> cycle;
        size_t length = 0;   // edges from the start to the nodes of this level
        size_t levelEnd = 1; // in the queue
        for (size_t i = 0; i < queue.size() && cycle.empty(); ++i)
        {
            if (i == levelEnd)
            {
                ++length;
                levelEnd = queue.size();
            }
            if (length + 1 >= limit)
            {
                break;
            }
            cycle = Expand(start, queue[i], queue);
        }
        for (uint32_t node : queue)
        {
            m_before[node] = NONE;
        }
        return cycle;
    }

    std::vector<uint32_t> Expand(uint32_t start, uint32_t node, std::vector<uint32_t>& queue)
    {
        for (uint32_t successor : m_successors[node])
        {
            if (successor == start)
            {
                return WayTo(start, node);
            }
            if (m_before[successor] == NONE && m_componentOf[successor] == m_componentOf[start])
            {
                m_before[successor] = node;
                queue.push_back(successor);
            }
        }
        return {};
    }

    std::vector<uint32_t> WayTo(uint32_t start, uint32_t node) const
    {
        std::vector<uint32_t> way{node};
        while (way.back() != start)
        {
            way.push_back(m_before[way.back()]);
        }
        std::reverse(way.begin(), way.end());
        return way;
    }

    const Graph& m_successors;
    const std::vector<uint32_t>& m_componentOf;
    std::vector<uint32_t> m_before; ///< by node: from where the search came
};

} // namespace

std::vector<std::vector<uint32_t>>
FindShortestCycles(const std::vector<std::vector<uint32_t>>& successors)
{
    Components components(successors);
    CycleSearch search(successors, components.componentOf);
    std::vector<std::vector<uint32_t>> cycles;
    for (const std::vector<uint32_t>& members : components.members)
    {
        std::vector<uint32_t> cycle = search.Shortest(members);
        if (!cycle.empty())
        {
            cycles.push_back(std::move(cycle));
        }
    }
    std::sort(cycles.begin(), cycles.end());
    return cycles;
}

} // namespace ns3
