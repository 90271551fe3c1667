// SPDX-License-Identifier: GPL-2.0-only
#ifndef OUT_OF_ORDER_PLACEMENT_H
#define OUT_OF_ORDER_PLACEMENT_H

#include "selective-reliability.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief For networks that spray frames over paths: each frame is put where it belongs as it comes,
 * and a message is delivered as soon as it is whole, whatever else is missing.
 *
 * A gap is the normal case here, so it is no sign of loss until ReorderDistance frames behind it
 * have arrived. READs and atomics still wait for what was posted before them.
 */
class OutOfOrderPlacement : public SelectiveReliability
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaReliability> Fork() const override;
    EarlyFrames GetEarlyFrames() const override;
};

} // namespace ns3

#endif // OUT_OF_ORDER_PLACEMENT_H
