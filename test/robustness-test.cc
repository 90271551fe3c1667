// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Every congestion control where nobody has tuned it: any number of frames for an ACK, any
 * frame, any link, any distance. Nothing may be lost, stall, overflow or become no number.
 *
 * Not each combination is run: each value of each parameter meets each value of each other one, by
 * an orthogonal array of strength two.
 */

#include "congestion-setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace ns3;

namespace
{

constexpr uint32_t LEVELS = 5;
constexpr std::array<uint32_t, LEVELS> ACK_INTERVALS{1, 4, 16, 64, 1};
constexpr std::array<uint32_t, LEVELS> MTUS{256, 1000, 1024, 4096, 9000};
constexpr std::array<uint64_t, LEVELS> GIGABITS{10, 25, 100, 400, 1600};
constexpr std::array<uint64_t, LEVELS> RTT_NS{1'000, 10'000, 100'000, 1'000'000, 10'000'000};

constexpr uint32_t SENDERS = 4;
constexpr uint32_t FRAMES = 600; ///< of a message

/// Levels of the four parameters in each run.
std::vector<std::array<uint32_t, 4>>
OrthogonalArray()
{
    // Lines of slopes 0, infinity, 1 and 2 over the field of five elements: two of them meet once.
    std::vector<std::array<uint32_t, 4>> rows;
    for (uint32_t i = 0; i < LEVELS; ++i)
    {
        for (uint32_t j = 0; j < LEVELS; ++j)
        {
            rows.push_back({i, j, (i + j) % LEVELS, (i + 2 * j) % LEVELS});
        }
    }
    return rows;
}

TEST(OrthogonalArray, HasEachPairOfValues)
{
    for (uint32_t p = 0; p < 4; ++p)
    {
        for (uint32_t q = 0; q < p; ++q)
        {
            std::set<std::pair<uint32_t, uint32_t>> pairs;
            for (const auto& row : OrthogonalArray())
            {
                pairs.insert({row[p], row[q]});
            }
            EXPECT_EQ(pairs.size(), LEVELS * LEVELS);
        }
    }
}

/// One place where an algorithm has to live.
struct Conditions
{
    uint32_t ackInterval;
    uint32_t mtu;
    uint64_t gigabits;
    Time rtt;

    /// @return bandwidth-delay product, bytes
    double Bdp() const
    {
        return static_cast<double>(gigabits) * 1e9 / 8 * rtt.GetSeconds();
    }
};

/// Runs messages under an algorithm, and checks each rate and window that it sets.
class Ordeal
{
  public:
    Ordeal(const std::string& algorithm, const Conditions& c)
        : m_lineRate(static_cast<double>(c.gigabits) * 1e9),
          m_mostWindow(16 * (c.Bdp() + BUFFER))
    {
        std::string rate = std::to_string(c.gigabits) + "Gbps";
        Time delay = c.rtt / 4;
        f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(c.mtu));
        f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(c.ackInterval));
        UseCongestionControl(f,
                             algorithm,
                             DataRate(rate),
                             StarRoundTrip(DataRate(rate), delay, c.mtu));
        constexpr uint32_t MOST_OVERHEAD = 300; // headers and telemetry
        f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(c.mtu + MOST_OVERHEAD));
        // Room for the headroom of all ports: what is on a cable both ways, and then some.
        double headroom = (SENDERS + 1) * (c.Bdp() + 200'000);
        f.fabric.SetBufferAttribute("Size",
                                    UintegerValue(static_cast<uint64_t>(headroom + BUFFER)));
        f.BuildStar(SENDERS + 1, rate, delay);
        for (const Ptr<RdmaNic>& nic : f.Nics())
        {
            nic->TraceConnectWithoutContext("Rate", MakeCallback(&Ordeal::RateChanged, this));
            nic->TraceConnectWithoutContext("Window", MakeCallback(&Ordeal::WindowChanged, this));
        }
        for (uint32_t h = 1; h <= SENDERS; ++h)
        {
            m_connections.push_back(f.Connect(h, 0));
        }
    }

    /// Each sender sends some messages; then all is quiet.
    void Round(uint32_t messages, uint64_t bytes)
    {
        for (const Connection& connection : m_connections)
        {
            for (uint32_t m = 0; m < messages; ++m)
            {
                f.Post(connection, bytes);
                ++m_messages;
                m_bytes += bytes;
            }
        }
        Simulator::Stop(Seconds(100));
        f.Run();
    }

    void ExpectWell()
    {
        f.ExpectAllSucceeded(m_messages, m_bytes);
        f.ExpectDrained();
        f.ExpectSharesAddUp();
        EXPECT_EQ(f.Drops(), 0u);
        EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
        for (const Connection& connection : m_connections)
        {
            const RdmaRateState& state = connection.a->GetPacer().GetState();
            CheckRate(state.rateBps);
            CheckWindow(static_cast<double>(state.windowBytes));
        }
        EXPECT_EQ(m_badRates, 0u) << "such as " << m_badRate << " of " << m_lineRate;
        EXPECT_EQ(m_badWindows, 0u) << "such as " << m_badWindow << " of " << m_mostWindow;
    }

    FabricFixture f;

  private:
    static constexpr double BUFFER = 16e6;

    void CheckRate(double rate)
    {
        if (!std::isfinite(rate) || rate <= 0 || rate > m_lineRate * (1 + 1e-9))
        {
            ++m_badRates;
            m_badRate = rate;
        }
    }

    void CheckWindow(double window)
    {
        if (!std::isfinite(window) || window < 0 || window > m_mostWindow)
        {
            ++m_badWindows;
            m_badWindow = window;
        }
    }

    void RateChanged(const QueuePair&, double rate)
    {
        CheckRate(rate);
    }

    void WindowChanged(const QueuePair&, double window)
    {
        CheckWindow(window);
    }

    double m_lineRate;
    double m_mostWindow;
    std::vector<Connection> m_connections;
    uint64_t m_messages{0};
    uint64_t m_bytes{0};
    uint64_t m_badRates{0};
    uint64_t m_badWindows{0};
    double m_badRate{0};
    double m_badWindow{0};
};

class Robustness : public testing::TestWithParam<std::string>
{
};

TEST_P(Robustness, HoldsForEachPairOfConditions)
{
    for (const auto& [a, m, g, r] : OrthogonalArray())
    {
        Conditions c{ACK_INTERVALS[a], MTUS[m], GIGABITS[g], NanoSeconds(RTT_NS[r])};
        SCOPED_TRACE(testing::Message()
                     << "an ACK each " << c.ackInterval << ", MTU " << c.mtu << ", " << c.gigabits
                     << "G, RTT " << c.rtt.GetMicroSeconds() << " us");
        Ordeal ordeal(GetParam(), c);
        ordeal.Round(3, FRAMES * c.mtu - 1); // the last frame is not a full one
        ordeal.Round(1, 1);                  // after a silence, and nothing to measure
        ordeal.Round(1, FRAMES * c.mtu);
        ordeal.ExpectWell();
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         Robustness,
                         testing::ValuesIn(GetCongestionControlNames()),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
