// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_COST_MODEL_H
#define NCCL_COST_MODEL_H

#include "collective-plan.h"
#include "collective-request.h"
#include "nccl-graph.h"

namespace ns3
{

/// What an algorithm with a protocol costs: latency plus bytes over bandwidth.
struct NcclCost
{
    double latencyUs{0};
    double bandwidthGBps{0}; ///< of the whole buffer (algorithm bandwidth); 0: it cannot be had
};

/**
 * @brief NCCL's cost model (src/graph/tuning.cc: ncclTopoTuneModel, ncclTopoGetAlgoTime) for a
 * communicator. It knows what NCCL disables by itself (LL128 on unsafe paths, NVLS between nodes,
 * PAT with several GPUs a node), and what the environment leaves.
 */
class NcclCostModel
{
  public:
    /**
     * @param constants of the version
     * @param environment the user's choices
     * @param platform the machines
     * @param graphs the channels on them
     * @param ranks of the communicator
     * @param nicPath the longest path from a GPU to a NIC: "pix", "pxb", "pxn", "phb" or "sys"
     */
    NcclCostModel(const NcclConstants& constants,
                  const NcclEnvironment& environment,
                  const CollectivePlatform& platform,
                  const NcclGraphs& graphs,
                  uint32_t ranks,
                  const std::string& nicPath);

    /**
     * @param operation all-reduce, all-gather, reduce-scatter, broadcast or reduce
     * @param algorithm an algorithm
     * @param protocol a protocol
     * @return its cost; bandwidth 0 if NCCL would not do it
     */
    NcclCost GetCost(CollectiveOperation operation,
                     NcclAlgorithm algorithm,
                     CollectiveProtocol protocol) const;

    /**
     * @param operation likewise
     * @param algorithm an algorithm
     * @param protocol a protocol
     * @param bytes of the whole buffer
     * @return what NCCL expects it to take, us; less than 0 if NCCL would not do it
     */
    double Predict(CollectiveOperation operation,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol,
                   uint64_t bytes) const;

  private:
    bool Serves(CollectiveOperation operation, NcclAlgorithm algorithm) const;
    bool Enables(CollectiveOperation operation, CollectiveProtocol protocol) const;
    double GetBusBandwidth(CollectiveOperation operation,
                           NcclAlgorithm algorithm,
                           CollectiveProtocol protocol) const;
    double GetNvlsBandwidth(CollectiveOperation operation, NcclAlgorithm algorithm) const;
    double GetRatio(CollectiveOperation operation, NcclAlgorithm algorithm) const;
    double GetLatency(CollectiveOperation operation,
                      NcclAlgorithm algorithm,
                      CollectiveProtocol protocol) const;
    double GetRingLatency(CollectiveOperation operation,
                          CollectiveProtocol protocol,
                          double intra,
                          double inter) const;
    const NcclGraph& GetGraph(NcclAlgorithm algorithm) const;
    uint32_t CountSteps(CollectiveOperation operation) const;

    const NcclConstants& m_constants;
    const NcclEnvironment& m_environment;
    const CollectivePlatform& m_platform;
    NcclGraphs m_graphs;
    uint32_t m_ranks;
    std::string m_nicPath;
    uint32_t m_generation;
    uint32_t m_nodesColumn; ///< of NcclRates
};

} // namespace ns3

#endif // NCCL_COST_MODEL_H
