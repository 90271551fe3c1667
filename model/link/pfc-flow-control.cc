// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-flow-control.h"

#include "fabric-net-device.h"

#include "ns3/simulator.h"

namespace ns3
{

PfcFlowControl::PfcFlowControl(FabricNetDevice& port)
    : m_port(port)
{
}

void
PfcFlowControl::Obey(const FabricFrame& frame)
{
    if (!frame.IsPause())
    {
        return; // credits, from a far end that is set up otherwise
    }
    bool ofLink = frame.kind == FrameKind::PAUSE;
    auto quanta = frame.pauseQuanta;
    if (ofLink)
    {
        quanta.fill(quanta[0]);
    }
    uint8_t classes = ofLink ? 0xff : frame.pauseClasses;
    uint8_t stopped = 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        stopped |= ((classes & (1U << c)) && quanta[c] > 0) << c;
    }
    m_port.NotifyPauseReceived(stopped);
    if (ofLink != m_port.PausesWholeLink())
    {
        return; // not what was agreed upon for this link
    }
    classes &= ofLink ? 0xff : m_port.GetPfcClasses();
    if (m_port.GetPauseResponseTime().IsZero())
    {
        Apply(classes, quanta, m_linkEpoch);
    }
    else
    {
        Simulator::Schedule(m_port.GetPauseResponseTime(),
                            &PfcFlowControl::Apply,
                            this,
                            classes,
                            quanta,
                            m_linkEpoch);
    }
}

void
PfcFlowControl::Apply(uint8_t classes,
                      std::array<uint16_t, N_TRAFFIC_CLASSES> quanta,
                      uint32_t linkEpoch)
{
    if (linkEpoch != m_linkEpoch)
    {
        return; // the link has been down since
    }
    classes &= ~m_port.GetUnpausableClasses();
    int64_t now = NowSteps();
    m_port.GetPausedClasses(now); // what has run out by now is accounted first
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (!(classes & (1U << c)))
        {
            continue;
        }
        if (quanta[c])
        {
            uint64_t bytes = quanta[c] * uint64_t{wire::PAUSE_QUANTUM_BITS} / 8;
            m_port.HoldClass(c, now, now + m_port.SerializationSteps(bytes));
        }
        else
        {
            m_port.OpenClass(c, now);
        }
    }
    m_port.Kick();
}

void
PfcFlowControl::LinkChanged(bool up)
{
    m_linkEpoch += !up;
}

} // namespace ns3
