// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HEADERS_H
#define ROCE_HEADERS_H

#include "rdma-opcode.h"
#include "wire-format.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

/**
 * @file
 * @brief The transport headers of RoCEv2 (InfiniBand Architecture Specification vol. 1, chapter 9).
 *
 * FabricFrame keeps these fields decoded; the classes here put them into ns-3 packets and take them
 * out, and let ns-3's own tools print them. The fields are plain members: any combination can be
 * written, so that a test can make a wrong header too. Bits beyond a field's width on the wire are
 * cut off. Reserved bits are sent as zeros and ignored by a receiver. PlacementHeader and
 * SackHeader are the module's own, of the service RdmaService::SR; CreditHeader and DemandHeader
 * of RdmaService::CONTROL.
 */

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What is the same in each of these headers.
 * @tparam H the header: it has NAME, the TypeId's, and BYTES, its size on the wire
 */
template <typename H>
class RoceHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
};

/**
 * @ingroup ai-fabric
 * @brief Base transport header (IBA vol. 1, 9.2): 12 bytes.
 *
 * @verbatim
   byte  0        1                      2        3
         OpCode   SE M Pad(2) TVer(4)    Partition key
   byte  4        5        6        7
         F B Rsv(6)  Destination QP (24)
   byte  8        9        10       11
         A Rsv(7)    Packet sequence number (24)
   @endverbatim
 * F and B are FECN and BECN, which annex A17 (RoCEv2) takes from the byte that 9.2 reserves.
 */
class BthHeader : public RoceHeader<BthHeader>
{
  public:
    static constexpr const char* NAME = "ns3::BthHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::BTH_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    RdmaOpcode opcode{RdmaOpcode::RC_SEND_ONLY}; ///< transport service and operation
    bool solicited{false};                       ///< SE: the receiver raises an event
    bool migrated{true};                         ///< M: path migration state
    uint8_t padCount{0};                         ///< zero bytes after the payload, 0 to 3
    uint8_t version{0};                          ///< TVer: transport header version, 0
    uint16_t pkey{wire::DEFAULT_PKEY};           ///< partition key
    bool fecn{false};                            ///< forward congestion notification
    bool becn{false};                            ///< backward congestion notification
    uint32_t destQp{0};                          ///< queue pair of the receiver, 24 bits
    bool ackRequest{false};                      ///< A: the sender asks for an acknowledgement
    uint32_t psn{0};                             ///< packet sequence number, 24 bits
};

/**
 * @ingroup ai-fabric
 * @brief RDMA extended transport header (IBA vol. 1, 9.3.3): 16 bytes.
 *
 * @verbatim
   byte  0 .. 7     8 .. 11    12 .. 15
         address    R_Key      DMA length
   @endverbatim
 */
class RethHeader : public RoceHeader<RethHeader>
{
  public:
    static constexpr const char* NAME = "ns3::RethHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::RETH_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint64_t address{0};   ///< virtual address at the responder
    uint32_t remoteKey{0}; ///< R_Key: permits the access
    uint32_t dmaLength{0}; ///< bytes of the whole message
};

/**
 * @ingroup ai-fabric
 * @brief ACK extended transport header (IBA vol. 1, 9.3.5): 4 bytes.
 *
 * @verbatim
   byte  0           1 .. 3
         Syndrome    Message sequence number (24)
   @endverbatim
 * For the syndrome see aeth-syndrome.h.
 */
class AethHeader : public RoceHeader<AethHeader>
{
  public:
    static constexpr const char* NAME = "ns3::AethHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::AETH_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint8_t syndrome{0}; ///< ACK, RNR NAK or NAK, with its value
    uint32_t msn{0};     ///< messages completed at the responder, 24 bits
};

/**
 * @ingroup ai-fabric
 * @brief Immediate data extended transport header (IBA vol. 1, 9.3.6): 4 bytes, one word.
 */
class ImmDtHeader : public RoceHeader<ImmDtHeader>
{
  public:
    static constexpr const char* NAME = "ns3::ImmDtHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::IMMDT_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t immediate{0}; ///< goes into the receiver's completion
};

/**
 * @ingroup ai-fabric
 * @brief Atomic extended transport header (IBA vol. 1, 9.3.4): 28 bytes.
 *
 * @verbatim
   byte  0 .. 7     8 .. 11    12 .. 19       20 .. 27
         address    R_Key      swap or add    compare
   @endverbatim
 */
class AtomicEthHeader : public RoceHeader<AtomicEthHeader>
{
  public:
    static constexpr const char* NAME = "ns3::AtomicEthHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::ATOMIC_ETH_BYTES;   ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint64_t address{0};   ///< virtual address at the responder, a multiple of 8
    uint32_t remoteKey{0}; ///< R_Key: permits the access
    uint64_t swapOrAdd{0}; ///< new value, or what is added
    uint64_t compare{0};   ///< CMP_SWAP: value that the memory must have
};

