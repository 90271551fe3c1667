// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Programs that run on ns-3's default simulator and on FabricSimulatorImpl: each must leave
 * the same trace, line by line.
 */

#include "fabric-fixture.h"

#include "ns3/applications-module.h"
#include "ns3/config.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/internet-module.h"
#include "ns3/persistent-event.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

using namespace ns3;

namespace
{

using Program = std::function<void(std::ostream& trace)>;

/// @return what a program wrote, and how the simulator stood at its end
std::string
RunOn(const std::string& simulator, const Program& program)
{
    Config::Reset();
    GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    std::ostringstream trace;
    Simulator::GetImplementation(); // makes it
    EXPECT_EQ(FabricSimulatorImpl::Active() != nullptr, simulator == "ns3::FabricSimulatorImpl");
    program(trace);
    trace << "end at " << Simulator::Now().GetTimeStep() << " after " << Simulator::GetEventCount()
          << " events, finished " << Simulator::IsFinished() << "\n";
    Simulator::Destroy();
    EXPECT_EQ(FabricSimulatorImpl::Active(), nullptr);
    return trace.str();
}

/// The traces of both simulators are the same. @param least lines that it must have
void
ExpectSameTraces(const Program& program, size_t least)
{
    std::string expected = RunOn("ns3::DefaultSimulatorImpl", program);
    std::string actual = RunOn("ns3::FabricSimulatorImpl", program);
    EXPECT_GE(static_cast<size_t>(std::count(expected.begin(), expected.end(), '\n')), least);
    EXPECT_TRUE(expected == actual);
    std::istringstream expectedLines(expected);
    std::istringstream actualLines(actual);
    std::string e;
    std::string a;
    for (int line = 1; std::getline(expectedLines, e) && std::getline(actualLines, a); ++line)
    {
        ASSERT_EQ(e, a) << "line " << line;
    }
}

/// Does anything that a program can do to its events, at random.
class EventMonkey
{
  public:
    EventMonkey(std::ostream& trace, uint64_t seed)
        : m_trace(trace),
          m_random(seed)
    {
        for (int i = 0; i < 50; ++i)
        {
            Act();
        }
        Simulator::ScheduleDestroy(&EventMonkey::AtDestroy, this, 0);
    }

  private:
    void Fire(uint32_t number)
    {
        m_trace << Simulator::Now().GetTimeStep() << " " << number << " in "
                << Simulator::GetContext() << "\n";
        for (uint32_t i = m_random() % 5; i > 0 && m_count < 3000; --i)
        {
            Act();
        }
    }

    void AtDestroy(uint32_t number)
    {
        m_trace << "destroy " << number << "\n";
    }

    Time Delay()
    {
        static constexpr int64_t LONGEST[] = {1, 2, 100, 1000, 100000, 10000000, 1000000000000};
        return TimeStep(m_random() % LONGEST[m_random() % 7]);
    }

    void Act()
    {
        uint32_t number = m_count++;
        switch (m_random() % 10)
        {
        case 0:
            m_ids.push_back(Simulator::ScheduleNow(&EventMonkey::Fire, this, number));
            break;
        case 1:
            Simulator::ScheduleWithContext(number % 5, Delay(), &EventMonkey::Fire, this, number);
            break;
        case 2:
            m_ids.push_back(Simulator::ScheduleDestroy(&EventMonkey::AtDestroy, this, number));
            break;
        case 3:
            Look([](const EventId& id) { Simulator::Remove(id); });
            break;
        case 4:
            Look([](const EventId& id) { Simulator::Cancel(id); });
            break;
        case 5:
            Look([](const EventId&) {});
            break;
        default:
            m_ids.push_back(Simulator::Schedule(Delay(), &EventMonkey::Fire, this, number));
        }
    }

