// SPDX-License-Identifier: GPL-2.0-only
#ifndef SELECTIVE_REPEAT_H
#define SELECTIVE_REPEAT_H

#include "selective-reliability.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief IRN's recovery (Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018,
 * section 3): the responder keeps what comes early and answers it at once, the requester repeats
 * only what is missing.
 *
 * Frames in flight are bounded by a bandwidth-delay product (3.2). A short timer runs when few
 * frames are in flight, because then no later frame may come to tell of a loss; else a long one
 * (3.1.2: 100 us below 3 frames, 320 us).
 */
class SelectiveRepeat : public SelectiveReliability
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaReliability> Fork() const override;
    EarlyFrames GetEarlyFrames() const override;
    bool AnswersEarlyFrames() const override;
    int64_t GetTimeoutSteps(const RdmaSendWindow& window, int64_t standardSteps) const override;
    uint64_t GetMaxInFlight() const override;

  private:
    uint32_t m_maxInFlight{0};
    uint32_t m_fewFrames{0};
    Time m_shortTimeout;
    Time m_longTimeout;
};

} // namespace ns3

#endif // SELECTIVE_REPEAT_H
