// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-channel.h"

#include "fabric-net-device.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricChannel");
NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricChannel")
            .SetParent<Channel>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricChannel>()
            .AddAttribute("Delay",
                          "One-way propagation delay: about 5 ns a metre.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&FabricChannel::SetDelay, &FabricChannel::GetLookahead),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "LossRate",
                "Probability that a frame is lost on the way, in either direction.",
                DoubleValue(0.0),
                MakeDoubleAccessor(&FabricChannel::SetLossRate, &FabricChannel::GetLossRate),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("BitErrorRate",
                          "Probability that a bit is received wrong, before FEC, independently of "
                          "the others; in either direction.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&FabricChannel::SetBitErrorRate,
                                             &FabricChannel::GetBitErrorRate),
                          MakeDoubleChecker<double>(0.0, 0.5))
            .AddAttribute("Fec",
                          "Forward error correction: None, Kr4 = RS(528,514), Kp4 = RS(544,514). "
                          "Its latency belongs into Delay.",
                          EnumValue(FrameErrorModel::FEC_NONE),
                          MakeEnumAccessorFor<FrameErrorModel::Fec>(&FabricChannel::SetFec,
                                                                    &FabricChannel::GetFec),
                          MakeEnumChecker(FrameErrorModel::FEC_NONE,
                                          "None",
                                          FrameErrorModel::FEC_KR4,
                                          "Kr4",
                                          FrameErrorModel::FEC_KP4,
                                          "Kp4"))
            .AddTraceSource("DeadDirection",
                            "SetDirectionUp() has killed or mended a direction, or SetUp() has "
                            "mended it.",
                            MakeTraceSourceAccessor(&FabricChannel::m_deadDirectionTrace),
                            "ns3::FabricChannel::DeadDirectionTracedCallback");
    return tid;
}

FabricChannel::Direction::Direction(FabricChannel* owner)
    : FabricEvent(KIND),
      mayLose(false),
      away(false),
      hasArrivals(false),
      channel(owner)
{
}

FabricChannel::Direction::~Direction()
{
    if (arrival)
    {
        arrival->Detach();
    }
}

void
FabricChannel::Direction::Fire(FabricEvent& event)
{
    static_cast<Direction&>(event).Deliver();
}

void
FabricChannel::Direction::Prefetch(const FabricEvent& event, Stage stage)
{
    const auto& way = static_cast<const Direction&>(event);
    if (way.inFlight.IsEmpty())
    {
        return;
    }
    if (stage == FAR)
    {
        way.inFlight.PrefetchFront();
        way.receiver->PrefetchReceive();
    }
    else
    {
        way.inFlight.PrefetchSecond();
        way.receiver->PrefetchPassOn(way.inFlight.Front());
    }
}

FabricChannel::FabricChannel()
    : m_fromEnd0(this),
      m_fromEnd1(this)
{
}

FabricChannel::~FabricChannel() = default;

