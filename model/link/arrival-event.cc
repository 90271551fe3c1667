// SPDX-License-Identifier: GPL-2.0-only
#include "arrival-event.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <typeinfo>

namespace ns3
{

ArrivalEvent::ArrivalEvent(uint32_t number, Handler handler, void* target)
    : m_number(number),
      m_handler(handler),
      m_target(target)
{
}

ArrivalEvent::~ArrivalEvent() = default;

const ArrivalEvent*
ArrivalEvent::From(const EventImpl* impl)
{
    // Asked for each event: the one type_info of this class, without comparing names.
    return &typeid(*impl) == &typeid(ArrivalEvent) ? static_cast<const ArrivalEvent*>(impl)
                                                   : nullptr;
}

void
ArrivalEvent::Schedule(uint32_t context, int64_t delaySteps)
{
    Ref(); // the queue's reference; it drops it after the call
    Simulator::ScheduleWithContext(context, TimeStep(delaySteps), this);
}

void
ArrivalEvent::Notify()
{
    if (m_target)
    {
        m_handler(m_target);
    }
}

} // namespace ns3
