// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-connection.h"

#include "rdma-connection-manager.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaConnection");

namespace
{

/// A byte that both sides of a RoCE connection set to the same, as Linux does.
constexpr uint8_t ROCE_HOP_LIMIT = 64;
/// Linux' constant for devices that do not say their delay of acknowledgements: 4.096 us x 2^15.
constexpr uint8_t TARGET_ACK_DELAY = 15;

/// First 12 bytes of an IPv4 address in 16.
constexpr std::array<uint8_t, 12> MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// @param address any @return it as an IPv6 address, an IPv4 one after @p prefix
CmGid
ToGid(const RdmaAddress& address, const std::array<uint8_t, 12>& prefix)
{
    if (address.ipv6)
    {
        return address.bytes;
    }
    CmGid gid{};
    std::copy(prefix.begin(), prefix.end(), gid.begin());
    for (size_t i = 0; i < 4; ++i)
    {
        gid[12 + i] = static_cast<uint8_t>(address.key >> (8 * (3 - i)));
    }
    return gid;
}

/**
 * Copies private data to where a message has room for them.
 * @param data the application's
 * @param room the message's
 * @param from first byte of the room that is the application's
 * @param name of the message
 */
template <size_t N>
void
PutPrivateData(const std::vector<uint8_t>& data,
               std::array<uint8_t, N>& room,
               size_t from,
               const char* name)
{
    NS_ABORT_MSG_IF(data.size() > N - from,
                    "RdmaConnection: " << data.size() << " bytes of private data; a " << name
                                       << " has room for " << N - from);
    std::copy(data.begin(), data.end(), room.begin() + static_cast<std::ptrdiff_t>(from));
}

/// @param qp a pair @param name of an attribute @param value of it
void
Set(QueuePair& qp, const char* name, uint64_t value)
{
    qp.SetAttribute(name, UintegerValue(value));
}

/// @param qp a pair @return n of its transport timer
uint8_t
TimeoutOf(const QueuePair& qp)
{
    UintegerValue timeout;
    qp.GetAttribute("Timeout", timeout);
    return static_cast<uint8_t>(timeout.Get());
}

/// Changes a pair's state, which must be possible. @param qp the pair @param state the new one
/// @param remote for RTR
void
MustModify(QueuePair& qp, QpState state, const QpRemote* remote = nullptr)
{
    ModifyResult result = qp.Modify(state, remote);
    NS_ABORT_MSG_UNLESS(result == ModifyResult::MODIFIED, "RdmaConnection: " << qp.Explain(result));
}

} // namespace

const char*
ToString(RdmaConnectionEvent event)
{
    static constexpr const char* NAMES[] = {"CONNECT_REQUEST",
                                            "ESTABLISHED",
                                            "REJECTED",
                                            "UNREACHABLE",
                                            "DISCONNECTED"};
    return NAMES[static_cast<size_t>(event)];
}

const char*
ToString(RdmaConnectionState state)
{
    static constexpr const char* NAMES[] = {"REQUEST_SENT",
                                            "REQUEST_RECEIVED",
                                            "MTU_REFUSED",
                                            "REPLY_SENT",
                                            "ESTABLISHED",
                                            "DISCONNECT_SENT",
                                            "CLOSED"};
    return NAMES[static_cast<size_t>(state)];
}

RdmaConnection::RdmaConnection(RdmaConnectionManager& manager, RdmaConnectionCallback callback)
    : m_manager(&manager),
      m_callback(callback)
{
}

QpType
RdmaConnection::GetType() const
{
    return m_request.transport == CmTransport::RC ? QpType::RC : QpType::UC;
}

std::string
RdmaConnection::Describe() const
{
    std::ostringstream text;
    text << "connection " << m_localId << " with " << m_peer.address.ToString() << ", port "
         << m_port << " (" << ToString(m_state) << ")";
    return text.str();
}

// ---------------------------------------------------------------- active side

