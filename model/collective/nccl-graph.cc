// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-graph.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

enum class NcclPattern : uint8_t
{
    RING,
    TREE,
    NVLS,
};

/// The links of a server, and whether channels fit on them.
struct ServerLinks
{
    double nvlink{0}; ///< of a GPU; PCIe where there is none
    double nic{0};    ///< of a NIC, as far as PCIe lets it
    uint32_t nics{0}; ///< 0: one node, nothing goes by a NIC
    uint32_t gpus{1};
    bool switched{true}; ///< NVSwitch; else each pair of GPUs has its share of the links

    /// @return most bandwidth from GPU to GPU, or to a NIC where there are some
    double GetPathGBps() const
    {
        return nics > 0 ? nic : switched || gpus < 2 ? nvlink : nvlink / (gpus - 1);
    }

    bool Fits(NcclPattern pattern, uint32_t channels, double intra, double inter) const
    {
        constexpr double ROUNDING = 1e-6; // sums of speeds such as 17.5 and 20.6 are not exact
        bool fits =
            gpus == 1 || channels * GetLoad(pattern, intra, inter, channels) <= nvlink + ROUNDING;
        if (nics > 0)
        {
            uint32_t ofNic = (channels + nics - 1) / nics;
            fits = fits && ofNic * inter <= nic + ROUNDING;
            fits = fits && (pattern != NcclPattern::NVLS || ofNic == 1);
        }
        return fits;
    }

  private:
    /// What a channel takes of a GPU's links, in the mean over channels.
    double GetLoad(NcclPattern pattern, double intra, double inter, uint32_t channels) const
    {
        switch (pattern)
        {
        case NcclPattern::TREE:
            return nics == 0 ? intra : (intra * (gpus - 1) + inter / 2) / gpus;
        case NcclPattern::NVLS:
            return intra * (channels + 1) / channels;
        default:
            return intra;
        }
    }
};

/// NCCL's two passes over the speeds.
class NcclSearch
{
  public:
    NcclSearch(const NcclConstants& constants, const ServerLinks& links, uint32_t capability)
        : m_constants(constants),
          m_links(links),
          m_capability(capability),
          m_speeds((links.nics > 0 ? constants.interSpeeds
                                   : constants.intraSpeeds)[capability >= 100  ? 2
                                                            : capability >= 90 ? 1
                                                                               : 0])
    {
    }

    NcclGraph Find(NcclPattern pattern, uint32_t least, uint32_t most)
    {
        m_pattern = pattern;
        m_least = least;
        m_most = most;
        NcclGraph best = FindMost();
        if (best.channels == 0)
        {
            return best;
        }
        if (m_constants.doublesBeforeRaising)
        {
            Double(best);
        }
        m_least = best.channels;
        Raise(best);
        if (!m_constants.doublesBeforeRaising)
        {
            Double(best);
        }
        return best;
    }

  private:
    uint32_t CountFitting(double intra, double inter) const
    {
        uint32_t channels = m_most;
        while (channels > 0 && !m_links.Fits(m_pattern, channels, intra, inter))
        {
            channels--;
        }
        return channels >= m_least ? channels : 0;
    }

    bool IsBetter(const NcclGraph& a, const NcclGraph& b) const
    {
        if (m_pattern == NcclPattern::NVLS)
        {
            return a.channels > b.channels || a.channels * a.interGBps > b.channels * b.interGBps;
        }
        return a.channels * a.intraGBps > b.channels * b.intraGBps;
    }

    /// First pass: falling speeds, as long as they are more than half of the best one's.
    NcclGraph FindMost() const
    {
        double total = m_links.nvlink;
        if (m_links.gpus > 1 && m_pattern != NcclPattern::RING)
        {
            total *= static_cast<double>(m_links.gpus) / (m_links.gpus - 1);
        }
        size_t i = 0;
        while (i + 1 < m_speeds.size() &&
               (m_speeds[i] > m_links.GetPathGBps() || m_speeds[i] * m_least > total))
        {
            i++;
        }
        NcclGraph best;
        while (true)
        {
            uint32_t channels = CountFitting(m_speeds[i], m_speeds[i]);
            NcclGraph found{channels, m_speeds[i], m_speeds[i], false};
            if (IsBetter(found, best))
            {
                best = found;
            }
            bool whole =
                best.channels == m_most || best.channels * best.interGBps >= m_links.nvlink;
            bool slower = i + 1 < m_speeds.size() &&
                          (best.channels == 0 || m_speeds[i + 1] / best.interGBps > .49);
            if ((best.channels > 0 && whole) || !slower)
            {
                return best;
            }
            i++;
        }
    }

