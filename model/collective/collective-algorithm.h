// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "collective-plan.h"
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
 *
 * The attributes fill the plan where no tuner makes one.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return what reports and scenario files call it, for example "ring"
    virtual std::string GetName() const = 0;

    /**
     * @param request what is asked for; CheckRequest() has no objection
     * @param layout by whom
     * @return empty, or why this algorithm cannot do it
     */
    virtual std::string Check(const CollectiveRequest& request, const RankLayout& layout) const = 0;

    /**
     * @param request what is asked for; Check() has no objection
     * @param layout by whom
     * @return how, by the attributes: what no tuner has chosen
     */
    CollectivePlan MakePlan(const CollectiveRequest& request, const RankLayout& layout) const;

    /**
     * @param request what is asked for; Check() has no objection
     * @param layout by whom
     * @param plan how: channels, chunk and slice are obeyed as far as they concern it
     * @return the program; it may outlive the algorithm
     */
    virtual std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                          const RankLayout& layout,
                                                          const CollectivePlan& plan) const = 0;

  protected:
    /// @param layout by whom @return channels where the attribute is 0
    virtual uint32_t GetDefaultChannels(const RankLayout& layout) const;

  private:
    void SetProtocol(std::string name);
    std::string GetProtocol() const;

    CollectiveProtocol m_protocol{CollectiveProtocol::SIMPLE};
    uint32_t m_channels{0};
    uint64_t m_chunkBytes{0};
    uint64_t m_sliceBytes{0};
    uint32_t m_window{0};
    bool m_emptySlices{false};
};

} // namespace ns3

#endif // COLLECTIVE_ALGORITHM_H
