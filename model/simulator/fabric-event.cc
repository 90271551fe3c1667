// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-event.h"

#include "fabric-simulator-impl.h"

namespace ns3
{

void
FabricEvent::Relay::Notify()
{
    if (m_event)
    {
        m_event->m_kind->fire(*m_event);
    }
}

void
FabricEvent::ScheduleRelay(uint32_t context, int64_t delaySteps)
{
    if (!m_relay)
    {
        m_relay = Create<Relay>(this);
    }
    m_relay->Ref(); // the queue's reference; it drops it after the call
    Simulator::ScheduleWithContext(context, TimeStep(delaySteps), PeekPointer(m_relay));
}

void
FabricEvent::ScheduleArrival(uint32_t context, int64_t delaySteps, uint32_t number)
{
    ++m_pending;
    FabricSimulatorImpl::Active()->ScheduleArrival(*this, context, delaySteps, number);
}

void
FabricEvent::Withdraw()
{
    if (m_relay)
    {
        m_relay->Detach();
    }
    if (FabricSimulatorImpl* simulator = FabricSimulatorImpl::Active())
    {
        simulator->Withdraw(*this);
    }
    m_pending = 0;
}

} // namespace ns3
