// SPDX-License-Identifier: GPL-2.0-only
#ifndef PARTITION_HELPER_H
#define PARTITION_HELPER_H

#include "ns3/fabric-graph.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How a fabric is divided.
enum class PartitionKind : uint8_t
{
    POD,  ///< what hangs together below the topmost switches stays together
    RAIL, ///< switches that hang together without hosts and topmost switches stay together
    CUT,  ///< as few and as slow links as possible are cut
};

/// @param name pod, rail or cut @param kind receives which @return whether it is one of them
bool ParsePartitionKind(const std::string& name, PartitionKind& kind);

/// @return the names of all kinds
const std::vector<std::string>& GetPartitionKindNames();

/// Who simulates what.
struct FabricPartition
{
    std::vector<uint32_t> rankOfVertex; ///< by vertex of the graph
    std::vector<double> loads;          ///< by rank
    uint64_t cutLinks{0};
    Time lookahead{Time::Max()}; ///< least delay of a cut link

    /// @return the highest load of a rank over the mean: 1 is a perfect balance
    double GetImbalance() const;
};

/**
 * @ingroup ai-fabric
 * @brief Divides a fabric over the processes of a distributed run.
 *
 * Servers, with their GPUs, NICs and scale-up links, and switches stay whole; a scale-up domain of
 * several servers keeps them together. Processes get about the same load. The division depends on
 * the graph alone, so that each process finds the same.
 */
class PartitionHelper
{
  public:
    /// What a host's port costs beside a switch's: frames are made, acknowledged and taken there.
    static constexpr double HOST_PORT_LOAD = 4;

    /// @param graph the fabric on paper
    explicit PartitionHelper(const FabricGraph& graph);

    /**
     * @param vertex of the graph
     * @param load of it, in any unit; initially its links' rate in units of the fabric's fastest
     * link, for a host times HOST_PORT_LOAD
     */
    void SetLoad(uint32_t vertex, double load);

    /// @param hosts as many consecutive hosts are one scale-up domain; 1: none shares one
    void SetHostsPerDomain(uint32_t hosts);

    /**
     * @param kind how
     * @param ranks over how many processes
     * @param error empty, or why it cannot be done
     * @return who simulates what
     */
    FabricPartition Divide(PartitionKind kind, uint32_t ranks, std::string& error) const;

  private:
    /// What is never cut.
    struct Unit
    {
        std::vector<uint32_t> vertices;
        double load{0};
    };

    std::vector<uint32_t> FindTiers() const;
    std::vector<uint32_t> FindUnits(PartitionKind kind, std::vector<Unit>& units) const;
    std::vector<uint32_t> SpreadUnits(const std::vector<Unit>& units, uint32_t ranks) const;
    bool HasHosts(const Unit& unit) const;
    std::vector<uint32_t> FindCut(const std::vector<Unit>& units,
                                  const std::vector<uint32_t>& unitOf,
                                  uint32_t ranks) const;
    void ImproveCut(const std::vector<Unit>& units,
                    const std::vector<uint32_t>& unitOf,
                    uint32_t ranks,
                    std::vector<uint32_t>& rankOfUnit) const;
    void Evaluate(FabricPartition& partition, std::string& error) const;

    const FabricGraph& m_graph;
    std::vector<double> m_loads; ///< by vertex
    uint32_t m_hostsPerDomain{1};
};

} // namespace ns3

#endif // PARTITION_HELPER_H
