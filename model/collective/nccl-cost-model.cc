// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-cost-model.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// @param number at least 1 @return the power of two that it reaches
uint32_t
LogTwo(uint64_t number)
{
    uint32_t log = 0;
    while (number >>= 1)
    {
        log++;
    }
    return log;
}

bool
IsNvls(NcclAlgorithm algorithm)
{
    return algorithm == NcclAlgorithm::NVLS || algorithm == NcclAlgorithm::NVLS_TREE;
}

bool
Gathers(CollectiveOperation operation)
{
    return operation == CollectiveOperation::ALL_GATHER ||
           operation == CollectiveOperation::REDUCE_SCATTER;
}

} // namespace

NcclCostModel::NcclCostModel(const NcclConstants& constants,
                             const NcclEnvironment& environment,
                             const CollectivePlatform& platform,
                             const NcclGraphs& graphs,
                             uint32_t ranks,
                             const std::string& nicPath)
    : m_constants(constants),
      m_environment(environment),
      m_platform(platform),
      m_graphs(graphs),
      m_ranks(ranks),
      m_nicPath(nicPath),
      m_generation(GetNcclGeneration(platform.computeCapability)),
      m_nodesColumn(std::min(graphs.nodes, 3U) - 1)
{
}

NcclCost
NcclCostModel::GetCost(CollectiveOperation operation,
                       NcclAlgorithm algorithm,
                       CollectiveProtocol protocol) const
{
    bool simpleOnly = IsNvls(algorithm) || algorithm == NcclAlgorithm::PAT;
    if (!Serves(operation, algorithm) || !Enables(operation, protocol) ||
        !m_environment.Allows(operation, algorithm) ||
        (simpleOnly && protocol != CollectiveProtocol::SIMPLE))
    {
        return {};
    }
    return {GetLatency(operation, algorithm, protocol),
            GetBusBandwidth(operation, algorithm, protocol) * GetRatio(operation, algorithm)};
}

double
NcclCostModel::Predict(CollectiveOperation operation,
                       NcclAlgorithm algorithm,
                       CollectiveProtocol protocol,
                       uint64_t bytes) const
{
    NcclCost cost = GetCost(operation, algorithm, protocol);
    if (cost.bandwidthGBps <= 0)
    {
        return -1;
    }
    bool allReduce = operation == CollectiveOperation::ALL_REDUCE;
    bool correctsNvlsTree = m_constants.nvlsTreeCorrected && m_platform.cpuVendor != "arm" &&
                            m_platform.computeCapability >= 100;
    // Trees reach less than the model in the middle sizes; the correction ends at 512 MiB.
    uint32_t row = LogTwo(bytes >> 6);
    if (allReduce && bytes >= 64 &&
        ((algorithm == NcclAlgorithm::TREE && row < 23) ||
         (algorithm == NcclAlgorithm::NVLS_TREE && row < 24 && correctsNvlsTree)))
    {
        cost.bandwidthGBps *= NCCL_TREE_CORRECTION[static_cast<uint32_t>(protocol)][row];
    }
    if (allReduce && algorithm == NcclAlgorithm::RING && protocol == CollectiveProtocol::SIMPLE &&
        m_graphs.nodes > 1 && bytes / (m_graphs.channels * m_ranks) >= 64)
    {
        cost.latencyUs *= m_platform.computeCapability < 80 ? 1.9 : 1.4;
    }
    return cost.latencyUs + static_cast<double>(bytes) / (1000 * cost.bandwidthGBps);
}

bool
NcclCostModel::Serves(CollectiveOperation operation, NcclAlgorithm algorithm) const
{
    bool allReduce = operation == CollectiveOperation::ALL_REDUCE;
    bool one = m_graphs.nodes == 1;
    switch (algorithm)
    {
    case NcclAlgorithm::RING:
        return true;
    case NcclAlgorithm::TREE:
        return allReduce;
    case NcclAlgorithm::NVLS:
        return m_graphs.nvlsChannels > 0 && one &&
               (allReduce || (m_constants.nvlsGathers && Gathers(operation) &&
                              m_ranks <= m_constants.nvlsArity));
    case NcclAlgorithm::NVLS_TREE:
        return m_graphs.nvlsChannels > 0 && !one && allReduce;
    case NcclAlgorithm::PAT: {
        int64_t wanted = m_environment.Get("NCCL_PAT_ENABLE", 2);
        return Gathers(operation) && m_constants.patShare > 0 && wanted > 0 &&
               m_graphs.nodes == m_ranks && m_platform.computeCapability >= 60;
    }
    }
    return false;
}

