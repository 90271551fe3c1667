// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "queue-pair.h"

#include "ns3/callback.h"
#include "ns3/cm-messages.h"
#include "ns3/event-id.h"
#include "ns3/simple-ref-count.h"

#include <string>
#include <vector>

namespace ns3
{

class RdmaConnection;
class RdmaConnectionManager;

/// What happens to a connection; the names are librdmacm's.
enum class RdmaConnectionEvent : uint8_t
{
    CONNECT_REQUEST, ///< passive side: Accept() or Reject() it, now or later
    ESTABLISHED,     ///< the queue pair is in RTS, and so is the other one
    REJECTED,        ///< refused: GetReason() says why
    UNREACHABLE,     ///< no answer came within the retries
    DISCONNECTED,    ///< one of the sides has ended it
};

/// @param event an event @return its name
const char* ToString(RdmaConnectionEvent event);

/// Where a connection stands (IBA vol. 1, 12.9).
enum class RdmaConnectionState : uint8_t
{
    REQUEST_SENT,     ///< active side: waits for a REP
    REQUEST_RECEIVED, ///< passive side: the application has to decide
    MTU_REFUSED,      ///< passive side: waits for a REQ with a smaller path MTU
    REPLY_SENT,       ///< passive side: waits for the RTU
    ESTABLISHED,
    DISCONNECT_SENT, ///< waits for the DREP
    CLOSED,          ///< refused, failed or ended
};

/// @param state a state @return its name
const char* ToString(RdmaConnectionState state);

/// Hears of what happens. Arguments: the connection, and what.
using RdmaConnectionCallback = Callback<void, Ptr<RdmaConnection>, RdmaConnectionEvent>;

/**
 * @ingroup ai-fabric
 * @brief A connection that RdmaConnectionManager sets up, from one of its ends: librdmacm's
 * `rdma_cm_id`.
 */
class RdmaConnection : public SimpleRefCount<RdmaConnection>
{
  public:
    /// Called by RdmaConnectionManager. @param manager whose it is @param callback hears of events
    RdmaConnection(RdmaConnectionManager& manager, RdmaConnectionCallback callback);

    /**
     * Passive side: agrees. The pair goes to RTS, with the REQ's retry counts and timeout, and with
     * the smaller one of both sides' Mtu, MaxReads and MaxIncomingReads.
     * @param qp in RESET, of the type that was asked for
     * @param privateData for the other side's application, up to 196 bytes
     */
    void Accept(Ptr<QueuePair> qp, const std::vector<uint8_t>& privateData = {});

    /// Passive side: refuses. @param privateData for the other side, up to 148 bytes
    void Reject(const std::vector<uint8_t>& privateData = {});

    /// Ends it: the pair goes to ERROR, all its work is flushed. After its end: does nothing.
    void Disconnect();

    /// @return where it stands
    RdmaConnectionState GetState() const
    {
        return m_state;
    }

    /// @return this side's queue pair; null before Accept()
    Ptr<QueuePair> GetQueuePair() const
    {
        return m_qp;
    }

    /// @return the port that the passive side listens on
    uint16_t GetPort() const
    {
        return m_port;
    }

    /// @return address of the other side's port
    const RdmaAddress& GetPeerAddress() const
    {
        return m_peer.address;
    }

    /// @return transport service that the active side has asked for
    QpType GetType() const;

    /// @return why it was refused; TIMEOUT also where nobody has answered
    CmRejectReason GetReason() const
    {
        return m_reason;
    }

    /// @return what the other side's application has sent with its last message, and zeros up to
    /// the room that the message has
    const std::vector<uint8_t>& GetPeerPrivateData() const
    {
        return m_peerPrivateData;
    }

    /// @return communication id of this side, unique on its NIC
    uint32_t GetLocalId() const
    {
        return m_localId;
    }

    /// @return communication id of the other side; 0 until it is known
    uint32_t GetRemoteId() const
    {
        return m_remoteId;
    }

  private:
    friend class RdmaConnectionManager;

    void StartActive(Ptr<QueuePair> qp,
                     const QpRemote& peer,
                     uint16_t port,
                     uint16_t sourcePort,
                     const std::vector<uint8_t>& privateData);
    void StartPassive(const CmRequest& request, const QpRemote& peer, uint64_t transaction);
    void TakeRequest(const CmRequest& request, uint64_t transaction);

    void Receive(const CmReply& reply, uint64_t transaction);
    void Receive(const CmReadyToUse& ready, uint64_t transaction);
    void Receive(const CmReject& reject, uint64_t transaction);
    void Receive(const CmReceipt& receipt, uint64_t transaction);
    void Receive(const CmDisconnectRequest& request, uint64_t transaction);
    void Receive(const CmDisconnectReply& reply, uint64_t transaction);
    void ReceiveAgain(const CmRequest& request, uint64_t transaction);

    void SendRequest();
    void Reply();
    void RefuseMtu();
    void Send(const CmMessage& message);
    void SendAndWait(const CmMessage& message);
    void Wait(uint8_t responseTimeout);
    uint8_t GetResponseTimeout() const;
    void TimedOut();
    void GiveUp();
    void BecomeReady(const QpRemote& remote);
    void LimitReads(uint8_t peerResources, uint8_t peerDepth);
    void Break();
    void Close(RdmaConnectionEvent event, CmRejectReason reason = CmRejectReason::NONE);
    void Abandon();
    void Notify(RdmaConnectionEvent event);
    void CheckPair(const QueuePair& qp, const char* call) const;
    std::string Describe() const;

    RdmaConnectionManager* m_manager;
    RdmaConnectionCallback m_callback;
    RdmaConnectionState m_state{RdmaConnectionState::REQUEST_SENT};
    CmRejectReason m_reason{CmRejectReason::NONE};
    bool m_active{false};
    uint16_t m_port{0};
    uint8_t m_retriesLeft{0};
    uint32_t m_localId{0};
    uint32_t m_remoteId{0};
    uint64_t m_transaction{0};
    Ptr<QueuePair> m_qp;
    QpRemote m_peer;                    ///< passive: from the REQ; active: QP and PSN from the REP
    RdmaAddressHandle m_path;           ///< to the other side's manager
    CmRequest m_request;                ///< sent or received
    CmMessage m_lastSent;               ///< what is sent again when no answer comes
    std::vector<uint8_t> m_privateData; ///< passive: for the REP
    std::vector<uint8_t> m_peerPrivateData;
    EventId m_timer;
};

} // namespace ns3

#endif // RDMA_CONNECTION_H