void
RdmaConnection::StartActive(Ptr<QueuePair> qp,
                            const QpRemote& peer,
                            uint16_t port,
                            uint16_t sourcePort,
                            const std::vector<uint8_t>& privateData)
{
    m_active = true;
    m_qp = qp;
    m_peer = peer;
    m_port = port;
    m_path = m_manager->MakePath(peer.address, peer.mac);
    CheckPair(*qp, "Connect");
    const RdmaAddress local = qp->GetLocal().address;
    IpCmHeader header;
    header.ipv6 = local.ipv6;
    header.sourcePort = sourcePort;
    header.source = ToGid(local, {});
    header.destination = ToGid(peer.address, {});
    header.Write(m_request);
    PutPrivateData(privateData, m_request.privateData, IpCmHeader::BYTES, "REQ");

    m_request.serviceId = MakeIpServiceId(port);
    m_request.caGuid = m_manager->GetGuid();
    m_request.qpNumber = qp->GetNumber();
    m_request.responderResources = qp->GetMaxIncomingReads();
    m_request.initiatorDepth = qp->GetMaxReads();
    m_request.remoteResponseTimeout = m_manager->m_responseTimeout;
    m_request.localResponseTimeout = m_manager->m_responseTimeout;
    m_request.transport = qp->GetType() == QpType::RC ? CmTransport::RC : CmTransport::UC;
    m_request.startingPsn = qp->GetLocal().initialPsn;
    m_request.retryCount = qp->GetRetryCount();
    m_request.pathMtu = CmMtuCode(qp->GetMtu());
    m_request.rnrRetryCount = qp->GetRnrRetryCount();
    m_request.maxCmRetries = m_manager->m_maxRetries;
    m_request.sharedReceiveQueue = qp->GetSharedReceiveQueue() != nullptr;
    CmPath& path = m_request.primary;
    path.localLid = path.remoteLid = wire::PERMISSIVE_LID;
    path.localGid = ToGid(local, MAPPED_PREFIX);
    path.remoteGid = ToGid(peer.address, MAPPED_PREFIX);
    path.hopLimit = ROCE_HOP_LIMIT;
    path.ackTimeout = TimeoutOf(*qp);
    MustModify(*qp, QpState::INIT);
    SendRequest();
}

void
RdmaConnection::SendRequest()
{
    m_manager->AddId(this); // a new one for each REQ that is not a repetition
    m_request.localId = m_localId;
    m_transaction = m_localId;
    m_state = RdmaConnectionState::REQUEST_SENT;
    SendAndWait(m_request);
}

void
RdmaConnection::Receive(const CmReply& reply, uint64_t transaction)
{
    if (m_state == RdmaConnectionState::ESTABLISHED && reply.localId == m_remoteId)
    {
        // The RTU is lost, or late.
        m_transaction = transaction;
        Send(CmReadyToUse{m_localId, m_remoteId, {}});
        return;
    }
    if (m_state != RdmaConnectionState::REQUEST_SENT)
    {
        return;
    }
    m_timer.Remove();
    m_remoteId = reply.localId;
    m_peer.qpNumber = reply.qpNumber;
    m_peer.initialPsn = reply.startingPsn;
    m_peerPrivateData.assign(reply.privateData.begin(), reply.privateData.end());
    LimitReads(reply.responderResources, reply.initiatorDepth);
    Set(*m_qp, "RnrRetryCount", reply.rnrRetryCount);
    BecomeReady(m_peer);
    m_state = RdmaConnectionState::ESTABLISHED;
    Send(CmReadyToUse{m_localId, m_remoteId, {}});
    Notify(RdmaConnectionEvent::ESTABLISHED);
}

// ---------------------------------------------------------------- passive side

void
RdmaConnection::StartPassive(const CmRequest& request, const QpRemote& peer, uint64_t transaction)
{
    m_peer = peer;
    m_port = static_cast<uint16_t>(request.serviceId);
    m_path = m_manager->MakePath(peer.address, peer.mac);
    m_manager->AddId(this);
    TakeRequest(request, transaction);
    m_manager->AddPeer(*this);
    m_peerPrivateData.assign(request.privateData.begin() + IpCmHeader::BYTES,
                             request.privateData.end());
    m_state = RdmaConnectionState::REQUEST_RECEIVED;
    Notify(RdmaConnectionEvent::CONNECT_REQUEST);
}

void
RdmaConnection::TakeRequest(const CmRequest& request, uint64_t transaction)
{
    m_request = request;
    m_remoteId = request.localId;
    m_transaction = transaction;
    m_peer.qpNumber = request.qpNumber;
    m_peer.initialPsn = request.startingPsn;
}

