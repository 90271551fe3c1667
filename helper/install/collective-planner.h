// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_PLANNER_H
#define COLLECTIVE_PLANNER_H

#include "ns3/collective-algorithm.h"
#include "ns3/collective-platform.h"
#include "ns3/collective-tuner.h"
#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/nccl-environment.h"
#include "ns3/scenario.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// How a request is to be carried out.
struct PlannedCollective
{
    CollectiveRequest request;
    Ptr<const CollectiveAlgorithm> algorithm;
    CollectivePlan plan;
};

/**
 * @ingroup ai-fabric
 * @brief Decides how the collectives of a communicator are carried out: as the scenario says, or as
 * a tuner chooses.
 */
class CollectivePlanner
{
  public:
    /**
     * @param choice what the scenario says
     * @param communicator whose collectives they are
     * @param gpuModel a preset's name
     * @param place of the workload, for messages
     */
    CollectivePlanner(const CollectiveChoice& choice,
                      Ptr<Communicator> communicator,
                      const std::string& gpuModel,
                      const InputPlace& place);

    /**
     * @param request what is asked for
     * @return how; InputError where nothing can serve it
     */
    PlannedCollective Plan(const CollectiveRequest& request);

    /// @return whose choice it is: a tuner's name, or "scenario"
    const std::string& GetChooser() const
    {
        return m_chooser;
    }

    /**
     * Executes the program on symbols: what each rank ends with must be what the operation says.
     * @param planned as Plan() gave it
     * @return empty, or what is wrong
     */
    std::string Check(const PlannedCollective& planned) const;

    /**
     * @param planned as Plan() gave it
     * @return some of the pairs of ranks that it sends between
     */
    std::vector<std::pair<uint32_t, uint32_t>> FindPeers(const PlannedCollective& planned) const;

  private:
    Ptr<CollectiveAlgorithm> FindAlgorithm(const std::string& name);
    PlannedCollective PlanByTuner(const CollectiveRequest& request);
    void MakeTuner();
    void SetTunerTable(const NcclEnvironment& environment);
    NcclEnvironment MakeEnvironment() const;
    void SetUpTransport(const NcclEnvironment& environment);
    void LayOrders(const NcclEnvironment& environment);

    const CollectiveChoice& m_choice;
    Ptr<Communicator> m_communicator;
    InputPlace m_place;
    std::string m_chooser{"scenario"};
    std::map<std::string, Ptr<CollectiveAlgorithm>> m_algorithms; ///< by name
    Ptr<CollectiveTuner> m_tuner;                                 ///< null: nobody is asked
    CollectivePlatform m_platform;
};

} // namespace ns3

#endif // COLLECTIVE_PLANNER_H
