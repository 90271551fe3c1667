// SPDX-License-Identifier: GPL-2.0-only
#include "channel-search.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Where a path must end.
enum class PathEnd : uint8_t
{
    CLOSED, ///< where the first GPU can be reached
    AT_NIC, ///< where a NIC can be reached
    ANYWHERE,
};

/// Finds paths through all GPUs of a server, channel by channel.
class PathSearch
{
  public:
    PathSearch(const ServerGraph& graph, bool pxn)
        : m_graph(graph),
          m_pxn(pxn),
          m_uses(graph.GetGpus(), std::vector<uint32_t>(graph.GetGpus(), 0))
    {
    }

    /// @param nic a NIC @param turn which, of GPUs that are as near @return a GPU nearest to it
    uint32_t FindNearestGpu(uint32_t nic, uint32_t turn) const
    {
        std::vector<uint32_t> nearest;
        for (uint32_t gpu = 0; gpu < m_graph.GetGpus(); gpu++)
        {
            ServerPath path = m_graph.nicPaths[gpu][nic];
            if (!nearest.empty() && path < m_graph.nicPaths[nearest.front()][nic])
            {
                nearest.clear();
            }
            if (nearest.empty() || path == m_graph.nicPaths[nearest.front()][nic])
            {
                nearest.push_back(gpu);
            }
        }
        return nearest[turn % nearest.size()];
    }

    /**
     * @param start first GPU
     * @param end where the last one must be
     * @param nic that it must reach, for AT_NIC
     * @param down whether the next lower GPU is preferred to the next higher
     * @return all GPUs; empty if there is no such path
     */
    std::vector<uint32_t> Find(uint32_t start, PathEnd end, uint32_t nic, bool down)
    {
        m_end = end;
        m_nic = nic;
        m_down = down;
        bool found = false;
        for (double limit : ListLimits())
        {
            m_limit = limit;
            m_steps = 0;
            m_path.assign(1, start);
            if (Extend())
            {
                found = true;
                break;
            }
        }
        if (!found)
        {
            return {};
        }
        for (size_t i = 1; i < m_path.size(); i++)
        {
            m_uses[m_path[i - 1]][m_path[i]]++;
        }
        if (end == PathEnd::CLOSED)
        {
            m_uses[m_path.back()][start]++;
        }
        return m_path;
    }

  private:
    /// Steps after which a search gives up.
    static constexpr uint32_t MOST_STEPS = 1 << 18;

    /// More than that of any NVLink.
    static constexpr double PCIE_LOAD = 1e12;

    /// What a way from GPU to GPU would carry, with one channel more, for its bandwidth.
    double GetLoad(uint32_t from, uint32_t to) const
    {
        if (m_graph.gpuPaths[from][to] != ServerPath::NVL)
        {
            return PCIE_LOAD;
        }
        // Switches carry what all GPUs send; links of a mesh what their two GPUs do.
        double gbps = std::max(1e-9, m_graph.gpuGBps[from][to]);
        return m_graph.switched ? 0 : (m_uses[from][to] + 1) / gbps;
    }

    /// @return all loads that there are, the least first: none is accepted before a lesser one
    std::vector<double> ListLimits() const
    {
        std::vector<double> limits;
        for (uint32_t a = 0; a < m_graph.GetGpus(); a++)
        {
            for (uint32_t b = 0; b < m_graph.GetGpus(); b++)
            {
                limits.push_back(GetLoad(a, b));
            }
        }
        std::sort(limits.begin(), limits.end());
        limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
        return limits;
    }

    bool Extend()
    {
        if (m_path.size() == m_graph.GetGpus())
        {
            return CanEnd();
        }
        for (uint32_t next : SortCandidates())
        {
            m_path.push_back(next);
            if (++m_steps <= MOST_STEPS && Extend())
            {
                return true;
            }
            m_path.pop_back();
        }
        return false;
    }

    bool CanEnd() const
    {
        uint32_t first = m_path.front();
        uint32_t last = m_path.back();
        bool joined = m_graph.gpuPaths[last][first] == ServerPath::NVL;
        switch (m_end)
        {
        case PathEnd::CLOSED:
            return GetLoad(last, first) <= m_limit;
        case PathEnd::AT_NIC:
            return (joined && m_pxn) || m_graph.nicPaths[last][m_nic] <= ServerPath::PXB ||
                   m_graph.nicPaths[last][m_nic] <= m_graph.nicPaths[first][m_nic];
        default:
            return true;
        }
    }