    /// Makes two channels of each that is so fast that one thread block could not keep up.
    void Double(NcclGraph& graph) const
    {
        if (m_pattern == NcclPattern::NVLS || graph.intraGBps < 25 ||
            (m_capability > 80 && graph.intraGBps < 50 && graph.channels > 4))
        {
            return;
        }
        uint32_t doubled = std::min(2 * graph.channels, m_most);
        double factor = (doubled + graph.channels - 1) / graph.channels;
        graph.intraGBps /= factor;
        graph.interGBps /= factor;
        graph.channels = doubled;
    }

    /// Second pass: rising speeds, with as many channels.
    void Raise(NcclGraph& best) const
    {
        size_t i = 0;
        while (i + 1 < m_speeds.size() && m_speeds[i] > best.interGBps)
        {
            i++;
        }
        if (m_pattern == NcclPattern::RING && m_constants.doublesBeforeRaising)
        {
            while (i-- > 0)
            {
                TryRaise(best, m_speeds[i], m_speeds[i]);
            }
        }
        else if (m_pattern == NcclPattern::NVLS && m_constants.doublesBeforeRaising)
        {
            while (i-- > 0 && best.interGBps < 2 * best.intraGBps &&
                   TryRaise(best, best.intraGBps, m_speeds[i]))
            {
            }
        }
        else if (m_pattern != NcclPattern::RING)
        {
            while (i-- > 0 && best.intraGBps < 2 * best.interGBps &&
                   TryRaise(best, m_speeds[i], best.interGBps))
            {
            }
        }
    }

    bool TryRaise(NcclGraph& best, double intra, double inter) const
    {
        uint32_t channels = CountFitting(intra, inter);
        NcclGraph found{channels, intra, inter, false};
        bool better = channels > 0 && IsBetter(found, best);
        if (better)
        {
            best = found;
        }
        return better;
    }

    const NcclConstants& m_constants;
    const ServerLinks& m_links;
    uint32_t m_capability;
    const std::vector<double>& m_speeds;
    NcclPattern m_pattern{NcclPattern::RING};
    uint32_t m_least{1};
    uint32_t m_most{1};
};

ServerLinks
DescribeServer(const NcclConstants& constants,
               const CollectivePlatform& platform,
               uint32_t nodes,
               uint32_t ranks)
{
    ServerLinks links;
    links.gpus = std::max(1U, ranks / nodes);
    double nvlink = platform.scaleUpLinks * GetNvlinkGBps(constants, platform.computeCapability);
    if (platform.scaleUpGBps > 0)
    {
        // A link rate of our own stands beside NCCL's, which it takes for the GPU's generation.
        links.nvlink = platform.scaleUpLinks > 0 ? nvlink : platform.scaleUpGBps;
        links.switched = platform.hasSwitch;
    }
    else
    {
        links.nvlink = platform.pcieGBps > 0 ? platform.pcieGBps : 12;
    }
    if (nodes > 1)
    {
        links.nics = std::max(1U, platform.nicsPerGroup);
        links.nic = platform.nicGBps > 0 ? platform.nicGBps : 1.25;
        if (platform.pcieGBps > 0)
        {
            links.nic = std::min(links.nic, platform.pcieGBps);
        }
    }
    return links;
}

/// Channels of NVLS, from the version, the GPUs and the user.
uint32_t
CountNvlsChannels(const NcclConstants& constants,
                  const NcclEnvironment& environment,
                  const CollectivePlatform& platform,
                  uint32_t nodes,
                  double ranksPerNode)
{
    bool blackwell = platform.computeCapability >= 100;
    uint32_t channels = constants.nvlsChannels[!blackwell ? 0 : nodes == 1 ? 1 : 2];
    bool tuned = constants.tunesNvlsTree && blackwell && nodes > 1;
    if (tuned && !(nodes == 2 && platform.nicGBps >= 48) &&
        (platform.nicGBps >= 96 ? ranksPerNode <= 8 : platform.nicGBps >= 48))
    {
        channels = 24;
    }
    channels = environment.Get("NCCL_NVLS_NCHANNELS", channels);
    channels = std::min<uint32_t>(channels, environment.Get("NCCL_MAX_CTAS", channels));
    return std::max<uint32_t>(channels, environment.Get("NCCL_MIN_CTAS", 1));
}

