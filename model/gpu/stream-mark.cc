// SPDX-License-Identifier: GPL-2.0-only
#include "stream-mark.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

namespace
{

void
CallWaiting(StreamMark::Call call)
{
    call();
}

} // namespace

void
StreamMark::Reach()
{
    m_reached = true;
    m_time = Simulator::Now();
    std::vector<Call> waiting;
    waiting.swap(m_waiting);
    for (Call& call : waiting)
    {
        Simulator::ScheduleNow(&CallWaiting, std::move(call));
    }
}

void
StreamMark::WhenReached(Call call)
{
    if (m_reached)
    {
        call();
        return;
    }
    m_waiting.push_back(std::move(call));
}

} // namespace ns3
