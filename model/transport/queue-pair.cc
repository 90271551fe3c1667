// SPDX-License-Identifier: GPL-2.0-only
#include "queue-pair.h"

#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/line-rate-congestion-ops.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QueuePair");
NS_OBJECT_ENSURE_REGISTERED(QueuePair);

TypeId
QueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QueuePair")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<QueuePair>()
            .AddAttribute("Mtu",
                          "Payload bytes of a full frame. The standard's path MTUs are 256, 512, "
                          "1024, 2048 and 4096; any size is allowed.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&QueuePair::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("TrafficClass",
                          "Class of data frames, 0 to 7.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&QueuePair::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("Dscp",
                          "DSCP of data frames.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&QueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("EcnCapable",
                          "Data frames are sent as ECT(0); otherwise no switch may mark them.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QueuePair::m_ecnCapable),
                          MakeBooleanChecker())
            .AddAttribute("UdpSourcePort",
                          "UDP source port, a flow's entropy for ECMP; 0 derives it from the queue "
                          "pair numbers, in 49152 to 65535.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_udpSourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute(
                "AckInterval",
                "An acknowledgement is asked for every so many frames, at the end of each "
                "message, and when the window is full.",
                UintegerValue(16),
                MakeUintegerAccessor(&QueuePair::m_ackInterval),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Window",
                          "A frame may go while fewer payload bytes than this are in flight, where "
                          "congestion control sets no window; 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_windowBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("VariableWindow",
                          "The window is scaled with the pacing rate's share of the line rate.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QueuePair::m_variableWindow),
                          MakeBooleanChecker())
            .AddAttribute("Timeout",
                          "n of the transport timer, 4.096 us x 2^n from a frame that asks for an "
                          "acknowledgement; 0 switches it off.",
                          UintegerValue(14),
                          MakeUintegerAccessor(&QueuePair::m_timeout),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Timeouts in a row without progress before the pair goes to error.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&QueuePair::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("RnrRetryCount",
                          "Likewise for receiver-not-ready; 7 is for ever.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&QueuePair::m_rnrRetryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MinRnrTimer",
                          "Code of the time that this pair asks for when it is not ready (1 is "
                          "10 us).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&QueuePair::m_minRnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("InitialPsn",
                          "PSN of the first frame.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, wire::MASK_24))
            .AddAttribute("MaxSendWr",
                          "Most send work requests outstanding; 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_maxSendWr),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MaxReceiveWr",
                          "Most receive work requests outstanding; 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_maxReceiveWr),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

QueuePair::QueuePair()
    : m_requester(*this),
      m_responder(*this)
{
}

QueuePair::~QueuePair() = default;

void
QueuePair::DoDispose()
{
    m_completions = nullptr;
    m_ops = nullptr;
    Object::DoDispose();
}

void
QueuePair::Attach(RdmaNic* nic, uint32_t number)
{
    m_nic = nic;
    m_number = number;
}

void
QueuePair::SetCompletionQueue(Ptr<CompletionQueue> queue)
{
    m_completions = queue;
}

void
QueuePair::SetCongestionControl(Ptr<RdmaCongestionOps> ops)
{
    m_ops = ops;
}

void
QueuePair::Connect(Ptr<QueuePair> a, Ptr<QueuePair> b)
{
    NS_ABORT_MSG_IF(a->m_state != QpState::RESET || b->m_state != QpState::RESET,
                    "QueuePair::Connect: both pairs must be in RESET");
    a->ConnectTo(*b);
    b->ConnectTo(*a);
}

void
QueuePair::ConnectTo(const QueuePair& peer)
{
    const FabricNetDevice& remote = *peer.m_nic->GetDevice();
    m_remoteNumber = peer.m_number;
    m_remoteAddress = remote.GetIpv4Address().Get();
    m_remoteMac = Mac48Address::ConvertFrom(remote.GetAddress());
    if (m_udpSourcePort == 0)
    {
        // As Linux does: a hash of both numbers, folded into the dynamic ports.
        uint64_t v = uint64_t{m_number} * m_remoteNumber;
        v ^= v >> 20;
        v ^= v >> 40;
        m_udpSourcePort = static_cast<uint16_t>(0xc000 | (v & 0x3fff));
    }
    m_flowHash = FlowHash(GetLocalAddress(), m_remoteAddress, m_udpSourcePort);
    Ptr<RdmaCongestionOps> ops =
        m_ops ? m_ops->Fork() : Ptr<RdmaCongestionOps>(CreateObject<LineRateCongestionOps>());
    // A whole PSN space above 0, so that numbers just before the first one need no negative values.
    constexpr uint64_t SPACE = uint64_t{wire::MASK_24} + 1;
    m_requester.Connect(ops, SPACE + m_initialPsn);
    m_responder.Connect(SPACE + peer.m_initialPsn);
    m_state = QpState::RTS;
}

PostResult
QueuePair::PostSend(const SendWorkRequest& request)
{
    if (request.bytes > wire::MAX_MESSAGE_BYTES)
    {
        return PostResult::MESSAGE_TOO_LONG;
    }
    if (m_state != QpState::RTS)
    {
        return PostResult::WRONG_STATE;
    }
    if (m_maxSendWr > 0 && m_requester.GetOutstanding() >= m_maxSendWr)
    {
        return PostResult::QUEUE_FULL;
    }
    if (request.payload && request.payload->GetSize() != request.bytes)
    {
        return PostResult::PAYLOAD_MISMATCH;
    }
    m_requester.Post(request);
    m_nic->Activate(*this);
    return PostResult::POSTED;
}

PostResult
QueuePair::PostReceive(const ReceiveWorkRequest& request)
{
    if (m_state == QpState::ERROR)
    {
        return PostResult::WRONG_STATE;
    }
    if (m_maxReceiveWr > 0 && m_responder.GetOutstanding() >= m_maxReceiveWr)
    {
        return PostResult::QUEUE_FULL;
    }
    m_responder.Post(request);
    return PostResult::POSTED;
}

void
QueuePair::ReceiveFrame(const FabricFrame& frame)
{
    if (frame.opcode == RdmaOpcode::RC_ACK)
    {
        m_requester.ReceiveAck(frame);
    }
    else if (frame.opcode == RdmaOpcode::CNP)
    {
        ++m_nic->Count().cnpsReceived;
        m_requester.ReceiveCnp();
    }
    else
    {
        ++m_nic->Count().dataFramesReceived;
        m_responder.ReceiveData(frame);
    }
}

void
QueuePair::Fail(WcStatus status)
{
    if (m_state != QpState::ERROR)
    {
        m_state = QpState::ERROR;
        m_requester.Fail(status);
        m_responder.Fail();
    }
}

void
QueuePair::FillAddresses(FabricFrame& frame) const
{
    const FabricNetDevice& port = m_nic->Port();
    frame.trafficClass = m_trafficClass;
    frame.dscp = m_dscp;
    frame.ecn = m_ecnCapable ? EcnField::ECT0 : EcnField::NOT_ECT;
    frame.srcAddress = port.GetIpv4Address().Get();
    frame.dstAddress = m_remoteAddress;
    frame.srcMac = port.GetMacAddress();
    frame.dstMac = m_remoteMac;
    frame.udpSourcePort = m_udpSourcePort;
    frame.flowHash = m_flowHash;
    frame.destQp = m_remoteNumber;
}

void
QueuePair::Complete(WorkCompletion completion)
{
    completion.qpNumber = m_number;
    if (m_completions)
    {
        m_completions->Add(completion);
    }
}

uint32_t
QueuePair::GetLocalAddress() const
{
    return m_nic->Port().GetIpv4Address().Get();
}

int64_t
QueuePair::GetTimeoutSteps() const
{
    return m_timeout == 0 ? 0 : (NanoSeconds(4096) * (int64_t{1} << m_timeout)).GetTimeStep();
}

size_t
QueuePair::GetMemoryBytes() const
{
    size_t ops = m_requester.GetCongestionOps()
                     ? m_requester.GetCongestionOps()->GetInstanceTypeId().GetSize()
                     : 0;
    return sizeof(*this) + ops + m_requester.GetQueueMemoryBytes() +
           m_responder.GetQueueMemoryBytes();
}

} // namespace ns3