    template <typename Action>
    void Look(Action action)
    {
        if (m_ids.empty())
        {
            return;
        }
        const EventId& id = m_ids[m_random() % m_ids.size()];
        m_trace << "event " << id.GetUid() << " of " << id.GetTs() << " in " << id.GetContext()
                << ": expired " << Simulator::IsExpired(id) << ", left "
                << Simulator::GetDelayLeft(id).GetTimeStep();
        action(id);
        m_trace << ", then " << Simulator::IsExpired(id) << "\n";
    }

    std::ostream& m_trace;
    std::mt19937_64 m_random;
    std::vector<EventId> m_ids;
    uint32_t m_count{0};
};

} // namespace

TEST(FabricSimulator, DoesToEventsWhatTheDefaultOneDoes)
{
    for (uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed)
    {
        ExpectSameTraces(
            [&](std::ostream& trace) {
                static std::unique_ptr<EventMonkey> monkey; // until after Destroy
                monkey = std::make_unique<EventMonkey>(trace, seed);
                Simulator::Stop(MicroSeconds(5));
                Simulator::Run();
                trace << "stopped at " << Simulator::Now().GetTimeStep() << "\n";
                Simulator::Schedule(MilliSeconds(1), [] { Simulator::Stop(); });
                Simulator::Run();
                trace << "again at " << Simulator::Now().GetTimeStep() << "\n";
                Simulator::Run();
            },
            1000);
    }
}

TEST(FabricSimulator, RunsTcpOverIp)
{
    // ns-3's own devices, stack and applications: a router between 100 and 10 Mb/s that drops.
    ExpectSameTraces(
        [](std::ostream& trace) {
            NodeContainer nodes(3);
            PointToPointHelper fast;
            fast.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
            fast.SetChannelAttribute("Delay", StringValue("1ms"));
            PointToPointHelper slow;
            slow.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
            slow.SetChannelAttribute("Delay", StringValue("5ms"));
            slow.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("20p"));
            NetDeviceContainer first = fast.Install(nodes.Get(0), nodes.Get(1));
            NetDeviceContainer second = slow.Install(nodes.Get(1), nodes.Get(2));
            InternetStackHelper().Install(nodes);
            Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(first);
            Ipv4InterfaceContainer far =
                Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(second);
            Ipv4GlobalRoutingHelper::PopulateRoutingTables();
            Address sink = InetSocketAddress(far.GetAddress(1), 5001);
            PacketSinkHelper("ns3::TcpSocketFactory", sink).Install(nodes.Get(2));
            BulkSendHelper("ns3::TcpSocketFactory", sink).Install(nodes.Get(0));
            OnOffHelper noise("ns3::UdpSocketFactory", sink);
            noise.SetAttribute("DataRate", StringValue("3Mbps"));
            noise.Install(nodes.Get(0));
            auto note = [&trace](Ptr<const Packet> packet) {
                trace << Simulator::Now().GetTimeStep() << " " << Simulator::GetContext() << " "
                      << packet->GetSize() << " " << packet->ToString() << "\n";
            };
            for (const NetDeviceContainer& devices : {first, second})
            {
                for (uint32_t i = 0; i < 2; ++i)
                {
                    devices.Get(i)->TraceConnectWithoutContext(
                        "MacTx",
                        Callback<void, Ptr<const Packet>>(note));
                }
            }
            Simulator::Stop(Seconds(3));
            Simulator::Run();
        },
        5000);
}

TEST(FabricSimulator, RunsAFabric)
{
    // An incast with losses: data, ACKs, CNPs, pauses, timers.
    ExpectSameTraces(
        [](std::ostream& trace) {
            FabricFixture f;
            f.lossRate = 1e-3;
            f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
            f.BuildStar(9, "100Gbps", NanoSeconds(500));
            for (uint32_t h = 0; h < 9; ++h)
            {
                f.Port(h)->TraceConnectWithoutContext(
                    "FrameRx",
                    Callback<void, const FabricFrame&>([&trace, h](const FabricFrame& frame) {
                        trace << Simulator::Now().GetTimeStep() << " " << h << " "
                              << Simulator::GetContext() << " " << +static_cast<uint8_t>(frame.kind)
                              << " " << frame.psn << " " << frame.sizeBytes << "\n";
                    }));
            }
            for (uint32_t h = 0; h < 8; ++h)
            {
                f.Post(f.Connect(h, 8), 1000000);
            }
            f.Run();
            f.ExpectAllSucceeded(8, 8 * 1000000);
            for (const auto& completion : f.completions)
            {
                trace << "completion at " << completion.at.GetTimeStep() << "\n";
            }
            trace << "before the end at " << Simulator::Now().GetTimeStep() << " after "
                  << Simulator::GetEventCount() << "\n";
        },
        2000);
}

