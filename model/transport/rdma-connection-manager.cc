// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-connection-manager.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <type_traits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaConnectionManager");
NS_OBJECT_ENSURE_REGISTERED(RdmaConnectionManager);

namespace
{

constexpr uint64_t SLOT_BYTES = UD_RECEIVE_HEADER_BYTES + wire::MAD_BYTES;

/// First of the dynamic ports, and how many there are: source ports of the active side.
constexpr uint32_t DYNAMIC_PORTS = 0xc000;
constexpr uint32_t N_DYNAMIC_PORTS = 0x4000;

/// @param gid in a message @return the address
RdmaAddress
ToAddress(const CmGid& gid)
{
    constexpr std::array<uint8_t, 12> MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    RdmaAddress address = RdmaAddress::FromIpv6(gid);
    return std::equal(MAPPED_PREFIX.begin(), MAPPED_PREFIX.end(), gid.begin())
               ? RdmaAddress::FromIpv4(address.key)
               : address;
}

/// @param header what a UD receive has before the data @return the sender
RdmaAddress
SourceOf(const uint8_t* header)
{
    CmGid bytes{};
    if (header[0] >> 4 == 6)
    {
        std::copy_n(header + 8, bytes.size(), bytes.begin());
        return RdmaAddress::FromIpv6(bytes);
    }
    std::copy_n(header + UD_RECEIVE_HEADER_BYTES - 8, 4, bytes.begin() + 12);
    return RdmaAddress::FromIpv4(RdmaAddress::FromIpv6(bytes).key);
}

} // namespace

TypeId
RdmaConnectionManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaConnectionManager")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaConnectionManager>()
            .AddAttribute("ProcessingTime",
                          "What this host takes for each message that it receives, one after the "
                          "other, before it acts on it. The default is half of the 890 us a "
                          "connection, creation and changes of the queue pair included, that "
                          "rdma-core's cmtime printed for 1,000 connections at once "
                          "(linux-rdma/rdma-core, pull request 1448, 2024): a server receives two "
                          "messages a connection. 0: no time.",
                          TimeValue(MicroSeconds(445)),
                          MakeTimeAccessor(&RdmaConnectionManager::m_processingTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ResponseTimeout",
                          "n of the time that a host is given for an answer, 4.096 us x 2^n; two "
                          "PacketLifeTime more are waited for. Linux has 20.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_responseTimeout),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("PacketLifeTime",
                          "n of the longest time that a frame is under way, 4.096 us x 2^n. Linux "
                          "has 16 for RoCE.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_packetLifeTime),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("ServiceTimeout",
                          "n of the time that the other side is asked for where the application "
                          "has not decided yet when a REQ comes again, 4.096 us x 2^n. Linux has "
                          "24.",
                          UintegerValue(24),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_serviceTimeout),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("MaxRetries",
                          "How often a message without an answer is sent again; the active side's "
                          "counts for both. Linux has 15.",
                          UintegerValue(15),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_maxRetries),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("TrafficClass",
                          "Class of the messages.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("Dscp",
                          "DSCP of the messages.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ReceiveDepth",
                          "Receives that the general services queue pair has posted. Linux has "
                          "512.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_receiveDepth),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Sent",
                            "A message is sent.",
                            MakeTraceSourceAccessor(&RdmaConnectionManager::m_sentTrace),
                            "ns3::RdmaConnectionManager::DatagramTracedCallback")
            .AddTraceSource("Received",
                            "A message has come, and the host is about to act on it.",
                            MakeTraceSourceAccessor(&RdmaConnectionManager::m_receivedTrace),
                            "ns3::RdmaConnectionManager::DatagramTracedCallback")
            .AddTraceSource("Event",
                            "Something has happened to a connection.",
                            MakeTraceSourceAccessor(&RdmaConnectionManager::m_eventTrace),
                            "ns3::RdmaConnectionManager::EventTracedCallback");
    return tid;
}

RdmaConnectionManager::RdmaConnectionManager() = default;
RdmaConnectionManager::~RdmaConnectionManager() = default;

void
RdmaConnectionManager::NotifyNewAggregate()
{
    if (!m_nic)
    {
        m_nic = PeekPointer(GetObject<RdmaNic>());
    }
    Object::NotifyNewAggregate();
}