bool
NcclCostModel::Enables(CollectiveOperation operation, CollectiveProtocol protocol) const
{
    if (auto choice = m_environment.Allows(operation, protocol))
    {
        return *choice;
    }
    if (protocol != CollectiveProtocol::LL128)
    {
        return true;
    }
    // LL128 needs stores of 128 bytes to arrive whole: NVLink, and no host bridge before the NIC.
    bool nicIsNear = m_graphs.nodes == 1 || m_nicPath == "pix" || m_nicPath == "pxb" ||
                     (m_nicPath == "pxn" && m_platform.computeCapability >= 90);
    // A GPU that is alone in its node has no path within it that could be too slow.
    bool within = m_graphs.nvlink || m_graphs.ranksPerNode <= 1;
    return within && nicIsNear && m_platform.computeCapability >= 70;
}

const NcclGraph&
NcclCostModel::GetGraph(NcclAlgorithm algorithm) const
{
    switch (algorithm)
    {
    case NcclAlgorithm::TREE:
        return m_graphs.tree;
    case NcclAlgorithm::NVLS:
    case NcclAlgorithm::NVLS_TREE:
        return m_graphs.nvls;
    default:
        return m_graphs.ring;
    }
}

uint32_t
NcclCostModel::CountSteps(CollectiveOperation operation) const
{
    return operation == CollectiveOperation::ALL_REDUCE ? 2 * (m_ranks - 1)
           : Gathers(operation)                         ? m_ranks - 1
                                                        : m_ranks;
}

double
NcclCostModel::GetNvlsBandwidth(CollectiveOperation operation, NcclAlgorithm algorithm) const
{
    const NcclGraph& graph = m_graphs.nvls;
    bool allReduce = operation == CollectiveOperation::ALL_REDUCE;
    bool tree = algorithm == NcclAlgorithm::NVLS_TREE;
    double others = (m_graphs.ranksPerNode - 1) / m_graphs.ranksPerNode;
    if (double efficiency = m_constants.nvlsEfficiency[m_generation]; efficiency > 0)
    {
        if (graph.channels < 2)
        {
            return 0;
        }
        double intra = graph.intraGBps * efficiency * (graph.channels - 1) / graph.channels *
                       (allReduce ? 2 : others);
        double inter = graph.interGBps * (tree && m_graphs.nodes == 2 ? 2 : 1);
        double most = m_constants.nvlsTreeMost[m_generation][m_nodesColumn];
        return graph.channels * std::min({intra, inter, tree ? most : intra});
    }
    if (!m_constants.addsNvlsLatency) // 2.18
    {
        return graph.channels * (m_graphs.nodes <= 2 ? graph.intraGBps : graph.interGBps);
    }
    if (tree)
    {
        double inter = m_graphs.nodes <= 2 ? graph.interGBps : graph.interGBps / 2;
        return graph.channels * std::min(graph.intraGBps, inter);
    }
    if (!allReduce && m_constants.nvlsGatherShare > 0)
    {
        double inter = graph.interGBps * m_constants.nvlsGatherShare;
        return graph.channels * std::min(graph.intraGBps * others, inter);
    }
    return graph.channels * std::min(graph.intraGBps, graph.interGBps);
}

double
NcclCostModel::GetBusBandwidth(CollectiveOperation operation,
                               NcclAlgorithm algorithm,
                               CollectiveProtocol protocol) const
{
    if (IsNvls(algorithm))
    {
        return GetNvlsBandwidth(operation, algorithm);
    }
    const NcclGraph& graph = GetGraph(algorithm);
    uint32_t channels = graph.channels;
    bool one = m_graphs.nodes == 1;
    double bandwidth = channels * (m_graphs.nodes <= 2 ? graph.intraGBps : graph.interGBps);
    bool amd = m_platform.cpuVendor == "amd";
    double llMost = m_constants.llMost[one ? m_generation : amd ? 1 : 0][m_nodesColumn];
    auto ofChannels = [&](const NcclRates& most) {
        return channels * most[m_generation][m_nodesColumn];
    };
    if (algorithm == NcclAlgorithm::PAT)
    {
        return bandwidth * m_constants.patShare;
    }
    if (algorithm == NcclAlgorithm::RING)
    {
        if (protocol == CollectiveProtocol::LL)
        {
            bool reduces = operation == CollectiveOperation::ALL_REDUCE ||
                           operation == CollectiveOperation::REDUCE;
            double share = m_constants.halvesRingLl ? 1. / 2 : !one || reduces ? 1. / 4 : 1. / 3;
            return std::min(llMost, bandwidth * share);
        }
        if (protocol == CollectiveProtocol::LL128)
        {
            bool single = m_constants.discountsSingleLl128 && m_graphs.ranksPerNode < 2;
            return std::min(bandwidth * (single ? .7 : .92), ofChannels(m_constants.ringLl128Most));
        }
        return bandwidth;
    }
    bandwidth = std::min(bandwidth * .92, ofChannels(m_constants.treeMost));
    if (protocol == CollectiveProtocol::LL)
    {
        bandwidth = std::min(bandwidth / 3.8, llMost);
    }
    else if (protocol == CollectiveProtocol::LL128)
    {
        bandwidth = std::min(bandwidth * (one ? 7. / 9 : 120. / 128),
                             ofChannels(m_constants.treeLl128Most));
    }
    // With one GPU a node the tree passes its data through a single GPU.
    return m_graphs.ranksPerNode < 2 && !one ? bandwidth * .85 : bandwidth;
}

