// SPDX-License-Identifier: GPL-2.0-only
#include "deadlock-detector.h"

#include "cycle-finder.h"
#include "fabric-routing.h"

#include "ns3/persistent-event.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DeadlockDetector);

/// The queues of a class in all switches at one moment, numbered by switch and port.
class DeadlockDetector::ClassView
{
  public:
    ClassView(const FabricRouting& routing, uint32_t trafficClass)
        : m_switches(routing.GetSwitches()),
          m_class(trafficClass)
    {
        for (uint32_t s = 0; s < m_switches.size(); ++s)
        {
            m_first.push_back(static_cast<uint32_t>(m_queues.size()));
            for (uint32_t p = 0; p < m_switches[s]->GetNPorts(); ++p)
            {
                m_queues.push_back(ReadQueue(routing, *m_switches[s]->GetPort(p)));
            }
        }
        FindWaits();
        FreeWhatMayMove();
    }

    /// @return by queue: the frame at its head
    std::vector<FrameMark> GetHeads() const
    {
        std::vector<FrameMark> heads;
        for (const Queue& queue : m_queues)
        {
            heads.push_back(queue.head);
        }
        return heads;
    }

    /// @return circles of stuck queues, one for each set of them that wait for each other
    std::vector<std::vector<uint32_t>> FindCycles() const
    {
        std::vector<std::vector<uint32_t>> successors(m_queues.size());
        for (size_t q = 0; q < m_queues.size(); ++q)
        {
            if (m_queues[q].stuck)
            {
                successors[q] = m_queues[q].waitsFor;
            }
        }
        return FindShortestCycles(successors);
    }

    /// @param cycle of FindCycles() @return its ports
    BufferCycle GetPorts(const std::vector<uint32_t>& cycle) const
    {
        BufferCycle ports{m_class, {}};
        for (uint32_t queue : cycle)
        {
            auto after = std::upper_bound(m_first.begin(), m_first.end(), queue);
            auto s = static_cast<uint32_t>(after - m_first.begin() - 1);
            ports.ports.push_back(m_switches[s]->GetPort(queue - m_first[s]));
        }
        return ports;
    }

  private:
    /// An egress queue.
    struct Queue
    {
        bool stuck{false};
        uint32_t farSwitch{0};          ///< where it leads to, if stuck
        uint32_t farPort{0};            ///< likewise
        std::vector<uint32_t> waitsFor; ///< queues with frames that came from here, ascending
        FrameMark head{nullptr, 0};
    };

    Queue ReadQueue(const FabricRouting& routing, FabricNetDevice& port) const
    {
        Queue queue;
        port.VisitQueue(m_class, [&queue](const FabricFrame& frame) {
            if (!queue.head.frame)
            {
                queue.head = {&frame, frame.enqueueTime};
            }
        });
        if (!queue.head.frame || !(port.GetPausedClasses(NowSteps()) & (1U << m_class)))
        {
            return queue;
        }
        Ptr<FabricNetDevice> peer = port.GetPeer();
        queue.farSwitch = routing.GetSwitchIndex(peer->GetNodeId());
        if (queue.farSwitch != RoutingGraph::NO_SWITCH)
        {
            queue.farPort = m_switches[queue.farSwitch]->GetPortNumber(peer);
            queue.stuck = m_switches[queue.farSwitch]->IsPausing(queue.farPort, m_class);
        }
        return queue;
    }

    /// Where the frames of each paused link stand at the switch that pauses it.
    void FindWaits()
    {
        std::vector<std::vector<uint32_t>> senders(m_switches.size()); // by switch: stuck queues
        for (uint32_t q = 0; q < m_queues.size(); ++q)
        {
            if (m_queues[q].stuck)
            {
                senders[m_queues[q].farSwitch].push_back(q);
            }
        }
        for (uint32_t s = 0; s < m_switches.size(); ++s)
        {
            std::vector<Queue*> senderOf(m_switches[s]->GetNPorts()); // by ingress port
            for (uint32_t q : senders[s])
            {
                senderOf[m_queues[q].farPort] = &m_queues[q];
            }
            for (uint32_t p = 0; p < senderOf.size() && !senders[s].empty(); ++p)
            {
                uint32_t egress = m_first[s] + p;
                m_switches[s]->GetPort(p)->VisitQueue(m_class, [&](const FabricFrame& frame) {
                    Queue* sender =
                        frame.ingressPort < senderOf.size() ? senderOf[frame.ingressPort] : nullptr;
                    if (sender && (sender->waitsFor.empty() || sender->waitsFor.back() != egress))
                    {
                        sender->waitsFor.push_back(egress);
                    }
                });
            }
        }
    }