void
RdmaConnectionManager::DoDispose()
{
    for (auto& [id, connection] : m_connections)
    {
        connection->m_timer.Cancel();
        connection->m_callback = {};
        connection->m_qp = nullptr;
        connection->m_state = RdmaConnectionState::CLOSED;
    }
    m_byPeer.clear();
    m_connections.clear();
    m_listeners.clear();
    m_completions = nullptr;
    m_memory = nullptr;
    m_pair = nullptr;
    m_nic = nullptr;
    Object::DoDispose();
}

Ptr<RdmaConnectionManager>
RdmaConnectionManager::Of(Ptr<RdmaNic> nic)
{
    auto manager = nic->GetObject<RdmaConnectionManager>();
    if (!manager)
    {
        manager = CreateObject<RdmaConnectionManager>();
        nic->AggregateObject(manager);
    }
    return manager;
}

void
RdmaConnectionManager::Open()
{
    if (m_pair)
    {
        return;
    }
    NS_ABORT_MSG_UNLESS(m_nic, "RdmaConnectionManager: it is not aggregated to an RdmaNic");
    m_pair = m_nic->GetManagementPair();
    NS_ABORT_MSG_IF(m_pair->GetState() != QpState::RESET,
                    "RdmaConnectionManager: the general services queue pair of node "
                        << m_pair->GetPort().GetNodeId() << " is in use");
    m_pair->SetAttribute("TrafficClass", UintegerValue(m_trafficClass));
    m_pair->SetAttribute("Dscp", UintegerValue(m_dscp));
    m_pair->SetAttribute("EcnCapable", BooleanValue(false));
    m_completions = CreateObject<CompletionQueue>();
    m_completions->SetCallback(MakeCallback(&RdmaConnectionManager::Completed, this));
    m_pair->SetCompletionQueue(m_completions);
    Ptr<ProtectionDomain> domain = m_nic->CreateProtectionDomain();
    m_pair->SetProtectionDomain(domain);
    m_memory = domain->Register(0, SLOT_BYTES * m_receiveDepth, LOCAL_WRITE);
    m_memory->Back();
    for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
    {
        ModifyResult result = m_pair->Modify(state);
        NS_ABORT_MSG_UNLESS(result == ModifyResult::MODIFIED, m_pair->Explain(result));
    }
    for (uint64_t slot = 0; slot < m_receiveDepth; ++slot)
    {
        PostReceive(slot);
    }
}

void
RdmaConnectionManager::PostReceive(uint64_t slot)
{
    ReceiveWorkRequest request;
    request.id = slot;
    request.bytes = SLOT_BYTES;
    request.place = {SLOT_BYTES * slot, SLOT_BYTES, m_memory->GetLocalKey()};
    PostResult result = m_pair->PostReceive(request);
    NS_ABORT_MSG_UNLESS(result == PostResult::POSTED, m_pair->Explain(result));
}

// ---------------------------------------------------------------- use

void
RdmaConnectionManager::Listen(uint16_t port, RdmaConnectionCallback callback)
{
    Open();
    NS_ABORT_MSG_IF(callback.IsNull(), "RdmaConnectionManager::Listen: the callback is null");
    bool added = m_listeners.emplace(port, callback).second;
    NS_ABORT_MSG_UNLESS(added,
                        "RdmaConnectionManager::Listen: node " << m_pair->GetPort().GetNodeId()
                                                               << " listens on port " << port
                                                               << " already");
}

void
RdmaConnectionManager::StopListening(uint16_t port)
{
    m_listeners.erase(port);
}

Ptr<RdmaConnection>
RdmaConnectionManager::Connect(Ptr<QueuePair> qp,
                               const RdmaAddress& address,
                               Mac48Address mac,
                               uint16_t port,
                               RdmaConnectionCallback callback,
                               const std::vector<uint8_t>& privateData)
{
    Open();
    auto connection = Create<RdmaConnection>(*this, callback);
    auto sourcePort = static_cast<uint16_t>(DYNAMIC_PORTS + m_connects++ % N_DYNAMIC_PORTS);
    connection->StartActive(qp, {address, mac, 0, 0}, port, sourcePort, privateData);
    return connection;
}

Time
RdmaConnectionManager::GetWait(uint8_t responseTimeout) const
{
    auto time = [](uint8_t n) { return NanoSeconds(4096) * (int64_t{1} << n); };
    return time(responseTimeout) + 2 * time(m_packetLifeTime);
}