void
RdmaConnection::ReceiveAgain(const CmRequest& request, uint64_t transaction)
{
    switch (m_state)
    {
    case RdmaConnectionState::REQUEST_RECEIVED: {
        CmReceipt receipt;
        receipt.localId = m_localId;
        receipt.remoteId = m_remoteId;
        receipt.answered = CmAnswered::REQ;
        receipt.serviceTimeout = m_manager->m_serviceTimeout;
        Send(receipt);
        break;
    }
    case RdmaConnectionState::MTU_REFUSED:
        TakeRequest(request, transaction);
        if (CmMtuBytes(m_request.pathMtu) > m_qp->GetMtu())
        {
            RefuseMtu(); // the REJ was lost
        }
        else
        {
            Reply();
        }
        break;
    default:
        break; // the REP goes again by its own timer
    }
}

void
RdmaConnection::Accept(Ptr<QueuePair> qp, const std::vector<uint8_t>& privateData)
{
    NS_ABORT_MSG_UNLESS(m_state == RdmaConnectionState::REQUEST_RECEIVED,
                        "RdmaConnection::Accept: nothing asks for it: " << Describe());
    NS_ABORT_MSG_UNLESS(qp->GetType() == GetType(),
                        "RdmaConnection::Accept: the other side asks for "
                            << ns3::ToString(GetType()) << ", the queue pair is "
                            << ns3::ToString(qp->GetType()));
    CheckPair(*qp, "Accept");
    CmReply reply;
    PutPrivateData(privateData, reply.privateData, 0, "REP"); // checked before anything is done
    m_qp = qp;
    m_privateData = privateData;
    if (CmMtuBytes(m_request.pathMtu) > qp->GetMtu())
    {
        RefuseMtu();
    }
    else
    {
        Reply();
    }
}

void
RdmaConnection::RefuseMtu()
{
    // A REP cannot say an MTU: the other side is told the largest one, and asks again.
    m_state = RdmaConnectionState::MTU_REFUSED;
    CmReject reject;
    reject.localId = m_localId;
    reject.remoteId = m_remoteId;
    reject.answered = CmAnswered::REQ;
    reject.reason = CmRejectReason::INVALID_PATH_MTU;
    reject.informationBytes = 1;
    reject.information[0] = CmMtuCode(m_qp->GetMtu());
    SendAndWait(reject);
}

void
RdmaConnection::Reply()
{
    QueuePair& qp = *m_qp;
    CmReply reply;
    reply.localId = m_localId;
    reply.remoteId = m_remoteId;
    reply.qpNumber = qp.GetNumber();
    reply.startingPsn = qp.GetLocal().initialPsn;
    reply.targetAckDelay = TARGET_ACK_DELAY;
    reply.rnrRetryCount = qp.GetRnrRetryCount();
    reply.sharedReceiveQueue = qp.GetSharedReceiveQueue() != nullptr;
    reply.caGuid = m_manager->GetGuid();
    PutPrivateData(m_privateData, reply.privateData, 0, "REP");
    LimitReads(m_request.responderResources, m_request.initiatorDepth);
    reply.responderResources = qp.GetMaxIncomingReads();
    reply.initiatorDepth = qp.GetMaxReads();
    Set(qp, "Mtu", CmMtuBytes(m_request.pathMtu));
    Set(qp, "Timeout", m_request.primary.ackTimeout);
    Set(qp, "RetryCount", m_request.retryCount);
    Set(qp, "RnrRetryCount", m_request.rnrRetryCount);
    MustModify(qp, QpState::INIT);
    BecomeReady(m_peer); // data may come before the RTU
    m_state = RdmaConnectionState::REPLY_SENT;
    SendAndWait(reply);
}

void
RdmaConnection::Reject(const std::vector<uint8_t>& privateData)
{
    NS_ABORT_MSG_UNLESS(m_state == RdmaConnectionState::REQUEST_RECEIVED,
                        "RdmaConnection::Reject: nothing asks for it: " << Describe());
    CmReject reject;
    reject.localId = m_localId;
    reject.remoteId = m_remoteId;
    reject.answered = CmAnswered::REQ;
    reject.reason = CmRejectReason::CONSUMER;
    PutPrivateData(privateData, reject.privateData, 0, "REJ");
    Send(reject);
    m_reason = CmRejectReason::CONSUMER;
    Abandon();
}

