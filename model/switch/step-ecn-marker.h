// SPDX-License-Identifier: GPL-2.0-only
#ifndef STEP_ECN_MARKER_H
#define STEP_ECN_MARKER_H

#include "ecn-marker.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Marks every frame that finds more than Threshold bytes in its queue, and no other
 * (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1).
 */
class StepEcnMarker : public EcnMarker
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool ShouldMark(uint64_t queueBytes, int64_t) override
    {
        return queueBytes > m_thresholdBytes;
    }

  private:
    uint64_t m_thresholdBytes{0};
};

} // namespace ns3

#endif // STEP_ECN_MARKER_H
