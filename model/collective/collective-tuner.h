// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_TUNER_H
#define COLLECTIVE_TUNER_H

#include "collective-plan.h"
#include "collective-platform.h"
#include "collective-request.h"
#include "rank-layout.h"

#include "ns3/object.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Chooses how a request is carried out: algorithm, protocol, channels, chunks. A study
 * brings its own by subclassing.
 */
class CollectiveTuner : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return what reports call it
    virtual std::string GetName() const = 0;

    /**
     * @param request what is asked for; CheckRequest() has no objection
     * @param layout by whom
     * @param platform on what
     * @param error receives why nothing can serve the request; else it is left empty
     * @return the plan; its `why` names the candidates and their predicted times
     */
    virtual CollectivePlan Choose(const CollectiveRequest& request,
                                  const RankLayout& layout,
                                  const CollectivePlatform& platform,
                                  std::string& error) const = 0;
};

} // namespace ns3

#endif // COLLECTIVE_TUNER_H