void
RdmaConnection::Receive(const CmReadyToUse&, uint64_t)
{
    if (m_state == RdmaConnectionState::REPLY_SENT)
    {
        m_timer.Remove();
        m_state = RdmaConnectionState::ESTABLISHED;
        Notify(RdmaConnectionEvent::ESTABLISHED);
    }
}

// ---------------------------------------------------------------- both sides

void
RdmaConnection::Receive(const CmReject& reject, uint64_t)
{
    bool established = m_state == RdmaConnectionState::ESTABLISHED;
    if (!established && m_state != RdmaConnectionState::REQUEST_SENT &&
        m_state != RdmaConnectionState::REPLY_SENT)
    {
        return;
    }
    uint8_t mtu = reject.information[0];
    bool smaller = reject.informationBytes > 0 && CmMtuBytes(mtu) > 0 && mtu < m_request.pathMtu;
    if (m_state == RdmaConnectionState::REQUEST_SENT &&
        reject.reason == CmRejectReason::INVALID_PATH_MTU && smaller)
    {
        m_timer.Remove();
        m_manager->Remove(*this);
        Set(*m_qp, "Mtu", CmMtuBytes(mtu));
        m_request.pathMtu = mtu;
        SendRequest();
        return;
    }
    m_peerPrivateData.assign(reject.privateData.begin(), reject.privateData.end());
    Break();
    Close(established ? RdmaConnectionEvent::DISCONNECTED : RdmaConnectionEvent::REJECTED,
          reject.reason);
}

void
RdmaConnection::Receive(const CmReceipt& receipt, uint64_t)
{
    bool waits =
        (receipt.answered == CmAnswered::REQ && m_state == RdmaConnectionState::REQUEST_SENT) ||
        (receipt.answered == CmAnswered::REP && m_state == RdmaConnectionState::REPLY_SENT);
    if (waits)
    {
        Wait(receipt.serviceTimeout);
    }
}

void
RdmaConnection::Disconnect()
{
    if (m_state == RdmaConnectionState::DISCONNECT_SENT || m_state == RdmaConnectionState::CLOSED)
    {
        return; // the other side was faster
    }
    NS_ABORT_MSG_UNLESS(m_state == RdmaConnectionState::ESTABLISHED,
                        "RdmaConnection::Disconnect: not established yet: " << Describe());
    Break();
    m_state = RdmaConnectionState::DISCONNECT_SENT;
    m_transaction = m_localId;
    CmDisconnectRequest request;
    request.localId = m_localId;
    request.remoteId = m_remoteId;
    request.remoteQpNumber = m_peer.qpNumber;
    SendAndWait(request);
}

void
RdmaConnection::Receive(const CmDisconnectRequest&, uint64_t transaction)
{
    bool known = m_state == RdmaConnectionState::ESTABLISHED ||
                 m_state == RdmaConnectionState::REPLY_SENT || // the RTU is lost, or behind
                 m_state == RdmaConnectionState::DISCONNECT_SENT;
    if (known)
    {
        Break();
        m_transaction = transaction;
        Send(CmDisconnectReply{m_localId, m_remoteId, {}});
        Close(RdmaConnectionEvent::DISCONNECTED);
    }
}

void
RdmaConnection::Receive(const CmDisconnectReply&, uint64_t)
{
    if (m_state == RdmaConnectionState::DISCONNECT_SENT)
    {
        Close(RdmaConnectionEvent::DISCONNECTED);
    }
}

// ---------------------------------------------------------------- sending and waiting

void
RdmaConnection::Send(const CmMessage& message)
{
    m_manager->Send(m_path, message, m_transaction);
}

void
RdmaConnection::SendAndWait(const CmMessage& message)
{
    m_lastSent = message;
    m_retriesLeft = m_request.maxCmRetries;
    Send(message);
    Wait(GetResponseTimeout());
}

uint8_t
RdmaConnection::GetResponseTimeout() const
{
    return m_active ? m_request.remoteResponseTimeout : m_request.localResponseTimeout;
}

void
RdmaConnection::Wait(uint8_t responseTimeout)
{
    m_timer.Remove();
    m_timer =
        Simulator::Schedule(m_manager->GetWait(responseTimeout), &RdmaConnection::TimedOut, this);
}

