// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "rdma-opcode.h"
#include "switch-header.h"
#include "wire-format.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/// What a frame carries, and so which of its fields have a meaning.
enum class FrameKind : uint8_t
{
    ROCE,         ///< RoCEv2: IPv4 or IPv6, UDP, BTH and what the opcode implies
    PACKET,       ///< a packet of ns-3's own stack, in `payload`
    SCALE_UP,     ///< a frame of a scale-up link (memory writes between GPUs)
    GROUP_CREDIT, ///< from a switch's reducer: how far a sender of a group may go
    PFC,          ///< IEEE 802.1Qbb pause; this and what follows stays with the port
    PAUSE,        ///< IEEE 802.3 annex 31B pause: of the whole link, for pauseQuanta[0]
    LINK_CREDIT,  ///< credits of the link (CreditFlowControl)
};

/// ECN field of the IP header (RFC 3168).
enum class EcnField : uint8_t
{
    NOT_ECT = 0, ///< not ECN-capable
    ECT1 = 1,    ///< ECN-capable transport (1)
    ECT0 = 2,    ///< ECN-capable transport (0)
    CE = 3,      ///< congestion experienced
};

/// An IPv6 address, first byte first.
using Ipv6Bytes = std::array<uint8_t, 16>;

/**
 * @brief Where the time of a frame went since its sender put it on its first link; time steps.
 *
 * Simulation metadata: it is not on the wire. An ACK starts from the values of the frame that it
 * answers, so that the sender sees the whole round.
 */
struct FrameJourney
{
    int64_t serialization{0}; ///< on the wire, bit by bit
    int64_t propagation{0};   ///< cable and pipeline latency
    int64_t queueing{0};      ///< in queues of open classes
    int64_t paused{0};        ///< in queues of classes that PFC held
};

class FabricFrame;
/// Counted reference to a pooled frame.
using FramePtr = boost::intrusive_ptr<FabricFrame>;

/**
 * @ingroup ai-fabric
 * @brief The unit that moves over a fabric: a decoded frame.
 *
 * The header fields are plain members: a switch marks ECN or reads the hash without touching bytes.
 * The bytes exist only when someone asks: `ToPacket()` gives the exact wire image, `FromPacket()`
 * parses one. Frames come from a free list (`Create()`) and return to it with the last reference.
 * A frame stands in at most one FrameFifo at a time.
 */
class alignas(64) FabricFrame
{
  private:
    // With the fields that follow in one cache line: all that most hops touch.
    FabricFrame* m_next{nullptr}; ///< link of its FIFO or of the free list
    uint32_t m_references{0};

  public:
    // ---- hot: read at each hop
    uint32_t sizeBytes{0}; ///< destination address to FCS, both included
    FrameKind kind{FrameKind::ROCE};
    uint8_t trafficClass{0};         ///< 802.1p priority of its queues, 0 to 7
    EcnField ecn{EcnField::NOT_ECT}; ///< IP ECN field
    RdmaOpcode opcode{RdmaOpcode::RC_SEND_ONLY};
    uint32_t dstAddress{0};   ///< IPv4 destination, host byte order; IPv6: its low 32 bits;
                              ///< scale-up: the port's address
    uint32_t flowHash{0};     ///< hash of the IP 5-tuple, see FlowHash() and FlowHash6()
    uint16_t ingressPort{0};  ///< inside a switch: the port it came in by
    uint8_t hops{0};          ///< switches passed so far (the TTL stays: they work on layer 2)
    uint8_t segments{1};      ///< frames of the wire that it stands for: coarse packets
    int64_t arrivalTime{0};   ///< on a link: when it reaches the far end (time steps)
    int64_t enqueueTime{0};   ///< in a queue: since when (time steps)
    int64_t pauseClock{0};    ///< in a queue: the class's paused time at that moment (time steps)
    uint32_t payloadBytes{0}; ///< application bytes
    uint32_t srcAddress{0};   ///< IPv4 source, host byte order; IPv6: low 32 bits, as dstAddress