void
FabricChannel::DoDispose()
{
    m_fromEnd0.Dispose();
    m_fromEnd1.Dispose();
    m_devices = {};
    m_lossFilter = Callback<bool, const FabricFrame&>();
    Channel::DoDispose();
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    NS_ABORT_MSG_IF(m_devices[1],
                    "FabricChannel: a cable has two ends; a third device was attached");
    uint32_t end = m_devices[0] ? 1 : 0;
    m_devices[end] = device;
    From(1 - end).receiver = PeekPointer(device);
    device->AttachChannel(this, end);
    UpdateReceivers();
    if (end == 1)
    {
        m_devices[0]->NotifyLinkUp();
        device->NotifyLinkUp();
        UpdateState();
    }
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_devices[1] ? 2 : (m_devices[0] ? 1 : 0);
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

void
FabricChannel::SetDelay(Time delay)
{
    m_delaySteps = delay.GetTimeStep();
    UpdateReceivers();
}

void
FabricChannel::UpdateReceivers()
{
    for (Direction* way : {&m_fromEnd0, &m_fromEnd1})
    {
        if (way->receiver)
        {
            way->flight = m_delaySteps + way->receiver->GetIngressLatencySteps();
            way->receiverId = way->receiver->GetNodeId();
        }
    }
}

Time
FabricChannel::GetDelay() const
{
    return TimeStep(m_delaySteps);
}

Time
FabricChannel::GetLookahead() const
{
    return GetDelay();
}

void
FabricChannel::SetArrivalNumbers(uint32_t atEnd0, uint32_t atEnd1)
{
    auto deliver = [](void* way) { static_cast<Direction*>(way)->Deliver(); };
    m_fromEnd0.arrival = Create<ArrivalEvent>(atEnd1, deliver, &m_fromEnd0);
    m_fromEnd1.arrival = Create<ArrivalEvent>(atEnd0, deliver, &m_fromEnd1);
    m_fromEnd0.hasArrivals = m_fromEnd1.hasArrivals = true;
}

// ---------------------------------------------------------------- state

void
FabricChannel::SetUp(bool up)
{
    m_up = up;
    bool mended = HasDeadDirection();
    m_fromEnd0.cut = m_fromEnd1.cut = false;
    UpdateState();
    if (mended)
    {
        m_deadDirectionTrace(false);
    }
}

void
FabricChannel::SetDirectionUp(uint32_t fromEnd, bool up)
{
    NS_ABORT_MSG_IF(fromEnd > 1, "FabricChannel: end " << fromEnd << " must be 0 or 1");
    From(fromEnd).cut = !up;
    UpdateState();
    m_deadDirectionTrace(HasDeadDirection());
}

bool
FabricChannel::IsUp() const
{
    return m_up && (!m_devices[0] || m_devices[0]->IsRunning()) &&
           (!m_devices[1] || m_devices[1]->IsRunning());
}

void
FabricChannel::UpdateState()
{
    if (!m_devices[1])
    {
        return; // not plugged in yet
    }
    bool up = IsUp();
    m_fromEnd0.SetDead(!up || m_fromEnd0.cut);
    m_fromEnd1.SetDead(!up || m_fromEnd1.cut);
    if (up != m_wasUp)
    {
        m_wasUp = up;
        for (const auto& device : m_devices)
        {
            device->NotifyLink(up);
        }
    }
}

void
FabricChannel::Direction::SetDead(bool isDead)
{
    dead = isDead;
    stale += dead && !inFlight.IsEmpty();
    while (dead && !inFlight.IsEmpty())
    {
        FramePtr frame = inFlight.Pop();
        channel->Lose(*this, *frame);
    }
}

void
FabricChannel::Direction::Dispose()
{
    stale += !inFlight.IsEmpty();
    inFlight.Clear();
    receiver = nullptr;
}

// ---------------------------------------------------------------- frames

void
FabricChannel::Transmit(uint32_t end, FramePtr frame, int64_t lastBitSteps, int64_t start)
{
    Direction& way = From(end);
    NS_ASSERT_MSG(way.receiver, "FabricChannel: nothing is attached to the other end");
    if (way.dead)
    {
        Lose(way, *frame);
        return;
    }
    frame->journey.serialization += lastBitSteps;
    frame->journey.propagation += way.flight;
    frame->arrivalTime = start + lastBitSteps + way.flight;
    if (way.away)
    {
        SendAway(end, std::move(frame));
        return;
    }
    Carry(way, std::move(frame));
}

int64_t
FabricChannel::GetQuietUntil(uint32_t end, int64_t now) const
{
    const Direction& to = From(1 - end);
    if (to.hasArrivals)
    {
        return now;
    }
    const int64_t ofLater = now + to.flight;
    return to.inFlight.IsEmpty() ? ofLater : std::min(ofLater, to.inFlight.Front().arrivalTime);
}

void
FabricChannel::SetAway(uint32_t end)
{
    From(end).away = true;
}

void
FabricChannel::SendAway(uint32_t, FramePtr)
{
    NS_FATAL_ERROR("FabricChannel: there is no other process that simulates the far end");
}

void
FabricChannel::TakeOver(uint32_t end, FramePtr frame)
{
    Carry(From(end), std::move(frame));
}

void
FabricChannel::Carry(Direction& way, FramePtr frame)
{
    if (way.inFlight.IsEmpty())
    {
        way.DeliverIn(frame->arrivalTime - NowSteps());
    }
    way.inFlight.Push(std::move(frame));
}

void
FabricChannel::Direction::DeliverIn(int64_t steps)
{
    if (hasArrivals)
    {
        DeliverInOrder(steps);
    }
    else
    {
        Schedule(receiverId, steps);
    }
}

void
FabricChannel::Direction::DeliverInOrder(int64_t steps)
{
    if (FabricSimulatorImpl::Active())
    {
        ScheduleArrival(receiverId, steps, arrival->GetNumber());
    }
    else
    {
        arrival->Schedule(receiverId, steps);
    }
}

void
FabricChannel::Direction::Deliver()
{
    if (stale > 0 && (inFlight.IsEmpty() || inFlight.Front().arrivalTime > NowSteps()))
    {
        --stale; // an event whose frame was lost when the direction died
        return;
    }
    FramePtr frame = inFlight.Pop();
    if (!inFlight.IsEmpty())
    {
        // Latencies are constant while frames are in flight, so that the head arrives first; where
        // an attribute was changed meanwhile, a frame never overtakes.
        int64_t wait = inFlight.Front().arrivalTime - frame->arrivalTime;
        DeliverIn(wait > 0 ? wait : 0);
        inFlight.PrefetchSecond();
    }
    if (mayLose && channel->IsLost(*frame))
    {
        channel->Lose(*this, *frame);
        return;
    }
    receiver->Receive(std::move(frame));
}

// ---------------------------------------------------------------- losses

FabricNetDevice*
FabricChannel::SenderOf(const Direction& way) const
{
    return PeekPointer(m_devices[&way == &m_fromEnd0 ? 0 : 1]);
}

bool
FabricChannel::IsLost(const FabricFrame& frame)
{
    return (m_lossRate > 0 && m_random.Draw() < m_lossRate) ||
           (m_bitErrorRate > 0 && m_random.Draw() < m_errors.LossProbability(frame.sizeBytes)) ||
           (m_filtered && m_lossFilter(frame));
}

void
FabricChannel::Lose(Direction& way, const FabricFrame& frame)
{
    ++m_lostFrames;
    if (frame.IsPause())
    {
        SenderOf(way)->NotifyPauseLost(frame);
    }
    way.receiver->NotifyLost(frame);
}

void
FabricChannel::SetLossFilter(Callback<bool, const FabricFrame&> lost)
{
    m_lossFilter = lost;
    m_filtered = !lost.IsNull();
    UpdateLosses();
}

void
FabricChannel::SetLossRate(double rate)
{
    m_lossRate = rate;
    UpdateLosses();
}

double
FabricChannel::GetLossRate() const
{
    return m_lossRate;
}

void
FabricChannel::SetBitErrorRate(double rate)
{
    m_bitErrorRate = rate;
    UpdateLosses();
}

double
FabricChannel::GetBitErrorRate() const
{
    return m_bitErrorRate;
}

void
FabricChannel::SetFec(FrameErrorModel::Fec fec)
{
    m_fec = fec;
    UpdateLosses();
}

FrameErrorModel::Fec
FabricChannel::GetFec() const
{
    return m_fec;
}

void
FabricChannel::UpdateLosses()
{
    m_errors.Configure(m_bitErrorRate, m_fec);
    m_fromEnd0.mayLose = m_filtered || m_lossRate > 0 || m_bitErrorRate > 0;
    m_fromEnd1.mayLose = m_fromEnd0.mayLose;
}

int64_t
FabricChannel::AssignStreams(int64_t stream)
{
    m_random.Assign(stream);
    return 1;
}

uint64_t
FabricChannel::GetLostFrames() const
{
    return m_lostFrames;
}

} // namespace ns3
