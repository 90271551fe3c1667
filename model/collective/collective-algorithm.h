// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "collective-program.h"
#include "collective-request.h"
#include "rank-layout.h"

#include "ns3/object.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Turns a request into a program. A study brings its own by subclassing.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return what reports and scenario files call it, for example "ring"
    virtual std::string GetName() const = 0;

    /// @return the protocol that messages are exchanged by; "simple" is whole messages and flags
    virtual std::string GetProtocol() const
    {
        return "simple";
    }

    /**
     * @param request what is asked for
     * @param layout by whom
     * @return empty, or why this algorithm cannot do it
     */
    virtual std::string Check(const CollectiveRequest& request, const RankLayout& layout) const = 0;

    /**
     * @param request what is asked for; Check() has no objection
     * @param layout by whom
     * @return the program; it may outlive the algorithm
     */
    virtual std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                          const RankLayout& layout) const = 0;
};

} // namespace ns3

#endif // COLLECTIVE_ALGORITHM_H
