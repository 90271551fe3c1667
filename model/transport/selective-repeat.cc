// SPDX-License-Identifier: GPL-2.0-only
#include "selective-repeat.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveRepeat);

TypeId
SelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SelectiveRepeat")
            .SetParent<SelectiveReliability>()
            .SetGroupName("AiFabric")
            .AddConstructor<SelectiveRepeat>()
            .AddAttribute("MaxInFlight",
                          "Most frames in flight: the bandwidth-delay product of the network.",
                          UintegerValue(PSN_WINDOW),
                          MakeUintegerAccessor(&SelectiveRepeat::m_maxInFlight),
                          MakeUintegerChecker<uint32_t>(1, PSN_WINDOW))
            .AddAttribute("FewFrames",
                          "The short timer runs below so many frames in flight.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SelectiveRepeat::m_fewFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ShortTimeout",
                          "Timer when few frames are in flight.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&SelectiveRepeat::m_shortTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("LongTimeout",
                          "Timer otherwise.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&SelectiveRepeat::m_longTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ReorderDistance",
                          "A frame counts as lost when one that is so many behind it has arrived; "
                          "IRN takes the network to keep the order.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&SelectiveRepeat::m_reorderDistance),
                          MakeUintegerChecker<uint64_t>(1, PSN_WINDOW));
    return tid;
}

std::string
SelectiveRepeat::GetName() const
{
    return "selective-repeat";
}

Ptr<RdmaReliability>
SelectiveRepeat::Fork() const
{
    return CopyObject<SelectiveRepeat>(this);
}

EarlyFrames
SelectiveRepeat::GetEarlyFrames() const
{
    return EarlyFrames::HOLD;
}

bool
SelectiveRepeat::AnswersEarlyFrames() const
{
    return true;
}

int64_t
SelectiveRepeat::GetTimeoutSteps(const RdmaSendWindow& window, int64_t) const
{
    bool few = window.sent - window.acked < m_fewFrames;
    return (few ? m_shortTimeout : m_longTimeout).GetTimeStep();
}

uint64_t
SelectiveRepeat::GetMaxInFlight() const
{
    return m_maxInFlight;
}

} // namespace ns3