/**
 * @ingroup ai-fabric
 * @brief Atomic ACK extended transport header (IBA vol. 1, 9.5.3): 8 bytes, the original value.
 */
class AtomicAckEthHeader : public RoceHeader<AtomicAckEthHeader>
{
  public:
    static constexpr const char* NAME = "ns3::AtomicAckEthHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::ATOMIC_ACK_ETH_BYTES;  ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint64_t original{0}; ///< what the responder's memory held before
};

/**
 * @ingroup ai-fabric
 * @brief Invalidate extended transport header (IBA vol. 1, 9.3.7): 4 bytes, an R_Key.
 */
class IethHeader : public RoceHeader<IethHeader>
{
  public:
    static constexpr const char* NAME = "ns3::IethHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::IETH_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t remoteKey{0}; ///< key that the receiver invalidates
};

/**
 * @ingroup ai-fabric
 * @brief Datagram extended transport header (IBA vol. 1, 9.3.2): 8 bytes.
 *
 * @verbatim
   byte  0 .. 3    4           5 .. 7
         Q_Key     reserved    source QP (24)
   @endverbatim
 */
class DethHeader : public RoceHeader<DethHeader>
{
  public:
    static constexpr const char* NAME = "ns3::DethHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::DETH_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t qkey{0};  ///< permits the sender to use the receiving queue pair
    uint32_t srcQp{0}; ///< whom to answer, 24 bits
};

/**
 * @ingroup ai-fabric
 * @brief Ours: where a frame belongs, whatever came before it; 8 bytes after BTH.
 *
 * @verbatim
   byte  0 .. 2                 3           4 .. 7
         message number (24)    reserved    offset in the message
   @endverbatim
 */
class PlacementHeader : public RoceHeader<PlacementHeader>
{
  public:
    static constexpr const char* NAME = "ns3::PlacementHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::PLACEMENT_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t messageNumber{0}; ///< counts the messages of the queue pair, 24 bits
    uint32_t frameOffset{0};   ///< of the payload's first byte, bytes
};

/**
 * @ingroup ai-fabric
 * @brief Ours: selective acknowledgement; 12 bytes after AETH.
 *
 * @verbatim
   byte  0           1 .. 3           4 .. 11
         reserved    base PSN (24)    bitmap
   @endverbatim
 */
class SackHeader : public RoceHeader<SackHeader>
{
  public:
    static constexpr const char* NAME = "ns3::SackHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::SACK_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t base{0};   ///< PSN that bit 0 stands for, 24 bits
    uint64_t bitmap{0}; ///< bit i: PSN base + i has arrived; bit 0 is the least significant
};

/**
 * @ingroup ai-fabric
 * @brief Ours: credit; 8 bytes after BTH. It is counted since the start of the connection, so that
 * a later frame speaks for one that was lost.
 */
class CreditHeader : public RoceHeader<CreditHeader>
{
  public:
    static constexpr const char* NAME = "ns3::CreditHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::CREDIT_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint64_t creditBytes{0}; ///< payload bytes that may be sent, repetitions included
};

/**
 * @ingroup ai-fabric
 * @brief Ours: what a sender without credit asks for; 24 bytes after BTH, all counted since the
 * start of the connection.
 */
class DemandHeader : public RoceHeader<DemandHeader>
{
  public:
    static constexpr const char* NAME = "ns3::DemandHeader"; ///< of the TypeId
    static constexpr uint32_t BYTES = wire::DEMAND_BYTES;    ///< size on the wire

    void Print(std::ostream& os) const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint64_t demandBytes{0}; ///< payload bytes sent, and still to be sent
    uint64_t sentBytes{0};   ///< payload bytes sent
    uint64_t limitBytes{0};  ///< the credit that it knows of
};

// Their common part is in roce-headers.cc.
extern template class RoceHeader<BthHeader>;
extern template class RoceHeader<DethHeader>;
extern template class RoceHeader<PlacementHeader>;
extern template class RoceHeader<RethHeader>;
extern template class RoceHeader<AtomicEthHeader>;
extern template class RoceHeader<AethHeader>;
extern template class RoceHeader<AtomicAckEthHeader>;
extern template class RoceHeader<SackHeader>;
extern template class RoceHeader<CreditHeader>;
extern template class RoceHeader<DemandHeader>;
extern template class RoceHeader<ImmDtHeader>;
extern template class RoceHeader<IethHeader>;

} // namespace ns3

#endif // ROCE_HEADERS_H
