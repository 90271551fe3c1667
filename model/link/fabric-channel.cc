// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-channel.h"

#include "fabric-net-device.h"

#include "ns3/double.h"
#include "ns3/log.h"

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
                          MakeTimeAccessor(&FabricChannel::SetDelay, &FabricChannel::GetDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LossRate",
                          "Probability that a frame is lost on the way, in either direction.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&FabricChannel::m_lossRate),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

FabricChannel::Direction::Direction(FabricChannel* owner)
    : channel(owner),
      deliver(Create<PersistentEvent<Direction, &Direction::Deliver>>(this))
{
}

FabricChannel::FabricChannel()
    : m_fromEnd0(this),
      m_fromEnd1(this),
      m_random(CreateObject<UniformRandomVariable>())
{
}

FabricChannel::~FabricChannel()
{
    m_fromEnd0.deliver->Detach();
    m_fromEnd1.deliver->Detach();
}

void
FabricChannel::DoDispose()
{
    for (Direction* way : {&m_fromEnd0, &m_fromEnd1})
    {
        way->deliver->Detach();
        way->inFlight.Clear();
        way->receiver = nullptr;
    }
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
    (end == 0 ? m_fromEnd1 : m_fromEnd0).receiver = PeekPointer(device);
    device->AttachChannel(this, end);
    if (end == 1)
    {
        m_devices[0]->NotifyLinkUp();
        device->NotifyLinkUp();
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
}

Time
FabricChannel::GetDelay() const
{
    return TimeStep(m_delaySteps);
}

void
FabricChannel::SetLossFilter(Callback<bool, const FabricFrame&> lost)
{
    m_lossFilter = lost;
    m_filtered = !lost.IsNull();
}

void
FabricChannel::Transmit(uint32_t end, FramePtr frame, int64_t lastBitSteps, int64_t now)
{
    Direction& way = end == 0 ? m_fromEnd0 : m_fromEnd1;
    NS_ASSERT_MSG(way.receiver, "FabricChannel: nothing is attached to the other end");
    int64_t flight = m_delaySteps + way.receiver->GetIngressLatencySteps();
    frame->journey.serialization += lastBitSteps;
    frame->journey.propagation += flight;
    frame->arrivalTime = now + lastBitSteps + flight;
    if (way.inFlight.IsEmpty())
    {
        way.deliver->Schedule(way.receiver->GetNodeId(), lastBitSteps + flight);
    }
    way.inFlight.Push(std::move(frame));
}

void
FabricChannel::Direction::Deliver()
{
    FramePtr frame = inFlight.Pop();
    if (!inFlight.IsEmpty())
    {
        // Latencies are constant while frames are in flight, so that the head arrives first; where
        // an attribute was changed meanwhile, a frame never overtakes.
        int64_t wait = inFlight.Front().arrivalTime - frame->arrivalTime;
        deliver->Schedule(receiver->GetNodeId(), wait > 0 ? wait : 0);
    }
    if (channel->IsLost(*frame))
    {
        receiver->NotifyLost(*frame);
        return;
    }
    receiver->Receive(std::move(frame));
}

bool
FabricChannel::IsLost(const FabricFrame& frame)
{
    bool lost = (m_lossRate > 0 && m_random->GetValue() < m_lossRate) ||
                (m_filtered && m_lossFilter(frame));
    m_lostFrames += lost;
    return lost;
}

int64_t
FabricChannel::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint64_t
FabricChannel::GetLostFrames() const
{
    return m_lostFrames;
}

} // namespace ns3