    FrameJourney journey; ///< where its time went
    Ptr<Packet> payload;  ///< application bytes (ROCE) or the L3 packet (PACKET); may be null
    SwitchHeader* switchHeader{nullptr}; ///< the frame's own, null until MakeSwitchHeader()

    /// @return a fresh frame with every field at its default.
    static FramePtr Create();

    /**
     * Parses a wire image: Ethernet header, perhaps a VLAN tag, then RoCEv2 over IPv4 or IPv6, PFC,
     * or anything else (kept whole as a PACKET frame's payload). The FCS is not part of the image.
     * @param packet the bytes, from the destination address to the last byte before the FCS
     * @param error if not null, receives what is wrong: a truncated header, an unknown opcode, a
     *        wrong ICRC
     * @return the frame, or null if the bytes are not a well-formed frame
     */
    static FramePtr FromPacket(Ptr<const Packet> packet, std::string* error = nullptr);

    /// @return the exact wire image, from the destination address to the last byte before the FCS.
    Ptr<Packet> ToPacket() const;

    /**
     * Parses an IP packet, as ns-3's stack and its queues hold it.
     * @param packet from the IP header on
     * @param etherType what it is: IPv4 or IPv6; all else becomes a PACKET frame unread
     * @param error if not null, receives what is wrong
     * @return a ROCE frame; or, of other IP packets, a PACKET frame with addresses, DSCP, ECN and
     *         flow hash set; or null if the bytes are not a well-formed packet
     */
    static FramePtr FromIpPacket(Ptr<const Packet> packet,
                                 uint16_t etherType,
                                 std::string* error = nullptr);

    /// @return the exact bytes of a ROCE or PACKET frame from the IP header on, without Ethernet
    Ptr<Packet> ToIpPacket() const;

    /// @return a copy with its own identity (for multicast and mirrors).
    FramePtr Clone() const;

    /// Of the state that SaveState() writes.
    static constexpr size_t STATE_BYTES = 256;

    /// Writes all but the payload and what switches wrote, for the same program on the same kind of
    /// machine. @param bytes room for STATE_BYTES
    void SaveState(uint8_t* bytes) const;

    /// @param bytes from SaveState() @return a frame with that state
    static FramePtr FromState(const uint8_t* bytes);

    /// @return what switches wrote into the frame; made on the first call
    SwitchHeader& MakeSwitchHeader();

    /// Has the processor fetch what most hops touch.
    void Prefetch() const
    {
        __builtin_prefetch(this);
        __builtin_prefetch(reinterpret_cast<const char*>(this) + 64); // its journey
    }

    /// Has the processor fetch all of it.
    void PrefetchWhole() const
    {
        constexpr size_t CACHE_LINE = 64;
        for (size_t line = 0; line < sizeof(FabricFrame); line += CACHE_LINE)
        {
            __builtin_prefetch(reinterpret_cast<const char*>(this) + line);
        }
    }

    /// @return true: it stops or opens the link or classes of it
    bool IsPause() const
    {
        return kind == FrameKind::PFC || kind == FrameKind::PAUSE;
    }

    /// @return true: it belongs to the flow control of its link, and stays with the port
    bool IsOfLink() const
    {
        return kind >= FrameKind::PFC;
    }

    /// @return true: a switch has cut the payload off
    bool IsTrimmed() const
    {
        return switchHeader && switchHeader->trimmed;
    }

    /// Sets sizeBytes from the kind, the opcode and payloadBytes (pad and minimum size included).
    void ComputeSize();

    /// @return bytes of zero padding (0 to 3) that round the payload up to 4 bytes.
    uint8_t PadCount() const
    {
        return static_cast<uint8_t>((4 - (payloadBytes & 3)) & 3);
    }

    // ---- VLAN, IP and UDP
    uint16_t ipId{0}; ///< IPv4 identification
    uint16_t udpSourcePort{0};
    uint16_t udpChecksum{0}; ///< as received; NICs send 0, for the ICRC covers more
    uint16_t vlanTci{0};     ///< 802.1Q: PCP 3 (on sending from trafficClass), DEI 1, VID 12 bits
    uint8_t dscp{0};
    uint8_t ttl{64};         ///< IPv4 time to live, IPv6 hop limit
    bool dontFragment{true}; ///< IPv4 DF
    bool ipv6{false};        ///< IPv6, with srcIpv6, dstIpv6 and ipv6FlowLabel