// ---------------------------------------------------------------- messages in

void
RdmaConnectionManager::Completed(const WorkCompletion& completion)
{
    if (completion.opcode != WcOpcode::RECV || completion.status == WcStatus::FLUSHED)
    {
        return;
    }
    std::vector<uint8_t> slot = m_memory->Read(SLOT_BYTES * completion.id, SLOT_BYTES);
    PostReceive(completion.id);
    if (completion.status != WcStatus::SUCCESS || completion.bytes != SLOT_BYTES)
    {
        return; // no management datagram
    }
    Received received;
    std::copy(slot.begin() + UD_RECEIVE_HEADER_BYTES, slot.end(), received.bytes.begin());
    received.source = SourceOf(slot.data());
    received.mac = completion.sourceMac;
    if (m_processingTime.IsZero())
    {
        Handle(received);
        return;
    }
    m_hostFreeAt = std::max(m_hostFreeAt, NowSteps()) + m_processingTime.GetTimeStep();
    Simulator::Schedule(TimeStep(m_hostFreeAt - NowSteps()),
                        [self = Ptr<RdmaConnectionManager>(this), received] {
                            if (self->m_nic) // not disposed
                            {
                                self->Handle(received);
                            }
                        });
}

void
RdmaConnectionManager::Handle(const Received& received)
{
    std::string error;
    std::optional<CmDatagram> datagram = CmDatagram::FromBytes(received.bytes, &error);
    if (!datagram)
    {
        NS_LOG_WARN("from " << received.source.ToString() << ": " << error);
        return;
    }
    m_receivedTrace(*datagram);
    if (auto* request = std::get_if<CmRequest>(&datagram->message))
    {
        HandleRequest(*request, datagram->transactionId, received);
        return;
    }
    std::visit(
        [&](const auto& message) {
            using Message = std::decay_t<decltype(message)>;
            if constexpr (!std::is_same_v<Message, CmRequest>)
            {
                if (auto connection = Find(message.remoteId, message.localId))
                {
                    connection->Receive(message, datagram->transactionId);
                }
                else if constexpr (std::is_same_v<Message, CmReply> ||
                                   std::is_same_v<Message, CmDisconnectRequest>)
                {
                    HandleStray(message, datagram->transactionId, received);
                }
            }
        },
        datagram->message);
}

void
RdmaConnectionManager::HandleRequest(const CmRequest& request,
                                     uint64_t transaction,
                                     const Received& received)
{
    RdmaAddress address = ToAddress(request.primary.localGid);
    if (auto entry = m_byPeer.find({address, request.qpNumber}); entry != m_byPeer.end())
    {
        Ptr<RdmaConnection> older = entry->second;
        if (older->m_remoteId == request.localId ||
            older->m_state == RdmaConnectionState::MTU_REFUSED)
        {
            older->ReceiveAgain(request, transaction);
            return;
        }
        // The other side has begun anew. What it ended itself needs no answer any more.
        bool ending = older->m_state == RdmaConnectionState::DISCONNECT_SENT;
        older->Break();
        older->Close(RdmaConnectionEvent::DISCONNECTED, CmRejectReason::STALE_CONNECTION);
        if (!ending)
        {
            Refuse(request, transaction, received, CmRejectReason::STALE_CONNECTION);
            return;
        }
    }
    auto listener = IsIpServiceId(request.serviceId)
                        ? m_listeners.find(static_cast<uint16_t>(request.serviceId))
                        : m_listeners.end();
    if (listener == m_listeners.end())
    {
        Refuse(request, transaction, received, CmRejectReason::INVALID_SERVICE_ID);
    }
    else if (request.transport > CmTransport::UC)
    {
        Refuse(request, transaction, received, CmRejectReason::INVALID_TRANSPORT_TYPE);
    }
    else if (!IpCmHeader::Read(request) || CmMtuBytes(request.pathMtu) == 0)
    {
        Refuse(request, transaction, received, CmRejectReason::UNSUPPORTED_REQUEST);
    }
    else
    {
        auto connection = Create<RdmaConnection>(*this, listener->second);
        connection->StartPassive(request, {address, received.mac, 0, 0}, transaction);
    }
}