TEST(FabricSimulator, TakesEventsOfOtherThreads)
{
    constexpr uint32_t EVENTS = 10000;
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    uint32_t come = 0;
    uint32_t wrong = 0;
    std::thread other;
    std::function<void()> wait = [&] { // keeps the simulation going until all have come
        if (come < EVENTS)
        {
            Simulator::Schedule(NanoSeconds(1), wait);
        }
    };
    Simulator::ScheduleNow([&] {
        other = std::thread([&] {
            for (uint32_t i = 0; i < EVENTS; ++i)
            {
                Simulator::ScheduleWithContext(7, NanoSeconds(i % 3), [&] {
                    ++come;
                    wrong += Simulator::GetContext() != 7;
                });
            }
        });
        wait();
    });
    Simulator::Run();
    other.join();
    EXPECT_EQ(come, EVENTS);
    EXPECT_EQ(wrong, 0u);
    Simulator::Destroy();
}

namespace
{

class Ticker
{
  public:
    explicit Ticker(int& calls)
        : m_calls(calls),
          m_wakeUp(this),
          m_event(this)
    {
    }

    void Start()
    {
        m_wakeUp.At(1, 500, 0);
        m_wakeUp.At(1, 300, 0); // the entry at 500 finds nothing to do
        m_event.Schedule(1, 100);
        m_event.Schedule(1, 200);
    }

  private:
    void Tick()
    {
        ++m_calls;
    }

    int& m_calls;
    WakeUp<Ticker, &Ticker::Tick> m_wakeUp;
    PersistentEvent<Ticker, &Ticker::Tick> m_event;
};

} // namespace

TEST(FabricSimulator, CallsNothingOfAnObjectThatHasGone)
{
    for (const char* simulator : {"ns3::DefaultSimulatorImpl", "ns3::FabricSimulatorImpl"})
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        int stays = 0;
        int goes = 0;
        Ticker staying(stays);
        auto going = std::make_unique<Ticker>(goes);
        Simulator::Now(); // there is a simulator
        staying.Start();
        going->Start();
        Simulator::Schedule(TimeStep(150), [&] { going.reset(); });
        Simulator::Run();
        EXPECT_EQ(stays, 3) << simulator; // at 100, 200, 300
        EXPECT_EQ(goes, 1) << simulator;  // at 100
        EXPECT_EQ(Simulator::Now().GetTimeStep(), 500) << simulator;
        EXPECT_EQ(Simulator::GetEventCount(), 9u) << simulator; // entries of the gone one count
        Simulator::Destroy();
    }
}

namespace
{

/// Asks a wake-up for random times, also when it is called, and checks that each call comes at the
/// earliest time that was asked for since the call before.
class RestlessSleeper
{
  public:
    explicit RestlessSleeper(uint64_t seed)
        : m_random(seed),
          m_wakeUp(this)
    {
    }

    /// Asks for one more time.
    void Ask()
    {
        int64_t now = NowSteps();
        // Some beyond 32 bits, which are overtaken now and then.
        int64_t when = now + static_cast<int64_t>(m_random() % 20) +
                       (m_random() % 8 == 0 ? (int64_t{1} << 32) - 10 : 0);
        m_earliest = std::min(m_earliest, when);
        m_wakeUp.At(1, when, now);
    }

    /// @return how often it was called
    int GetCalls() const
    {
        return m_calls;
    }

