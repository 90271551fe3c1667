// SPDX-License-Identifier: GPL-2.0-only
#include "arrival-order-scheduler.h"

#include "arrival-event.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ArrivalOrderScheduler);

TypeId
ArrivalOrderScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ArrivalOrderScheduler")
                            .SetParent<FabricScheduler>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ArrivalOrderScheduler>();
    return tid;
}

ArrivalOrderScheduler::ArrivalOrderScheduler() = default;
ArrivalOrderScheduler::~ArrivalOrderScheduler() = default;

uint64_t
ArrivalOrderScheduler::OrderOf(const Event& event) const
{
    constexpr uint64_t AFTER_ARRIVALS = uint64_t{1} << 31; // so many ports no network has
    const ArrivalEvent* arrival = ArrivalEvent::From(event.impl);
    const uint64_t place = arrival ? arrival->GetNumber() : AFTER_ARRIVALS;
    return place << 32 | event.key.m_uid;
}

} // namespace ns3
