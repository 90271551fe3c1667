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
 * cut off.
 */

namespace ns3
{

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
 * Reserved bits are sent as zeros and ignored by a receiver.
 */
class BthHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
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
class RethHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
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
class AethHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint8_t syndrome{0}; ///< ACK, RNR NAK or NAK, with its value
    uint32_t msn{0};     ///< messages completed at the responder, 24 bits
};

/**
 * @ingroup ai-fabric
 * @brief Immediate data extended transport header (IBA vol. 1, 9.3.6): 4 bytes, one word.
 */
class ImmDtHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t immediate{0}; ///< goes into the receiver's completion
};

} // namespace ns3

#endif // ROCE_HEADERS_H