    /// @return GPUs that are not in the path yet, the best first
    std::vector<uint32_t> SortCandidates() const
    {
        uint32_t from = m_path.back();
        uint32_t gpus = m_graph.GetGpus();
        std::vector<uint32_t> candidates;
        for (uint32_t i = 1; i < gpus; i++)
        {
            uint32_t gpu = (m_down ? from + gpus - i : from + i) % gpus;
            if (GetLoad(from, gpu) <= m_limit &&
                std::find(m_path.begin(), m_path.end(), gpu) == m_path.end())
            {
                candidates.push_back(gpu);
            }
        }
        std::stable_sort(candidates.begin(), candidates.end(), [&](uint32_t a, uint32_t b) {
            ServerPath toA = m_graph.gpuPaths[from][a];
            ServerPath toB = m_graph.gpuPaths[from][b];
            return toA != toB ? toA < toB : GetLoad(from, a) < GetLoad(from, b);
        });
        return candidates;
    }

    const ServerGraph& m_graph;
    bool m_pxn;
    std::vector<std::vector<uint32_t>> m_uses; ///< by channels so far, from GPU to GPU
    PathEnd m_end{PathEnd::ANYWHERE};
    uint32_t m_nic{0};
    bool m_down{true};
    double m_limit{0};
    uint32_t m_steps{0};
    std::vector<uint32_t> m_path;
};

/// @param group a group @param path of its positions @return its ranks along the path
std::vector<uint32_t>
AlongPath(const std::vector<uint32_t>& group, const std::vector<uint32_t>& path)
{
    std::vector<uint32_t> ranks;
    for (uint32_t position : path)
    {
        ranks.push_back(group[position]);
    }
    return ranks;
}

std::string
CheckServers(const RankLayout& layout, const ServerGraph& graph)
{
    for (const auto& group : layout.GetGroups())
    {
        if (group.size() != graph.GetGpus())
        {
            return "a group has " + std::to_string(group.size()) + " ranks, the server " +
                   std::to_string(graph.GetGpus()) + " GPUs";
        }
    }
    bool several = layout.GetGroups().size() > 1;
    return several && graph.GetNics() == 0 ? "several groups, but no NIC" : "";
}

} // namespace

ChannelOrders
FindChannelOrders(const RankLayout& layout,
                  const ServerGraph& graph,
                  uint32_t channels,
                  const ChannelRules& rules,
                  std::string& error)
{
    ChannelOrders orders;
    error = CheckServers(layout, graph);
    const auto& groups = layout.GetGroups();
    bool several = groups.size() > 1;
    PathSearch rings(graph, rules.pxn);
    PathSearch chains(graph, rules.pxn);
    for (uint32_t c = 0; error.empty() && c < channels; c++)
    {
        uint32_t nic = several ? c % graph.GetNics() : 0;
        uint32_t start = several ? rings.FindNearestGpu(nic, c / graph.GetNics()) : 0;
        uint32_t head = several ? start : c % graph.GetGpus();
        std::vector<uint32_t> chain = chains.Find(head, PathEnd::ANYWHERE, 0, false);
        std::vector<uint32_t> ring =
            rings.Find(start, several ? PathEnd::AT_NIC : PathEnd::CLOSED, nic, several);
        if (ring.empty() && !rules.crossNic)
        {
            error = "no ring of all GPUs leads from GPU " + std::to_string(start) +
                    (several ? " to NIC " + std::to_string(nic) : " back to it");
        }
        std::vector<uint32_t> ranks;
        std::vector<std::vector<uint32_t>> ofGroups;
        for (const auto& group : groups)
        {
            ofGroups.push_back(AlongPath(group, chain));
            for (uint32_t rank : AlongPath(group, ring))
            {
                ranks.push_back(rank);
            }
        }
        orders.chains.push_back(std::move(ofGroups));
        if (!rules.crossNic || !several)
        {
            orders.rings.push_back(std::move(ranks));
        }
    }
    return error.empty() ? orders : ChannelOrders();
}

} // namespace ns3
