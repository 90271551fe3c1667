// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-initiator.h"

#include "fabric-net-device.h"

#include "ns3/simulator.h"

namespace ns3
{

void
PfcInitiator::Configure(FabricNetDevice& port, uint16_t quanta)
{
    m_port = &port;
    m_quanta = quanta;
}

void
PfcInitiator::Pause(uint32_t trafficClass)
{
    m_pausing |= 1U << trafficClass;
    Send(trafficClass);
}

void
PfcInitiator::Send(uint32_t trafficClass)
{
    m_port->SendPause(1U << trafficClass, m_quanta);
    // At half of the pause time: one lost repetition does no harm.
    uint64_t pauseBytes = m_quanta * uint64_t{wire::PAUSE_QUANTUM_BITS} / 8;
    int64_t period = m_port->SerializationSteps(pauseBytes) / 2;
    m_refreshAt[trafficClass] = NowSteps() + period;
    if (!(m_refreshPending & (1U << trafficClass)))
    {
        ScheduleRefresh(trafficClass, period);
    }
}

void
PfcInitiator::ScheduleRefresh(uint32_t trafficClass, int64_t steps)
{
    m_refreshPending |= 1U << trafficClass;
    Simulator::Schedule(TimeStep(steps), &PfcInitiator::Refresh, this, trafficClass);
}

void
PfcInitiator::Refresh(uint32_t trafficClass)
{
    m_refreshPending &= ~(1U << trafficClass);
    if (!IsPausing(trafficClass))
    {
        return; // opened meanwhile
    }
    int64_t early = m_refreshAt[trafficClass] - NowSteps();
    if (early > 0)
    {
        ScheduleRefresh(trafficClass, early); // opened and stopped again meanwhile
    }
    else
    {
        Send(trafficClass);
    }
}

void
PfcInitiator::Resume(uint32_t trafficClass)
{
    m_pausing &= ~(1U << trafficClass);
    m_port->SendPause(1U << trafficClass, 0);
}

void
PfcInitiator::Reset()
{
    m_pausing = 0;
}

} // namespace ns3
