// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-initiator.h"

#include "fabric-net-device.h"

#include <algorithm>

namespace ns3
{

PfcInitiator::PfcInitiator()
    : m_refresh(this)
{
}

void
PfcInitiator::Configure(FabricNetDevice& port, uint16_t quanta)
{
    m_port = &port;
    m_quanta = quanta;
}

void
PfcInitiator::PauseClasses(uint8_t classes)
{
    m_pausing |= classes;
    Send(classes);
}

void
PfcInitiator::Send(uint8_t classes)
{
    m_port->SendPause(classes, m_quanta);
    int64_t period = m_port->GetPauseRefreshSteps(m_quanta);
    if (period == NEVER)
    {
        return;
    }
    int64_t now = NowSteps();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            m_refreshAt[c] = now + period;
        }
    }
    m_refresh.At(m_port->GetNodeId(), now + period, now);
}

void
PfcInitiator::Refresh()
{
    int64_t now = NowSteps();
    uint8_t due = 0;
    int64_t next = NEVER;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (!IsPausing(c))
        {
            continue; // opened meanwhile
        }
        if (m_refreshAt[c] <= now)
        {
            due |= 1U << c;
        }
        else
        {
            next = std::min(next, m_refreshAt[c]); // opened and stopped again meanwhile
        }
    }
    if (due)
    {
        Send(due);
    }
    if (next != NEVER)
    {
        m_refresh.At(m_port->GetNodeId(), next, now);
    }
}

void
PfcInitiator::ResumeClasses(uint8_t classes)
{
    m_pausing &= ~classes;
    m_port->SendPause(classes, 0);
}

void
PfcInitiator::Reset()
{
    m_pausing = 0;
}

} // namespace ns3