void
RdmaConnection::TimedOut()
{
    if (m_retriesLeft == 0)
    {
        GiveUp();
        return;
    }
    if (m_state != RdmaConnectionState::MTU_REFUSED) // the REQ comes again
    {
        NS_LOG_LOGIC(Describe() << ": " << GetName(m_lastSent) << " again");
        Send(m_lastSent);
    }
    --m_retriesLeft;
    Wait(GetResponseTimeout());
}

void
RdmaConnection::GiveUp()
{
    if (m_state == RdmaConnectionState::DISCONNECT_SENT)
    {
        Close(RdmaConnectionEvent::DISCONNECTED); // whatever the other side thinks
        return;
    }
    if (m_state == RdmaConnectionState::REPLY_SENT)
    {
        // The other side may hold the connection for established.
        CmReject reject;
        reject.localId = m_localId;
        reject.remoteId = m_remoteId;
        reject.answered = CmAnswered::OTHER;
        reject.reason = CmRejectReason::TIMEOUT;
        Send(reject);
    }
    if (m_state != RdmaConnectionState::MTU_REFUSED) // there, the pair is in RESET yet
    {
        Break();
    }
    Close(RdmaConnectionEvent::UNREACHABLE, CmRejectReason::TIMEOUT);
}

// ---------------------------------------------------------------- the queue pair

void
RdmaConnection::CheckPair(const QueuePair& qp, const char* call) const
{
    std::ostringstream text;
    text << "RdmaConnectionManager: " << call << ": " << ns3::ToString(qp.GetType())
         << " queue pair " << qp.GetNumber() << " of node " << qp.GetPort().GetNodeId() << " ("
         << ns3::ToString(qp.GetState()) << "): ";
    NS_ABORT_MSG_IF(qp.GetType() == QpType::UD, text.str() << "UD has no connections");
    NS_ABORT_MSG_IF(qp.GetState() != QpState::RESET, text.str() << "it must be in RESET");
    NS_ABORT_MSG_IF(&qp.GetNic() != m_manager->m_nic, text.str() << "it is of another NIC");
    RdmaAddress own = qp.GetLocal().address;
    NS_ABORT_MSG_IF(own.ipv6 != m_peer.address.ipv6,
                    text.str() << "its attribute Ipv6 does not fit " << m_peer.address.ToString());
    // Of several ports the first one has the manager; bonded ones share its address.
    NS_ABORT_MSG_UNLESS(own == m_path->source,
                        text.str() << "its port has " << own.ToString() << ", the manager's has "
                                   << m_path->source.ToString());
    NS_ABORT_MSG_IF(CmMtuCode(qp.GetMtu()) == 0,
                    text.str() << "a REQ cannot say an Mtu of " << qp.GetMtu()
                               << " (256, 512, 1024, 2048 or 4096)");
}

void
RdmaConnection::LimitReads(uint8_t peerResources, uint8_t peerDepth)
{
    // The attributes' least is 1; a pair that gets 0 from its peer must not READ.
    auto limit = [](uint8_t own, uint8_t peer) {
        return std::max<uint8_t>(1, std::min(own, peer));
    };
    Set(*m_qp, "MaxReads", limit(m_qp->GetMaxReads(), peerResources));
    Set(*m_qp, "MaxIncomingReads", limit(m_qp->GetMaxIncomingReads(), peerDepth));
}

void
RdmaConnection::BecomeReady(const QpRemote& remote)
{
    MustModify(*m_qp, QpState::RTR, &remote);
    MustModify(*m_qp, QpState::RTS);
}

void
RdmaConnection::Break()
{
    if (m_qp)
    {
        MustModify(*m_qp, QpState::ERROR);
    }
}

// ---------------------------------------------------------------- ends

void
RdmaConnection::Close(RdmaConnectionEvent event, CmRejectReason reason)
{
    Ptr<RdmaConnection> self(this); // Abandon() may drop the last one
    m_reason = reason;
    Abandon();
    Notify(event);
}

void
RdmaConnection::Abandon()
{
    m_timer.Remove();
    m_state = RdmaConnectionState::CLOSED;
    m_manager->Remove(*this);
}

void
RdmaConnection::Notify(RdmaConnectionEvent event)
{
    Ptr<RdmaConnection> self(this);
    NS_LOG_LOGIC(Describe() << ": " << ToString(event));
    m_manager->m_eventTrace(self, event);
    if (!m_callback.IsNull())
    {
        m_callback(self, event);
    }
}

} // namespace ns3
