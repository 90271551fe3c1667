// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-bandwidth.h"

#include "ns3/persistent-event.h"

#include <algorithm>

namespace ns3
{

PerftestBandwidthTest::PerftestBandwidthTest(const PerftestConfig& config,
                                             PerftestSide& sender,
                                             PerftestSide& receiver,
                                             std::function<void()> ended)
    : m_config(config),
      m_sender(sender),
      m_receiver(receiver),
      m_ended(std::move(ended))
{
}

void
PerftestBandwidthTest::Start(uint64_t bytes)
{
    m_bytes = bytes;
    m_pairs.assign(m_sender.GetN(), Pair{});
    m_posted.clear();
    m_posted.reserve(uint64_t{m_config.iterations} * m_sender.GetN());
    m_completed.clear();
    m_sender.SetMessage(bytes);
    m_sender.SetSendHandler([this](uint32_t pair, const WorkCompletion&) { Completed(pair); });
    m_receiver.SetMessage(bytes);
    m_receiver.FillReceives();
    for (uint32_t pair = 0; pair < m_pairs.size(); ++pair)
    {
        Fill(pair);
    }
}

void
PerftestBandwidthTest::Fill(uint32_t pair)
{
    Pair& progress = m_pairs[pair];
    while (progress.posted < m_config.iterations &&
           progress.posted < progress.completed + m_config.txDepth)
    {
        m_posted.push_back(NowSteps());
        ++progress.posted;
        bool signaled =
            progress.posted % m_config.cqModeration == 0 || progress.posted == m_config.iterations;
        m_sender.Send(pair, signaled);
    }
}

void
PerftestBandwidthTest::Completed(uint32_t pair)
{
    Pair& progress = m_pairs[pair];
    uint64_t before = m_completed.empty() ? 0 : m_completed.back().messages;
    uint64_t more =
        std::min<uint64_t>(m_config.cqModeration, m_config.iterations - progress.completed);
    progress.completed += more;
    m_completed.push_back({before + more, NowSteps()});
    if (before + more == uint64_t{m_config.iterations} * m_pairs.size())
    {
        m_sender.SetSendHandler(nullptr);
        m_ended();
        return;
    }
    Fill(pair);
}

PerftestBandwidth
PerftestBandwidthTest::GetResult() const
{
    return MakePerftestBandwidth(m_bytes, m_posted, m_completed);
}

} // namespace ns3