    /// @return when it has to be called next
    int64_t GetEarliest() const
    {
        return m_earliest;
    }

  private:
    void Wake()
    {
        EXPECT_EQ(NowSteps(), m_earliest);
        m_earliest = NEVER;
        ++m_calls;
        for (auto more = m_random() % 3; more > 0; --more)
        {
            Ask();
        }
    }

    std::mt19937_64 m_random;
    WakeUp<RestlessSleeper, &RestlessSleeper::Wake> m_wakeUp;
    int64_t m_earliest{NEVER};
    int m_calls{0};
};

/// Asks for 500, then for 300, and at 300 for 500 again.
class OvertakenSleeper
{
  public:
    OvertakenSleeper()
        : m_wakeUp(this)
    {
        m_wakeUp.At(1, 500, 0);
        m_wakeUp.At(1, 300, 0);
    }

    std::vector<int64_t> calls; ///< when it was called

  private:
    void Wake()
    {
        calls.push_back(NowSteps());
        if (calls.size() == 1)
        {
            m_wakeUp.At(1, 500, NowSteps());
        }
    }

    WakeUp<OvertakenSleeper, &OvertakenSleeper::Wake> m_wakeUp;
};

} // namespace

TEST(WakeUp, ComesAtTheEarliestTimeAskedFor)
{
    for (const char* simulator : {"ns3::DefaultSimulatorImpl", "ns3::FabricSimulatorImpl"})
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        for (uint64_t seed = 1; seed <= 20; ++seed)
        {
            RestlessSleeper sleeper(seed);
            for (int i = 0; i < 1000; ++i)
            {
                Simulator::Schedule(TimeStep(3 * i), &RestlessSleeper::Ask, &sleeper);
            }
            Simulator::Run();
            EXPECT_EQ(sleeper.GetEarliest(), NEVER) << simulator << ", seed " << seed;
            EXPECT_GT(sleeper.GetCalls(), 300) << simulator << ", seed " << seed;
            Simulator::Destroy();
        }
    }
}

TEST(WakeUp, AnEntryThatWasOvertakenServesWhenItsTimeIsAskedForAgain)
{
    for (const char* simulator : {"ns3::DefaultSimulatorImpl", "ns3::FabricSimulatorImpl"})
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        Simulator::Now(); // there is a simulator
        OvertakenSleeper sleeper;
        Simulator::Run();
        EXPECT_EQ(sleeper.calls, (std::vector<int64_t>{300, 500})) << simulator;
        EXPECT_EQ(Simulator::GetEventCount(), 2u) << simulator;
        Simulator::Destroy();
    }
}

TEST(FabricSimulator, IsChosenUnlessAnotherOneIs)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    EXPECT_TRUE(FabricSimulatorImpl::Use());
    StringValue chosen;
    GlobalValue::GetValueByName("SimulatorImplementationType", chosen);
    EXPECT_EQ(chosen.Get(), "ns3::FabricSimulatorImpl");
    EXPECT_TRUE(FabricSimulatorImpl::Use());
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
    EXPECT_FALSE(FabricSimulatorImpl::Use());
    GlobalValue::GetValueByName("SimulatorImplementationType", chosen);
    EXPECT_EQ(chosen.Get(), "ns3::RealtimeSimulatorImpl");
}

TEST(FabricSimulator, AcceptsTheSchedulersOfNs3)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    std::vector<int> order;
    Simulator::Schedule(TimeStep(2), [&] { order.push_back(2); });
    ObjectFactory factory("ns3::ListScheduler");
    Simulator::SetScheduler(factory); // what waits stays
    Simulator::Schedule(TimeStep(1), [&] { order.push_back(1); });
    Simulator::Run();
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    Simulator::Destroy();
    EXPECT_DEATH(
        {
            ObjectFactory other("ns3::ArrivalOrderScheduler");
            Simulator::SetScheduler(other);
        },
        "needs ns3::DefaultSimulatorImpl");
}
