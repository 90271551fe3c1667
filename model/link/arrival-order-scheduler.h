// SPDX-License-Identifier: GPL-2.0-only
#ifndef ARRIVAL_ORDER_SCHEDULER_H
#define ARRIVAL_ORDER_SCHEDULER_H

#include "ns3/fabric-scheduler.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A scheduler whose order among events of one time does not depend on how a network is
 * divided over processes.
 *
 * First come the arrivals of frames (ArrivalEvent), by the number of the port where they arrive;
 * then all other events, in the order in which they were scheduled, as with ns-3's own schedulers.
 * What a node does then follows from its own past and from what arrives, and not from when other
 * nodes' events of the same time happened to be called.
 *
 * It takes its place by ns-3's global value SchedulerType.
 */
class ArrivalOrderScheduler : public FabricScheduler
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ArrivalOrderScheduler();
    ~ArrivalOrderScheduler() override;

  protected:
    uint64_t OrderOf(const Event& event) const override;
};

} // namespace ns3

#endif // ARRIVAL_ORDER_SCHEDULER_H