    /// A queue is not stuck after all if what it waits for is not.
    void FreeWhatMayMove()
    {
        for (bool freed = true; freed;)
        {
            freed = false;
            for (Queue& queue : m_queues)
            {
                bool mayMove = std::any_of(queue.waitsFor.begin(),
                                           queue.waitsFor.end(),
                                           [this](uint32_t q) { return !m_queues[q].stuck; });
                if (queue.stuck && (mayMove || queue.waitsFor.empty()))
                {
                    queue.stuck = false;
                    freed = true;
                }
            }
        }
    }

    const std::vector<Ptr<FabricSwitch>>& m_switches;
    uint32_t m_class;
    std::vector<uint32_t> m_first; ///< by switch: number of the queue of its port 0
    std::vector<Queue> m_queues;
};

TypeId
DeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<DeadlockDetector>()
            .AddAttribute("Interval",
                          "Time between two looks.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&DeadlockDetector::m_interval),
                          MakeTimeChecker(TimeStep(1)))
            .AddTraceSource("Deadlock",
                            "Queues wait for each other for good; once for each "
                            "circle.",
                            MakeTraceSourceAccessor(&DeadlockDetector::m_deadlockTrace),
                            "ns3::DeadlockDetector::DeadlockTracedCallback");
    return tid;
}

DeadlockDetector::DeadlockDetector() = default;
DeadlockDetector::~DeadlockDetector() = default;

void
DeadlockDetector::DoDispose()
{
    Stop();
    m_routing = nullptr;
    m_deadlocks.clear();
    Object::DoDispose();
}

void
DeadlockDetector::SetRouting(Ptr<const FabricRouting> routing)
{
    m_routing = routing;
}

void
DeadlockDetector::Start()
{
    Stop();
    // The event keeps this object while it runs; the object must not keep the event in turn.
    Simulator::Schedule(m_interval,
                        &DeadlockDetector::LookAndGoOn,
                        Ptr<DeadlockDetector>(this),
                        m_start);
}

void
DeadlockDetector::Stop()
{
    ++m_start;
}

void
DeadlockDetector::LookAndGoOn(uint64_t start)
{
    if (start != m_start)
    {
        return; // stopped since
    }
    Look();
    if (!Simulator::IsFinished()) // an event of ours alone would keep the simulation going
    {
        Start();
    }
}

std::vector<BufferCycle>
DeadlockDetector::Look()
{
    std::vector<BufferCycle> deadlocks;
    uint8_t lossless = 0;
    for (const auto& fabricSwitch : m_routing->GetSwitches())
    {
        lossless |= fabricSwitch->GetLosslessClasses();
    }
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (!(lossless & (1U << c)))
        {
            continue;
        }
        ClassView view(*m_routing, c);
        std::vector<FrameMark> before = view.GetHeads();
        before.swap(m_heads[c]);
        for (const std::vector<uint32_t>& cycle : view.FindCycles())
        {
            bool stands =
                !before.empty() && std::all_of(cycle.begin(), cycle.end(), [&](uint32_t queue) {
                    return before[queue] == m_heads[c][queue];
                });
            if (!stands)
            {
                continue;
            }
            deadlocks.push_back(view.GetPorts(cycle));
            if (m_known.emplace(c, cycle).second)
            {
                m_deadlocks.push_back(deadlocks.back());
                m_deadlockTrace(m_deadlocks.back());
            }
        }
    }
    return deadlocks;
}

} // namespace ns3
