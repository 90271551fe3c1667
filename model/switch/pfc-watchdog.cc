// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-watchdog.h"

#include "ns3/abort.h"
#include "ns3/enum-attribute.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcWatchdog);

TypeId
PfcWatchdog::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PfcWatchdog")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<PfcWatchdog>()
            .AddAttribute("DetectionTime",
                          "A queue that PFC has held for so long with a frame in it is in a storm.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&PfcWatchdog::m_detectionTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("RestorationTime",
                          "A storm is over when no pause frame has stopped the class for so long.",
                          TimeValue(MilliSeconds(400)),
                          MakeTimeAccessor(&PfcWatchdog::m_restorationTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute(
                "Action",
                "During a storm: Drop what is for that queue, or Forward it against the "
                "pause.",
                EnumValue(PfcWatchdog::DROP),
                MakeEnumAccessorFor<Action>(&PfcWatchdog::m_action),
                MakeEnumChecker(PfcWatchdog::DROP, "Drop", PfcWatchdog::FORWARD, "Forward"))
            .AddTraceSource("Storm",
                            "A storm begins at a port and class, or is over.",
                            MakeTraceSourceAccessor(&PfcWatchdog::m_stormTrace),
                            "ns3::PfcWatchdog::StormTracedCallback");
    return tid;
}

void
PfcWatchdog::DoDispose()
{
    m_watched.clear();
    Object::DoDispose();
}

void
PfcWatchdog::Watch(Ptr<FabricNetDevice> port, uint8_t classes)
{
    auto watched = std::make_unique<Watched>();
    watched->port = port;
    watched->classes = classes;
    Watched* raw = watched.get();
    port->TraceConnectWithoutContext(
        "PauseState",
        Callback<void, uint32_t, bool>([this, raw](uint32_t trafficClass, bool paused) {
            PauseChanged(raw, trafficClass, paused);
        }));
    m_watched.push_back(std::move(watched));
}

uint8_t
PfcWatchdog::GetStormingClasses(Ptr<const FabricNetDevice> port) const
{
    for (const auto& watched : m_watched)
    {
        if (watched->port == port)
        {
            return watched->storming;
        }
    }
    NS_ABORT_MSG("PfcWatchdog: a port was asked for that is not watched");
    return 0;
}

void
PfcWatchdog::PauseChanged(Watched* watched, uint32_t trafficClass, bool paused)
{
    uint8_t bit = 1U << trafficClass;
    if (paused && (watched->classes & ~watched->storming & bit))
    {
        Arm(watched, trafficClass, m_detectionTime.GetTimeStep());
    }
}

void
PfcWatchdog::Arm(Watched* watched, uint32_t trafficClass, int64_t steps)
{
    if (!(watched->armed & (1U << trafficClass)))
    {
        watched->armed |= 1U << trafficClass;
        Simulator::Schedule(TimeStep(steps), &PfcWatchdog::Look, this, watched, trafficClass);
    }
}

void
PfcWatchdog::Look(Watched* watched, uint32_t trafficClass)
{
    uint8_t bit = 1U << trafficClass;
    watched->armed &= ~bit;
    int64_t now = NowSteps();
    if (!(watched->port->GetPausedClasses(now) & bit))
    {
        return; // the next pause makes it look again
    }
    int64_t limit = m_detectionTime.GetTimeStep();
    int64_t since = watched->port->StuckSince(trafficClass, now);
    since = since == NEVER ? now : since; // held, but nothing waits
    if (now - since >= limit)
    {
        Begin(watched, trafficClass);
    }
    else
    {
        Arm(watched, trafficClass, since + limit - now);
    }
}

void
PfcWatchdog::Begin(Watched* watched, uint32_t trafficClass)
{
    ++m_storms;
    watched->storming |= 1U << trafficClass;
    m_stormTrace(watched->port, trafficClass, true);
    Act(*watched);
    if (m_action == DROP)
    {
        watched->port->FlushClass(trafficClass, DropReason::WATCHDOG);
    }
    LookForEnd(watched, trafficClass);
}

void
PfcWatchdog::LookForEnd(Watched* watched, uint32_t trafficClass)
{
    int64_t quiet = NowSteps() - watched->port->GetLastPauseSteps(trafficClass);
    int64_t rest = m_restorationTime.GetTimeStep() - quiet;
    if (rest <= 0)
    {
        End(watched, trafficClass);
    }
    else
    {
        Simulator::Schedule(TimeStep(rest), &PfcWatchdog::LookForEnd, this, watched, trafficClass);
    }
}

void
PfcWatchdog::End(Watched* watched, uint32_t trafficClass)
{
    ++m_restorations;
    watched->storming &= ~(1U << trafficClass);
    Act(*watched);
    m_stormTrace(watched->port, trafficClass, false);
    if (watched->port->GetPausedClasses(NowSteps()) & (1U << trafficClass))
    {
        Arm(watched, trafficClass, m_detectionTime.GetTimeStep());
    }
}

void
PfcWatchdog::Act(Watched& watched) const
{
    if (m_action == DROP)
    {
        watched.port->SetBarredClasses(watched.storming);
    }
    else
    {
        watched.port->SetUnpausableClasses(watched.storming);
    }
}

} // namespace ns3
