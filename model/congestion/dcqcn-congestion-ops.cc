// SPDX-License-Identifier: GPL-2.0-only
#include "dcqcn-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnCongestionOps);

TypeId
DcqcnCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DcqcnCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<DcqcnCongestionOps>()
            .AddAttribute("Gain",
                          "g, the weight of one observation in alpha.",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha before the first CNP.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaInterval",
                          "alpha decays after each such time without a CNP.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_alphaInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RateIncreaseInterval",
                          "The increase timer.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_increaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RateDecreaseInterval",
                          "Shortest time between two cuts of the rate; 0 cuts at each CNP.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_decreaseInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ByteCounter",
                          "Bytes sent that count as one increase event; 0 switches it off.",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&DcqcnCongestionOps::m_byteCounter),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FastRecoveryTimes",
                          "F, increase events before the target itself is raised.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&DcqcnCongestionOps::m_fastRecovery),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RateAi",
                          "Additive increase of the target.",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("RateHai",
                          "Hyper increase of the target.",
                          DataRateValue(DataRate("200Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_rateHai),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "No cut goes below.",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MinDecreaseFactor",
                          "A cut leaves at least this share of the rate.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ClampTargetRate",
                          "Each cut lowers the target to the rate before it.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("ClampTargetRateAfterIncrease",
                          "Without ClampTargetRate: a cut lowers the target if the increase timer "
                          "has run out since the last one.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_clampTargetAfterIncrease),
                          MakeBooleanChecker())
            .AddAttribute("TimerDriven",
                          "CNPs only set a flag, and timers that run from the first CNP on look at "
                          "it: alpha each AlphaInterval, the rate each RateDecreaseInterval (the "
                          "form of the HPCC simulator, which has a CNP bit on every ACK).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_timerDriven),
                          MakeBooleanChecker());
    return tid;
}

std::string
DcqcnCongestionOps::GetName() const
{
    return "dcqcn";
}

Ptr<RdmaCongestionOps>
DcqcnCongestionOps::Fork() const
{
    return CopyObject<DcqcnCongestionOps>(this);
}

void
DcqcnCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_alpha = m_initialAlpha;
    m_target = state.rateBps = state.lineRateBps;
}

void
DcqcnCongestionOps::Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now)
{
    if (!m_reacting)
    {
        return;
    }
    Advance(state, now);
    m_bytesSent += wireBytes;
    if (m_byteCounter > 0 && m_bytesSent >= m_byteCounter)
    {
        m_bytesSent -= m_byteCounter;
        IncreaseRate(state);
        ++m_byteStage;
    }
}

void
DcqcnCongestionOps::CnpReceived(RdmaRateState& state, int64_t now)
{
    Advance(state, now);
    if (!m_timerDriven)
    {
        if (!m_started || now >= m_decreaseDue)
        {
            CutRate(state, now);
            AlphaTick(true);
            m_decreaseDue = now + m_decreaseInterval.GetTimeStep();
        }
        m_alphaDue = now + m_alphaInterval.GetTimeStep();
    }
    else if (!m_started)
    {
        m_alphaDue = now + m_alphaInterval.GetTimeStep();
        m_decreaseDue = now;
        m_cnpForCut = true;
        m_started = m_reacting = true;
        Advance(state, now);
    }
    else
    {
        m_cnpForAlpha = m_cnpForCut = true;
    }
    m_started = m_reacting = true;
}

void
DcqcnCongestionOps::Advance(RdmaRateState& state, int64_t now)
{
    if (!m_started)
    {
        return;
    }
    // The timers in the order in which they run out; at one moment alpha, then cut, then increase.
    while (true)
    {
        int64_t increaseDue = m_reacting ? m_increaseDue : INT64_MAX;
        int64_t cutDue = m_timerDriven ? m_decreaseDue : INT64_MAX;
        int64_t due = std::min({m_alphaDue, cutDue, increaseDue});
        if (due > now)
        {
            return;
        }
        if (due == m_alphaDue)
        {
            AlphaTick(m_timerDriven && m_cnpForAlpha);
            m_cnpForAlpha = false;
            m_alphaDue += m_alphaInterval.GetTimeStep();
        }
        else if (due == cutDue)
        {
            if (m_cnpForCut)
            {
                CutRate(state, due);
                m_cnpForCut = false;
            }
            m_decreaseDue += std::max<int64_t>(m_decreaseInterval.GetTimeStep(), 1);
        }
        else
        {
            IncreaseRate(state);
            ++m_timeStage;
            m_increaseDue += m_increaseInterval.GetTimeStep();
        }
    }
}

void
DcqcnCongestionOps::AlphaTick(bool marked)
{
    m_alpha = (1 - m_gain) * m_alpha + (marked ? m_gain : 0);
}

void
DcqcnCongestionOps::CutRate(RdmaRateState& state, int64_t now)
{
    if (m_clampTarget || (m_clampTargetAfterIncrease && m_timeStage > 0))
    {
        m_target = state.rateBps;
    }
    double factor = std::max(1 - m_alpha / 2, m_minDecreaseFactor);
    double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    state.rateBps = std::max(state.rateBps * factor, floor);
    m_reacting = true;
    m_timeStage = m_byteStage = 0;
    m_bytesSent = 0;
    m_increaseDue = now + m_increaseInterval.GetTimeStep();
}

void
DcqcnCongestionOps::IncreaseRate(RdmaRateState& state)
{
    // Counts are those before this event, so that fast recovery has F events, as in the text of the
    // paper (and in QCN).
    uint32_t byteStage = m_byteCounter > 0 ? m_byteStage : m_timeStage;
    if (std::min(m_timeStage, byteStage) > m_fastRecovery)
    {
        m_target += static_cast<double>(m_rateHai.GetBitRate());
    }
    else if (std::max(m_timeStage, byteStage) >= m_fastRecovery)
    {
        m_target += static_cast<double>(m_rateAi.GetBitRate());
    }
    m_target = std::min(m_target, state.lineRateBps);
    state.rateBps = (m_target + state.rateBps) / 2;
    if (state.rateBps > state.lineRateBps * (1 - 1e-6))
    {
        state.rateBps = m_target = state.lineRateBps;
        m_reacting = false; // nothing is left to recover
    }
}

} // namespace ns3