double
NcclCostModel::GetRatio(CollectiveOperation operation, NcclAlgorithm algorithm) const
{
    double ring = static_cast<double>(m_ranks) / CountSteps(operation);
    if (algorithm == NcclAlgorithm::RING)
    {
        return ring;
    }
    if (Gathers(operation) && !m_constants.scalesAllGather)
    {
        return 1;
    }
    if (!IsNvls(algorithm))
    {
        return .5;
    }
    if (m_constants.nvlsEfficiency[m_generation] > 0)
    {
        return ring;
    }
    if (algorithm == NcclAlgorithm::NVLS_TREE && !m_constants.addsNvlsLatency) // 2.18
    {
        return .7 * m_graphs.nodes / (2. * (m_graphs.nodes - 1));
    }
    return 5. / 6;
}

double
NcclCostModel::GetLatency(CollectiveOperation operation,
                          NcclAlgorithm algorithm,
                          CollectiveProtocol protocol) const
{
    auto a = static_cast<uint32_t>(algorithm);
    auto p = static_cast<uint32_t>(protocol);
    bool simple = protocol == CollectiveProtocol::SIMPLE;
    double base = m_constants.baseLatency[a][p];
    double intra = (m_graphs.nvlink ? m_constants.nvlinkLatency : m_constants.pcieLatency)[a][p];
    bool exposed = m_constants.exposesNetLatency && m_ranks == m_graphs.nodes;
    double inter = m_constants.netLatency[exposed ? 0 : a][p];
    if (IsNvls(algorithm) && !m_constants.addsNvlsLatency) // 2.18: without the NIC's own latency
    {
        double steps = m_graphs.nodes == 1                     ? 0
                       : algorithm == NcclAlgorithm::NVLS_TREE ? 2 * (m_graphs.nodes - 1)
                                                               : 1;
        return base + steps * inter;
    }
    inter += m_platform.nicLatencyUs * (simple ? 2 : 1);
    uint32_t logNodes = LogTwo(m_graphs.nodes);
    switch (algorithm)
    {
    case NcclAlgorithm::RING:
        return base + GetRingLatency(operation, protocol, intra, inter);
    case NcclAlgorithm::TREE:
        return base + 2 * ((m_ranks / m_graphs.nodes - 1) * intra + logNodes * inter);
    case NcclAlgorithm::NVLS:
        return base + intra + (m_graphs.nodes > 1 ? inter : 0);
    case NcclAlgorithm::NVLS_TREE:
        return base + intra + 2 * logNodes * inter;
    case NcclAlgorithm::PAT:
        return base + logNodes * inter / 3.5 + m_ranks * 2.8;
    }
    return base;
}

double
NcclCostModel::GetRingLatency(CollectiveOperation operation,
                              CollectiveProtocol protocol,
                              double intra,
                              double inter) const
{
    uint32_t nodes = m_graphs.nodes;
    bool simple = protocol == CollectiveProtocol::SIMPLE;
    uint32_t steps = CountSteps(operation);
    if (operation == CollectiveOperation::BROADCAST || operation == CollectiveOperation::REDUCE)
    {
        const NcclLatencies& latencies = nodes > 1         ? m_constants.netLatency
                                         : m_graphs.nvlink ? m_constants.nvlinkLatency
                                                           : m_constants.pcieLatency;
        if (m_graphs.ring.sameOrder)
        {
            return latencies[1][static_cast<uint32_t>(protocol)];
        }
        return steps * latencies[simple ? 0 : 1][static_cast<uint32_t>(protocol)];
    }
    if (nodes > 1)
    {
        double vendor = m_platform.cpuVendor == "amd" ? 2 : 1;
        double overhead = m_environment.Get("NCCL_NET_OVERHEAD", vendor * 1000) * .001;
        intra = std::max(intra, simple ? 3 * overhead : overhead);
    }
    uint32_t crossings = nodes == 1                                     ? 0
                         : operation != CollectiveOperation::ALL_REDUCE ? nodes - 1
                         : m_constants.closesRing                       ? 2 * (nodes - 1)
                                                                        : 2 * nodes;
    // With one GPU a node, 2.22 and older count more crossings than there are steps.
    return (static_cast<double>(steps) - crossings) * intra + crossings * inter;
}

} // namespace ns3