void
RdmaConnectionManager::HandleStray(const CmReply& reply,
                                   uint64_t transaction,
                                   const Received& received)
{
    // This side has given up, or has ended the connection: nobody will ever send an RTU.
    CmReject reject;
    reject.localId = reply.remoteId;
    reject.remoteId = reply.localId;
    reject.answered = CmAnswered::REP;
    reject.reason = CmRejectReason::INVALID_COMMUNICATION_ID;
    SendBack(received, reject, transaction);
}

void
RdmaConnectionManager::HandleStray(const CmDisconnectRequest& request,
                                   uint64_t transaction,
                                   const Received& received)
{
    // Ended already: the DREP was lost.
    SendBack(received, CmDisconnectReply{request.remoteId, request.localId, {}}, transaction);
}

void
RdmaConnectionManager::Refuse(const CmRequest& request,
                              uint64_t transaction,
                              const Received& received,
                              CmRejectReason reason)
{
    CmReject reject;
    reject.remoteId = request.localId;
    reject.answered = CmAnswered::REQ;
    reject.reason = reason;
    SendBack(received, reject, transaction);
}

// ---------------------------------------------------------------- messages out

void
RdmaConnectionManager::SendBack(const Received& received,
                                const CmMessage& message,
                                uint64_t transaction)
{
    Send(MakePath(received.source, received.mac), message, transaction);
}

void
RdmaConnectionManager::Send(const RdmaAddressHandle& path,
                            const CmMessage& message,
                            uint64_t transaction)
{
    CmDatagram datagram{transaction, message};
    m_sentTrace(datagram);
    MadBytes bytes = datagram.ToBytes();
    SendWorkRequest request;
    request.operation = RdmaOperation::SEND;
    request.bytes = bytes.size();
    request.payload = ns3::Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    request.signaled = false;
    request.path = path;
    request.remoteQp = wire::GENERAL_SERVICES_QP;
    request.qkey = wire::GENERAL_SERVICES_QKEY;
    PostResult result = m_pair->PostSend(request);
    NS_ABORT_MSG_UNLESS(result == PostResult::POSTED, m_pair->Explain(result));
}

RdmaAddressHandle
RdmaConnectionManager::MakePath(const RdmaAddress& address, Mac48Address mac) const
{
    return m_pair->CreateAddressHandle(address, mac);
}

uint64_t
RdmaConnectionManager::GetGuid() const
{
    // EUI-64 of the MAC address. A port without one takes its own number from its IP address.
    uint8_t mac[6];
    m_pair->GetPort().GetMac().CopyTo(mac);
    uint64_t high = uint64_t{mac[0]} << 16 | uint64_t{mac[1]} << 8 | mac[2];
    uint64_t low = uint64_t{mac[3]} << 16 | uint64_t{mac[4]} << 8 | mac[5];
    if (high == 0 && low == 0)
    {
        low = m_pair->GetPort().GetNodeId() & 0xffffff;
    }
    constexpr uint64_t LOCAL_BIT = uint64_t{0x02} << 56;
    return (high << 40 | uint64_t{0xfffe} << 24 | low) ^ LOCAL_BIT;
}

// ---------------------------------------------------------------- who is there

void
RdmaConnectionManager::AddId(Ptr<RdmaConnection> connection)
{
    connection->m_localId = ++m_lastId;
    m_connections[m_lastId] = connection;
}

void
RdmaConnectionManager::AddPeer(RdmaConnection& connection)
{
    m_byPeer[{connection.m_peer.address, connection.m_peer.qpNumber}] = &connection;
}

void
RdmaConnectionManager::Remove(RdmaConnection& connection)
{
    auto peer = m_byPeer.find({connection.m_peer.address, connection.m_peer.qpNumber});
    if (peer != m_byPeer.end() && peer->second == &connection)
    {
        m_byPeer.erase(peer);
    }
    m_connections.erase(connection.m_localId); // perhaps the last reference
}

Ptr<RdmaConnection>
RdmaConnectionManager::Find(uint32_t localId, uint32_t remoteId) const
{
    auto entry = m_connections.find(localId);
    if (entry == m_connections.end())
    {
        return nullptr;
    }
    // Only the first answer to a REQ tells the other side's id; a REJ may have none.
    Ptr<RdmaConnection> connection = entry->second;
    bool known = connection->m_remoteId != 0;
    return !known || connection->m_remoteId == remoteId ? connection : nullptr;
}

} // namespace ns3
