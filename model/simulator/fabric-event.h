// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_EVENT_H
#define FABRIC_EVENT_H

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief An event that an object embeds and schedules again and again; it allocates nothing.
 *
 * On FabricSimulatorImpl it is called straight from the queue. On any other simulator an EventImpl
 * stands for it there. Several calls of it may be pending. It is never cancelled: what it calls
 * decides whether there is something to do.
 */
class FabricEvent
{
  public:
    /// How many events ahead of its turn an event is asked to prefetch what it will need. The event
    /// itself is in the cache then, and what was prefetched at the stage before.
    enum Stage : uint32_t
    {
        FAR = 7,  ///< what the event points to
        NEAR = 3, ///< what that points to
    };

    /// What the simulator knows of a kind of event.
    struct Kind
    {
        void (*fire)(FabricEvent&);                  ///< does what is to be done
        void (*prefetch)(const FabricEvent&, Stage); ///< null: there is nothing to prefetch
    };

    /// @param kind must live as long as the event
    explicit FabricEvent(const Kind& kind)
        : m_kind(&kind)
    {
    }

    FabricEvent(const FabricEvent&) = delete;
    FabricEvent& operator=(const FabricEvent&) = delete;

    ~FabricEvent()
    {
        if (m_pending > 0 || m_relay)
        {
            Withdraw();
        }
    }

    /// @param context the node whose event it is @param delaySteps from now, time steps
    inline void Schedule(uint32_t context, int64_t delaySteps); // in fabric-simulator-impl.h

    /// On FabricSimulatorImpl only: like Schedule(), with a place of its own among the events of
    /// its time. @param context the node @param delaySteps from now, time steps @param number its
    /// place: before all that have none, the smaller first
    void ScheduleArrival(uint32_t context, int64_t delaySteps, uint32_t number);

  private:
    friend class FabricSimulatorImpl;

    /// Stands for the event in the queue of another simulator.
    class Relay : public EventImpl
    {
      public:
        explicit Relay(FabricEvent* event)
            : m_event(event)
        {
        }

        /// The event has gone.
        void Detach()
        {
            m_event = nullptr;
        }

      private:
        void Notify() override;

        FabricEvent* m_event;
    };

    void Withdraw();
    void ScheduleRelay(uint32_t context, int64_t delaySteps);

    const Kind* m_kind;
    Ptr<Relay> m_relay;    ///< null until another simulator is met
    uint32_t m_pending{0}; ///< calls that FabricSimulatorImpl has in its queue
};

} // namespace ns3

#endif // FABRIC_EVENT_H
