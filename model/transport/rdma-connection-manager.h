// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_CONNECTION_MANAGER_H
#define RDMA_CONNECTION_MANAGER_H

#include "rdma-connection.h"
#include "rdma-nic.h"

#include "ns3/nstime.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Sets connections up and ends them by messages on the wire, as RDMA-CM does (IBA vol. 1,
 * chapter 12; annex A11 for addresses and ports).
 *
 * Aggregated to an RdmaNic; Of() makes it on first use. Its messages travel between the NICs'
 * general services queue pairs. Active side: Connect(). Passive side: Listen(), and Accept() or
 * Reject() of the connection that comes with CONNECT_REQUEST. What is lost is sent again,
 * MaxRetries times at most.
 *
 * QueuePair::Connect() does the same at once and for nothing.
 */
class RdmaConnectionManager : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaConnectionManager();
    ~RdmaConnectionManager() override;

    /// @param nic a NIC @return its manager; a new one with default attributes if it had none
    static Ptr<RdmaConnectionManager> Of(Ptr<RdmaNic> nic);

    /**
     * Waits for connections.
     * @param port number in the port space of TCP, on which nobody listens yet
     * @param callback hears of each connection to it, CONNECT_REQUEST first
     */
    void Listen(uint16_t port, RdmaConnectionCallback callback);

    /// Connections that are there stay. @param port from now on nobody listens on it
    void StopListening(uint16_t port);

    /**
     * Asks for a connection. The pair goes to INIT at once, so that receives can be posted, and to
     * RTS when the other side agrees; where it does not, to ERROR.
     * @param qp RC or UC, in RESET, of this NIC
     * @param address of the other NIC
     * @param mac of the other NIC, if it is on the same link; see QpRemote
     * @param port that the other side listens on
     * @param callback hears ESTABLISHED, REJECTED or UNREACHABLE, and later DISCONNECTED
     * @param privateData for the other side's application, up to 56 bytes
     * @return the connection
     */
    Ptr<RdmaConnection> Connect(Ptr<QueuePair> qp,
                                const RdmaAddress& address,
                                Mac48Address mac,
                                uint16_t port,
                                RdmaConnectionCallback callback,
                                const std::vector<uint8_t>& privateData = {});

    /// @return connections that are neither refused nor ended
    size_t GetNConnections() const
    {
        return m_connections.size();
    }

    /// @param responseTimeout n of what the other side takes, 4.096 us x 2^n
    /// @return how long an answer is waited for
    Time GetWait(uint8_t responseTimeout) const;

    /// Signature of Sent and Received. @param datagram the message
    typedef void (*DatagramTracedCallback)(const CmDatagram& datagram);
    /// Signature of Event. @param connection whose @param event what
    typedef void (*EventTracedCallback)(Ptr<const RdmaConnection> connection,
                                        RdmaConnectionEvent event);

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    friend class RdmaConnection;

    /// A datagram that has come.
    struct Received
    {
        MadBytes bytes;
        RdmaAddress source;
        Mac48Address mac;
    };

    /// The queue pair of the other side of a passive connection.
    using PeerPair = std::pair<RdmaAddress, uint32_t>;

    void Open();
    void PostReceive(uint64_t slot);
    void Completed(const WorkCompletion& completion);
    void Handle(const Received& received);
    void HandleRequest(const CmRequest& request, uint64_t transaction, const Received& received);
    void HandleStray(const CmReply& reply, uint64_t transaction, const Received& received);
    void HandleStray(const CmDisconnectRequest& request,
                     uint64_t transaction,
                     const Received& received);
    void Refuse(const CmRequest& request,
                uint64_t transaction,
                const Received& received,
                CmRejectReason reason);
    void SendBack(const Received& received, const CmMessage& message, uint64_t transaction);
    void Send(const RdmaAddressHandle& path, const CmMessage& message, uint64_t transaction);
    RdmaAddressHandle MakePath(const RdmaAddress& address, Mac48Address mac) const;
    Ptr<RdmaConnection> Find(uint32_t localId, uint32_t remoteId) const;
    uint64_t GetGuid() const;
    void AddId(Ptr<RdmaConnection> connection);
    void AddPeer(RdmaConnection& connection);
    void Remove(RdmaConnection& connection);

    RdmaNic* m_nic{nullptr};
    Ptr<QueuePair> m_pair; ///< general services; null: not opened yet
    Ptr<CompletionQueue> m_completions;
    Ptr<MemoryRegion> m_memory; ///< of the receives
    std::map<uint16_t, RdmaConnectionCallback> m_listeners;
    std::map<uint32_t, Ptr<RdmaConnection>> m_connections; ///< by local communication id
    std::map<PeerPair, RdmaConnection*> m_byPeer;          ///< passive ones
    uint32_t m_lastId{0};
    uint32_t m_connects{0};
    int64_t m_hostFreeAt{0}; ///< time steps

    uint8_t m_responseTimeout{20};
    uint8_t m_packetLifeTime{16};
    uint8_t m_serviceTimeout{24};
    uint8_t m_maxRetries{15};
    uint8_t m_trafficClass{0};
    uint8_t m_dscp{0};
    uint32_t m_receiveDepth{512};
    Time m_processingTime;
    TracedCallback<const CmDatagram&> m_sentTrace;
    TracedCallback<const CmDatagram&> m_receivedTrace;
    TracedCallback<Ptr<const RdmaConnection>, RdmaConnectionEvent> m_eventTrace;
};

} // namespace ns3

#endif // RDMA_CONNECTION_MANAGER_H
