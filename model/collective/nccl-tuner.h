// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TUNER_H
#define NCCL_TUNER_H

#include "collective-tuner.h"
#include "nccl-chunking.h"
#include "nccl-constants.h"
#include "nccl-environment.h"
#include "nccl-graph.h"
#include "nccl-tuner-table.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A way to do a collective, and what NCCL expects of it.
struct NcclCandidate
{
    NcclAlgorithm algorithm;
    CollectiveProtocol protocol;
    double latencyUs;     ///< without data
    double bandwidthGBps; ///< of the whole buffer, before correction by size
    double timeUs;        ///< of this request
};

/**
 * @ingroup ai-fabric
 * @brief Chooses as NCCL does: its cost model, with the constants of a version, picks algorithm and
 * protocol; its plan divides the data.
 *
 * Groups of the layout are NCCL's nodes. Gather, scatter, the all-to-alls, send-receive and
 * point-to-point are done by "direct", as NCCL's grouped send and receive; a barrier is an
 * all-reduce of one element.
 */
class NcclTuner : public CollectiveTuner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    NcclTuner();

    std::string GetName() const override;

    CollectivePlan Choose(const CollectiveRequest& request,
                          const RankLayout& layout,
                          const CollectivePlatform& platform,
                          std::string& error) const override;

    /**
     * @param request an all-reduce, all-gather, reduce-scatter, broadcast, reduce or barrier
     * @param layout by whom
     * @param platform on what
     * @return all that NCCL would do, fastest first
     */
    std::vector<NcclCandidate> Compare(const CollectiveRequest& request,
                                       const RankLayout& layout,
                                       const CollectivePlatform& platform) const;

    /// @param layout by whom @param platform on what @return channels that its search would find
    NcclGraphs FindGraphs(const RankLayout& layout, const CollectivePlatform& platform) const;

    /// @param environment the user's variables
    void SetEnvironment(const NcclEnvironment& environment);

    /// @return the user's variables
    const NcclEnvironment& GetEnvironment() const
    {
        return m_environment;
    }

    /// @param table rules that come before the cost model, as those of a tuner plugin
    void SetTable(NcclTunerTable table);

    /// @param version such as "2.26.2"; a wrong one ends the program
    void SetVersion(std::string version);

    /// @return the version, as it was given
    std::string GetVersion() const;

  private:
    void SetVariables(std::string assignments);
    std::string GetVariables() const;
    void SetNicPath(std::string path);
    std::string GetNicPathName() const;
    std::string GetNicPath(const CollectivePlatform& platform) const;
    std::optional<uint32_t> ApplyTable(const CollectiveRequest& request,
                                       const RankLayout& layout,
                                       std::vector<NcclCandidate>& candidates,
                                       std::string& rule) const;
    std::string ExplainNothing(const CollectiveRequest& request) const;

    std::string m_version;
    uint32_t m_versionNumber{0};
    std::string m_nicPath{"auto"};
    NcclEnvironment m_environment;
    std::optional<NcclTunerTable> m_table;
};

} // namespace ns3

#endif // NCCL_TUNER_H