/// From channels of the search to channels of the communicator.
uint32_t
CountChannels(const NcclConstants& constants,
              const NcclEnvironment& environment,
              const CollectivePlatform& platform,
              const NcclGraphs& graphs)
{
    uint32_t channels = std::min(constants.mostChannels, 2 * graphs.ring.channels);
    bool doubles = constants.doublesNewer ? platform.computeCapability >= 90
                                          : platform.computeCapability == 90;
    if (doubles && graphs.nodes > 1 && graphs.ring.intraGBps > 45 &&
        channels <= constants.mostToDouble)
    {
        channels *= 2;
    }
    auto read = [&](const char* name, const char* older, int64_t otherwise) {
        return static_cast<uint32_t>(environment.Get(name, environment.Get(older, otherwise)));
    };
    uint32_t most = read("NCCL_MAX_NCHANNELS", "NCCL_MAX_NRINGS", constants.mostChannels);
    most = std::min<uint32_t>({most,
                               constants.mostChannels,
                               static_cast<uint32_t>(environment.Get("NCCL_MAX_CTAS", most))});
    uint32_t least = read("NCCL_MIN_NCHANNELS", "NCCL_MIN_NRINGS", 0);
    least = std::max<uint32_t>(least, environment.Get("NCCL_MIN_CTAS", 1));
    return std::max(std::min(channels, most), std::min(least, constants.mostChannels));
}

} // namespace

uint32_t
GetNcclGeneration(uint32_t computeCapability)
{
    return computeCapability >= 100  ? 3
           : computeCapability >= 90 ? 2
           : computeCapability >= 80 ? 1
                                     : 0;
}

double
GetNvlinkGBps(const NcclConstants& constants, uint32_t computeCapability)
{
    switch (GetNcclGeneration(computeCapability))
    {
    case 3:
        return constants.nvlinkBlackwell;
    case 2:
        return constants.nvlinkHopper;
    default:
        return computeCapability == 86 ? 12.0 : computeCapability >= 70 ? 20.0 : 18.0;
    }
}

NcclGraphs
FindNcclGraphs(const NcclConstants& constants,
               const NcclEnvironment& environment,
               const CollectivePlatform& platform,
               uint32_t nodes,
               uint32_t ranks,
               bool nvls)
{
    NcclGraphs graphs;
    graphs.nodes = nodes;
    graphs.ranksPerNode = static_cast<double>(ranks) / nodes;
    graphs.nvlink = platform.scaleUpGBps > 0;
    ServerLinks links = DescribeServer(constants, platform, nodes, ranks);
    NcclSearch search(constants, links, platform.computeCapability);

    graphs.ring = search.Find(NcclPattern::RING, 1, constants.mostChannels / 2);
    if (graphs.ring.channels == 0)
    {
        graphs.ring = {1, .1, .1, true}; // what NCCL falls back to
    }
    graphs.ring.sameOrder = nodes == 1 || links.gpus == 1;
    graphs.tree = search.Find(NcclPattern::TREE, graphs.ring.channels, graphs.ring.channels);
    if (graphs.tree.channels == 0)
    {
        graphs.tree = {1, .1, .1, true};
    }
    graphs.ring.channels = graphs.tree.channels =
        std::min(graphs.ring.channels, graphs.tree.channels);
    graphs.ringChannels = CountChannels(constants, environment, platform, graphs);
    graphs.channels = graphs.ringChannels;

    if (nvls && links.gpus >= constants.nvlsLeastGpus && platform.computeCapability >= 90 &&
        (nodes == 1 || constants.nvlsAcrossNodes) && environment.Get("NCCL_NVLS_ENABLE", 2) != 0)
    {
        uint32_t heads = std::min(links.gpus, constants.nvlsArity);
        graphs.nvls = search.Find(NcclPattern::NVLS, nodes == 1 ? heads : 1, heads);
        if (graphs.nvls.channels > 0)
        {
            graphs.nvlsChannels =
                CountNvlsChannels(constants, environment, platform, nodes, graphs.ranksPerNode);
            if (constants.followsNvls)
            {
                graphs.channels = std::max(graphs.channels, graphs.nvlsChannels);
            }
        }
    }
    return graphs;
}

} // namespace ns3
