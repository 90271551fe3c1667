// SPDX-License-Identifier: GPL-2.0-only
#include "timely-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TimelyCongestionOps);

TypeId
TimelyCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TimelyCongestionOps")
            .SetParent<DelayGradientCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<TimelyCongestionOps>()
            .AddAttribute("Beta",
                          "Weight of a multiplicative decrease.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&TimelyCongestionOps::m_beta),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("RateHai",
                          "N delta, the step of hyperactive increase.",
                          DataRateValue(DataRate("50Mbps")),
                          MakeDataRateAccessor(&TimelyCongestionOps::m_rateHai),
                          MakeDataRateChecker())
            .AddAttribute("HyperAfter",
                          "Hyperactive increase begins with this event of a row.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&TimelyCongestionOps::m_hyperAfter),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperCountsIncreases",
                          "A row is of increases, whatever their cause, and a step below TLow may "
                          "be hyperactive as well; else it is of gradients below 0.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TimelyCongestionOps::m_hyperCountsIncreases),
                          MakeBooleanChecker());
    return tid;
}

std::string
TimelyCongestionOps::GetName() const
{
    return "timely";
}

Ptr<RdmaCongestionOps>
TimelyCongestionOps::Fork() const
{
    return CopyObject<TimelyCongestionOps>(this);
}

bool
TimelyCongestionOps::Grows(int64_t rttSteps) const
{
    return rttSteps < GetLowSteps() || (rttSteps <= GetHighSteps() && GetGradient() <= 0);
}

void
TimelyCongestionOps::NoteEvent(int64_t rttSteps)
{
    bool counts = m_hyperCountsIncreases ? Grows(rttSteps) : GetGradient() < 0;
    m_inARow = counts ? m_inARow + 1 : 0;
}

double
TimelyCongestionOps::ChangeBetween(double rateBps, int64_t) const
{
    return GetGradient() > 0 ? rateBps * (1 - m_beta * GetGradient()) : rateBps + GetStep();
}

double
TimelyCongestionOps::GetStepBelow() const
{
    return m_hyperCountsIncreases ? GetStep() : GetRateAi();
}

double
TimelyCongestionOps::GetStep() const
{
    bool hyper = m_inARow >= m_hyperAfter;
    return hyper ? static_cast<double>(m_rateHai.GetBitRate()) : GetRateAi();
}

double
TimelyCongestionOps::GetBeta() const
{
    return m_beta;
}

} // namespace ns3
