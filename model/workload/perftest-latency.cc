// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-latency.h"

#include "ns3/persistent-event.h"

namespace ns3
{

namespace
{
constexpr uint32_t CLIENT = 0;
constexpr uint32_t SERVER = 1;
} // namespace

PerftestLatencyTest::PerftestLatencyTest(const PerftestConfig& config,
                                         PerftestSide& client,
                                         PerftestSide& server,
                                         std::function<void()> ended)
    : m_config(config),
      m_comesBack(ReturnsData(PerftestOperation(config))),
      m_ended(std::move(ended))
{
    m_players[CLIENT].side = &client;
    m_players[SERVER].side = &server;
}

void
PerftestLatencyTest::Start(uint64_t bytes)
{
    m_posted.clear();
    for (uint32_t i : {CLIENT, SERVER})
    {
        Player& player = m_players[i];
        player = Player{player.side};
        player.side->SetMessage(bytes);
        player.side->FillReceives();
        player.side->SetSendHandler([this, i](uint32_t, const WorkCompletion&) {
            ++m_players[i].completed;
            Go(i);
        });
        player.side->SetArrivalHandler([this, i](uint32_t) {
            ++m_players[i].arrived;
            Go(i);
        });
    }
    Go(CLIENT);
}

void
PerftestLatencyTest::Go(uint32_t index)
{
    Player& player = m_players[index];
    // The client's first message answers none; whoever comes back by himself needs no answer.
    uint64_t needed = m_comesBack ? 0 : player.sent + (index == CLIENT ? 0 : 1);
    bool mayGo = player.completed == player.sent && player.arrived >= needed;
    if (mayGo && player.sent < m_config.iterations && (index == CLIENT || !m_comesBack))
    {
        ++player.sent;
        if (index == CLIENT)
        {
            m_posted.push_back(NowSteps());
        }
        player.side->Send(0, true);
        return;
    }
    if (IsOver())
    {
        for (Player& one : m_players)
        {
            one.side->SetSendHandler(nullptr);
            one.side->SetArrivalHandler(nullptr);
        }
        m_ended();
    }
}

bool
PerftestLatencyTest::IsOver() const
{
    const Player& client = m_players[CLIENT];
    const Player& server = m_players[SERVER];
    return client.completed == m_config.iterations &&
           (m_comesBack ||
            (client.arrived == m_config.iterations && server.completed == m_config.iterations));
}

PerftestLatency
PerftestLatencyTest::GetResult() const
{
    return MakePerftestLatency(m_posted, m_comesBack ? 1 : 2);
}

} // namespace ns3