    // ---- BTH
    bool fecn{false};
    bool becn{false};
    uint16_t pkey{wire::DEFAULT_PKEY};
    bool solicited{false};
    bool migrated{true}; ///< the M bit; set on a connection that never migrates
    bool ackRequest{false};
    bool vlanTagged{false}; ///< an 802.1Q tag; a received one sets trafficClass to its PCP
    uint32_t destQp{0};     ///< 24 bits
    uint32_t psn{0};        ///< 24 bits

    // ---- extension headers. Where no opcode has both of two headers they share storage, so that a
    // frame takes four cache lines: read only what the opcode's traits say is there.
    uint32_t remoteKey{0};     ///< RETH, AtomicETH; IETH: the key to invalidate
    uint64_t remoteAddress{0}; ///< RETH, AtomicETH
    uint32_t dmaLength{0};     ///< RETH: bytes of the message
    uint32_t immediate{0};     ///< ImmDt
    uint32_t msn{0};           ///< AETH: 24 bits

    union {
        uint32_t qkey{0};       ///< DETH
        uint32_t messageNumber; ///< placement: number of the message in its queue pair, 24 bits
        uint32_t sackBase;      ///< SACK: PSN of bit 0, 24 bits
    };

    union {
        uint32_t srcQp{0};    ///< DETH: 24 bits
        uint32_t frameOffset; ///< placement: of the payload in the message, bytes
    };

    uint8_t syndrome{0}; ///< AETH syndrome, see aeth-syndrome.h

    // ---- PFC
    uint8_t pauseClasses{0}; ///< class enable vector; LINK_CREDIT: classes that it speaks of

    // ---- Ethernet
    uint16_t etherType{wire::ETHERTYPE_IPV4}; ///< after the VLAN tag; a RoCE frame goes by ipv6

    // ---- more extension headers
    union {
        uint64_t atomicData{0}; ///< AtomicETH: swap or add; AtomicAckETH: original value
        uint64_t sentBytes;     ///< SEND, WRITE, CREDIT_REQUEST: see RdmaArrivalSignal
        uint64_t messageBytes;  ///< scale-up: length of the message that these bytes belong to
    };

    union {
        uint64_t atomicCompare{0}; ///< AtomicETH
        uint64_t sackBits;         ///< SACK: bit i says that PSN sackBase + i has arrived
        uint64_t limitBytes;       ///< SEND, WRITE, CREDIT_REQUEST: RdmaRateState::sendLimitBytes
    };

    union {
        std::array<uint16_t, N_TRAFFIC_CLASSES> pauseQuanta{}; ///< PFC; units of 512 bit times
        Ipv6Bytes srcIpv6;                                     ///< not of PFC
        std::array<uint16_t, N_TRAFFIC_CLASSES> creditLimits;  ///< LINK_CREDIT: FCCL, blocks
    };

    union {
        Ipv6Bytes dstIpv6{};
        std::array<uint16_t, N_TRAFFIC_CLASSES> sentBlocks; ///< LINK_CREDIT: FCTBS, blocks
    };

    Mac48Address srcMac;
    Mac48Address dstMac;
    uint32_t ipv6FlowLabel{0}; ///< 20 bits

    union {
        uint64_t messageId{0}; ///< scale-up: which message of the peer these bytes belong to
        uint64_t demandBytes;  ///< SEND, WRITE, CREDIT_REQUEST: RdmaArrivalSignal's, without what
                               ///< is to be repeated because it was trimmed
        int64_t endpointSteps; ///< answer: the receiver's part of the round trip
        uint64_t creditBytes;  ///< CREDIT: payload bytes that may be sent, since the start
    };

    uint64_t sentTime{0}; ///< hardware time stamp of the send, echoed by ACKs (time steps)

  private:
    friend class FrameFifo;
    friend class FramePool;
    friend void intrusive_ptr_add_ref(FabricFrame* frame);
    friend void intrusive_ptr_release(FabricFrame* frame);

