// SPDX-License-Identifier: GPL-2.0-only
#include "remote-fabric-channel.h"

#include "fabric-net-device.h"
#include "frame-exchange.h"
#include "frame-message.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>
#endif

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RemoteFabricChannel);

TypeId
RemoteFabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RemoteFabricChannel")
                            .SetParent<FabricChannel>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RemoteFabricChannel>();
    return tid;
}

RemoteFabricChannel::RemoteFabricChannel() = default;

RemoteFabricChannel::~RemoteFabricChannel() = default;

Time
RemoteFabricChannel::GetLookahead() const
{
    const int64_t delay = GetDelay().GetTimeStep();
    return TimeStep(static_cast<uint64_t>(m_cut && delay > 1 ? delay / 2 : delay));
}

bool
RemoteFabricChannel::IsOwn(uint32_t end) const
{
    return GetDevice(end)->GetNode()->GetSystemId() == Simulator::GetSystemId();
}

#ifdef NS3_MPI

namespace
{

constexpr uint32_t NO_NODE = 0xffffffff; ///< as the context of an event

} // namespace

/// Frames that are to go to one process by ns-3's MPI simulators.
class RemoteFabricChannel::Outbox
{
  public:
    Outbox()
        : m_due(this)
    {
    }

    /// @param process a rank @return what goes there
    static Outbox& To(uint32_t process)
    {
        std::unique_ptr<Outbox>& box = Boxes()[process];
        if (!box)
        {
            box = std::make_unique<Outbox>();
        }
        return *box;
    }

    /// Forgets all of them.
    static void Clear()
    {
        Boxes().clear();
    }

    /// @param lookahead of a cable between this process and that one, time steps
    void Bound(int64_t lookahead)
    {
        m_lookahead = std::min(m_lookahead, lookahead);
    }

    /// @param port it goes to @param device likewise @param frame it
    void Add(uint32_t port, const Ptr<NetDevice>& device, const FabricFrame& frame)
    {
        if (!m_message.Add(port, frame))
        {
            Send();
            m_message.Add(port, frame);
        }
        m_device = PeekPointer(device);
        m_firstArrival = std::min(m_firstArrival, frame.arrivalTime);
        m_due.At(NO_NODE, frame.arrivalTime - 1 - m_lookahead, NowSteps());
    }

  private:
    static std::map<uint32_t, std::unique_ptr<Outbox>>& Boxes()
    {
        static std::map<uint32_t, std::unique_ptr<Outbox>> boxes;
        return boxes;
    }

    void Send()
    {
        if (m_message.IsEmpty())
        {
            return;
        }
        const std::vector<uint8_t>& bytes = m_message.GetBytes();
        auto packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
        m_message.Clear();
        // Each message has a time of its own, for MPI's receiver may see them in another order. It
        // is before the first arrival, for that is to be among the arrivals of its time.
        m_lastTime = std::max(NowSteps() + m_lookahead, m_lastTime + 1);
        NS_ABORT_MSG_IF(m_lastTime >= m_firstArrival,
                        "RemoteFabricChannel: too many frames at one time");
        m_firstArrival = NEVER;
        MpiInterface::SendPacket(packet,
                                 TimeStep(static_cast<uint64_t>(m_lastTime)),
                                 m_device->GetNode()->GetId(),
                                 m_device->GetIfIndex());
    }

    int64_t m_lookahead{NEVER}; ///< least one of the cables to that process, time steps
    FrameMessage m_message{FrameMessage::MOST_BYTES_OF_NS3};
    NetDevice* m_device{nullptr};  ///< one of that process
    int64_t m_firstArrival{NEVER}; ///< of the frames in the message, time steps
    int64_t m_lastTime{0};         ///< of the message before, at the far end, time steps
    WakeUp<Outbox, &Outbox::Send> m_due;
};

namespace
{

/// Where frames of other processes go, by number of the port that they come to.
struct CutEnd
{
    RemoteFabricChannel* channel{nullptr};
    uint32_t fromEnd{0};
};

std::vector<CutEnd> g_cutEnds;

} // namespace

void
RemoteFabricChannel::Divide(uint32_t port0, uint32_t port1)
{
    SetArrivalNumbers(port0, port1);
    if (!MpiInterface::IsEnabled() || MpiInterface::GetSize() < 2)
    {
        return;
    }
    m_cut = IsOwn(0) != IsOwn(1);
    m_ownEnd = IsOwn(0) ? 0 : 1;
    for (uint32_t end : {0U, 1U})
    {
        if (m_cut || !IsOwn(end))
        {
            SetAway(end);
        }
    }
    if (!m_cut)
    {
        return;
    }
    NS_ABORT_MSG_UNLESS(GetDelay().IsStrictlyPositive(),
                        "RemoteFabricChannel: a cable between processes needs a Delay above 0: it "
                        "is how far one process may be ahead of another");
    m_ownPort = m_ownEnd == 0 ? port0 : port1;
    m_farPort = m_ownEnd == 0 ? port1 : port0;
    m_farRank = GetDevice(1 - m_ownEnd)->GetNode()->GetSystemId();
    if (g_cutEnds.size() <= m_ownPort)
    {
        g_cutEnds.resize(m_ownPort + 1);
    }
    g_cutEnds[m_ownPort] = {this, 1 - m_ownEnd};
    if (FrameExchange* exchange = FrameExchange::Active())
    {
        exchange->SetReceiver(&RemoteFabricChannel::Receive);
        exchange->Bound(GetDelay().GetTimeStep());
        return;
    }
    Outbox::To(m_farRank).Bound(GetLookahead().GetTimeStep());
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeCallback(&RemoteFabricChannel::ReceiveMessage));
    GetDevice(m_ownEnd)->AggregateObject(receiver);
}

void
RemoteFabricChannel::DoDispose()
{
    if (m_cut)
    {
        g_cutEnds[m_ownPort] = {};
        Outbox::Clear();
    }
    FabricChannel::DoDispose();
}

void
RemoteFabricChannel::SendAway(uint32_t end, FramePtr frame)
{
    if (!m_cut || end != m_ownEnd)
    {
        return; // what another process's port seems to send
    }
    NS_ABORT_MSG_IF(MayLose(), "RemoteFabricChannel: a cable between processes cannot lose frames");
    if (FrameExchange* exchange = FrameExchange::Active())
    {
        exchange->Send(m_farRank, m_farPort, *frame);
        return;
    }
    Outbox::To(m_farRank).Add(m_farPort, GetDevice(1 - end), *frame);
}

void
RemoteFabricChannel::ReceiveMessage(Ptr<Packet> message)
{
    std::vector<uint8_t> bytes(message->GetSize());
    message->CopyData(bytes.data(), message->GetSize());
    FrameMessage::Read(bytes.data(), bytes.size(), &RemoteFabricChannel::Receive);
}

void
RemoteFabricChannel::Receive(uint32_t port, FramePtr frame)
{
    const CutEnd& end = g_cutEnds[port];
    end.channel->TakeOver(end.fromEnd, std::move(frame));
}

#else

void
RemoteFabricChannel::Divide(uint32_t port0, uint32_t port1)
{
    SetArrivalNumbers(port0, port1);
}

void
RemoteFabricChannel::DoDispose()
{
    FabricChannel::DoDispose();
}

void
RemoteFabricChannel::SendAway(uint32_t, FramePtr)
{
}

#endif

} // namespace ns3
