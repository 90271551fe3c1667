// SPDX-License-Identifier: GPL-2.0-only
//
// The order of FabricScheduler and of its LadderQueue, against ns-3's MapScheduler.

#include "ns3/event-impl.h"
#include "ns3/fabric-scheduler.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// How far ahead an event is scheduled. @param random draws @return time steps
using Delay = std::function<uint64_t(std::mt19937_64&)>;

struct Load
{
    std::string name;
    Delay delay;
    uint32_t pending; ///< about how many events wait
};

std::ostream&
operator<<(std::ostream& os, const Load& load)
{
    return os << load.name;
}

/// As fabrics do: a few fixed delays, timers far away, many events of one time.
uint64_t
FabricDelay(std::mt19937_64& random)
{
    static constexpr uint64_t DELAYS[] = {0, 5120, 83200, 1083200, 1083200, 1005120, 4000000000};
    return DELAYS[random() % 7];
}

uint64_t
WideDelay(std::mt19937_64& random)
{
    return random() >> (2 + random() % 62); // any magnitude below 2^62
}

class SchedulerOrder : public ::testing::TestWithParam<Load>
{
  protected:
    Scheduler::Event MakeEvent(uint64_t time)
    {
        Scheduler::Event event;
        event.impl = reinterpret_cast<EventImpl*>(uintptr_t{m_uid} * 16);
        event.key.m_ts = time;
        event.key.m_uid = m_uid;
        event.key.m_context = m_uid % 7;
        ++m_uid;
        return event;
    }

    void Insert(const Scheduler::Event& event)
    {
        m_ours->Insert(event);
        m_map->Insert(event);
    }

    /// Takes the next event out of both, which must be the same one.
    Scheduler::Event RemoveNext()
    {
        Scheduler::Event peeked = m_ours->PeekNext();
        Scheduler::Event ours = m_ours->RemoveNext();
        Scheduler::Event map = m_map->RemoveNext();
        EXPECT_EQ(peeked.key.m_uid, ours.key.m_uid);
        EXPECT_EQ(ours.key.m_ts, map.key.m_ts);
        EXPECT_EQ(ours.key.m_uid, map.key.m_uid);
        EXPECT_EQ(ours.key.m_context, map.key.m_context);
        EXPECT_EQ(ours.impl, map.impl);
        return ours;
    }

    uint32_t m_uid{4};
    Ptr<Scheduler> m_ours{CreateObject<FabricScheduler>()};
    Ptr<Scheduler> m_map{CreateObject<MapScheduler>()};
};

} // namespace

TEST_P(SchedulerOrder, IsThatOfTheMapScheduler)
{
    for (uint64_t seed = 1; seed <= 10 && !HasFailure(); ++seed)
    {
        std::mt19937_64 random(seed);
        uint64_t now = 0;
        uint32_t pending = 0;
        std::vector<Scheduler::Event> removable; // some that may still wait
        for (uint32_t step = 0; step < 20000 && !HasFailure(); ++step)
        {
            ASSERT_EQ(m_ours->IsEmpty(), m_map->IsEmpty());
            bool grow = pending == 0 || random() % (2 * GetParam().pending) > pending;
            if (grow)
            {
                Scheduler::Event event = MakeEvent(now + GetParam().delay(random) % (1ULL << 62));
                Insert(event);
                ++pending;
                if (random() % 4 == 0)
                {
                    removable.push_back(event);
                }
            }
            else if (random() % 8 == 0 && !removable.empty())
            {
                Scheduler::Event event = removable[random() % removable.size()];
                removable.clear(); // what has left already must not be removed again
                m_ours->Remove(event);
                m_map->Remove(event);
                --pending;
            }
            else
            {
                Scheduler::Event event = RemoveNext();
                ASSERT_GE(event.key.m_ts, now);
                now = event.key.m_ts;
                --pending;
                removable.erase(std::remove_if(removable.begin(),
                                               removable.end(),
                                               [&](const Scheduler::Event& other) {
                                                   return other.key.m_uid == event.key.m_uid;
                                               }),
                                removable.end());
                if (now > (1ULL << 61))
                {
                    break; // times are below 2^63
                }
            }
        }
        while (!m_map->IsEmpty() && !HasFailure())
        {
            ASSERT_FALSE(m_ours->IsEmpty());
            RemoveNext();
        }
        EXPECT_TRUE(m_ours->IsEmpty());
        m_ours = CreateObject<FabricScheduler>();
        m_map = CreateObject<MapScheduler>();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Loads,
    SchedulerOrder,
    ::testing::Values(
        Load{"FabricFew", FabricDelay, 20},
        Load{"FabricMany", FabricDelay, 5000},
        Load{"WideFew", WideDelay, 30},
        Load{"WideMany", WideDelay, 3000},
        Load{"OneTime", [](std::mt19937_64&) -> uint64_t { return 0; }, 2000},
        Load{"NextTimes", [](std::mt19937_64& random) -> uint64_t { return random() % 3; }, 2000},
        Load{"Uniform",
             [](std::mt19937_64& random) -> uint64_t { return random() % 1000000; },
             4000}),
    [](const ::testing::TestParamInfo<Load>& info) { return info.param.name; });

TEST(LadderQueue, ShowsTheNextEventsInTheirOrder)
{
    LadderQueue queue;
    for (uint64_t order = 0; order < 1000; ++order)
    {
        queue.Insert({order * 7919 % 1000 * 1000, order, 0, 0});
    }
    for (uint64_t time = 0; time < 1000; ++time)
    {
        EXPECT_EQ(queue.RemoveNext().time, time * 1000);
        for (uint64_t distance = 0; distance + 1 < LadderQueue::LOOK_AHEAD; ++distance)
        {
            const QueuedEvent* ahead = queue.Ahead(distance);
            bool many = 1000 - time > LadderQueue::MANY; // before it was taken out
            bool is = time + 1 + distance < 1000;
            if (!many && ahead == nullptr)
            {
                continue;
            }
            ASSERT_EQ(ahead != nullptr, is);
            if (is)
            {
                EXPECT_EQ(ahead->time, (time + 1 + distance) * 1000);
            }
        }
    }
    EXPECT_TRUE(queue.IsEmpty());
}
