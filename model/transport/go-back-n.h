// SPDX-License-Identifier: GPL-2.0-only
#ifndef GO_BACK_N_H
#define GO_BACK_N_H

#include "rdma-reliability.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The standard's recovery (IBA vol. 1, 9.7): the responder takes frames in order only, and
 * the requester repeats everything from the one that is missing.
 */
class GoBackN : public RdmaReliability
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaReliability> Fork() const override;
    void SequenceNak(RdmaSendWindow& window, uint64_t psn) override;
    void TimedOut(RdmaSendWindow& window) override;
    bool ResponseGap(RdmaSendWindow& window, uint64_t missing, uint64_t come) override;
};

} // namespace ns3

#endif // GO_BACK_N_H