    FabricFrame() = default;
    FabricFrame(const FabricFrame&) = default;
    FabricFrame& operator=(const FabricFrame&) = default;
};

/// Takes a reference. @param frame the frame
inline void
intrusive_ptr_add_ref(FabricFrame* frame)
{
    ++frame->m_references;
}

/// Drops a reference; the last one returns the frame to the pool. @param frame the frame
void intrusive_ptr_release(FabricFrame* frame);

/**
 * @brief Hash of the 5-tuple that ECMP spreads flows by (32-bit murmur3 over four words).
 * @param srcAddress IPv4 source, host byte order
 * @param dstAddress IPv4 destination, host byte order
 * @param sourcePort the UDP or TCP source port, a flow's entropy
 * @param destinationPort the UDP or TCP destination port
 * @param protocol the IP protocol, by default UDP
 * @return 32 well-mixed bits, the same on every machine
 */
uint32_t FlowHash(uint32_t srcAddress,
                  uint32_t dstAddress,
                  uint16_t sourcePort,
                  uint16_t destinationPort = wire::ROCEV2_UDP_PORT,
                  uint8_t protocol = 17);

/**
 * @brief The same for IPv6 (over eleven words): with the flow label, which RFC 6438 lets a router
 *        spread flows by.
 * @param srcAddress IPv6 source
 * @param dstAddress IPv6 destination
 * @param flowLabel of the IPv6 header, 20 bits
 * @param sourcePort the UDP or TCP source port
 * @param destinationPort the UDP or TCP destination port
 * @param protocol the IP protocol, by default UDP
 * @return 32 well-mixed bits, the same on every machine
 */
uint32_t FlowHash6(const Ipv6Bytes& srcAddress,
                   const Ipv6Bytes& dstAddress,
                   uint32_t flowLabel,
                   uint16_t sourcePort,
                   uint16_t destinationPort = wire::ROCEV2_UDP_PORT,
                   uint8_t protocol = 17);

/// @param address IPv6 @return its low 32 bits, host byte order: the fabric's key for forwarding
uint32_t LowWord(const Ipv6Bytes& address);

/**
 * @brief First-in first-out list of frames that allocates nothing: it links the frames themselves.
 */
class FrameFifo
{
  public:
    FrameFifo() = default;
    FrameFifo(const FrameFifo&) = delete;
    FrameFifo& operator=(const FrameFifo&) = delete;

    ~FrameFifo()
    {
        Clear();
    }

    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /// @return the oldest frame; the list must not be empty.
    FabricFrame& Front() const
    {
        return *m_head;
    }

    /// Appends @p frame, which must stand in no other list.
    void Push(FramePtr frame)
    {
        FabricFrame* raw = frame.detach(); // the list owns one reference
        raw->m_next = nullptr;
        if (m_tail)
        {
            m_tail->m_next = raw;
        }
        else
        {
            m_head = raw;
        }
        m_tail = raw;
    }

    /// @return the oldest frame, taken out; the list must not be empty.
    FramePtr Pop()
    {
        FabricFrame* raw = m_head;
        m_head = raw->m_next;
        if (!m_head)
        {
            m_tail = nullptr;
        }
        return FramePtr(raw, false);
    }

    /// Has the processor fetch what most hops touch of the oldest frame.
    void PrefetchFront() const
    {
        if (m_head)
        {
            m_head->Prefetch();
        }
    }

    /// Likewise of the one behind it. The oldest should be in the cache.
    void PrefetchSecond() const
    {
        if (m_head && m_head->m_next)
        {
            m_head->m_next->Prefetch();
        }
    }

    /// @param visit called with each frame, the oldest first; it must not change the list
    template <typename Visitor>
    void ForEach(Visitor visit) const
    {
        for (const FabricFrame* frame = m_head; frame; frame = frame->m_next)
        {
            visit(*frame);
        }
    }

    /// Drops all frames.
    void Clear()
    {
        while (!IsEmpty())
        {
            Pop();
        }
    }

  private:
    FabricFrame* m_head{nullptr};
    FabricFrame* m_tail{nullptr};
};

} // namespace ns3

#endif // FABRIC_FRAME_H
