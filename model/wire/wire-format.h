// SPDX-License-Identifier: GPL-2.0-only
#ifndef WIRE_FORMAT_H
#define WIRE_FORMAT_H

#include <cstdint>

/**
 * @file
 * @brief Sizes and constants of the formats on the wire, in one place.
 *
 * Sources: IEEE 802.3 (preamble, FCS, inter-frame gap, minimum frame), IEEE 802.1Q (tag), IEEE
 * 802.1Qbb and 802.3 annex 31B (PFC), InfiniBand Architecture Specification vol. 1 and its annex
 * A17 (RoCEv2).
 */

namespace ns3
{

/// Traffic classes (802.1p priorities) of a port.
constexpr uint32_t N_TRAFFIC_CLASSES = 8;

namespace wire
{

constexpr uint32_t PREAMBLE_BYTES = 8;         ///< preamble and start-of-frame delimiter
constexpr uint32_t INTER_FRAME_GAP_BYTES = 12; ///< minimum gap after a frame
constexpr uint32_t ETHERNET_HEADER_BYTES = 14; ///< destination, source, EtherType
constexpr uint32_t FCS_BYTES = 4;              ///< frame check sequence
constexpr uint32_t MIN_FRAME_BYTES = 64;       ///< shortest Ethernet frame, FCS included

constexpr uint32_t VLAN_TAG_BYTES = 4;       ///< 802.1Q tag
constexpr uint32_t IPV4_BYTES = 20;          ///< without options
constexpr uint32_t IPV6_BYTES = 40;          ///< without extension headers
constexpr uint32_t UDP_BYTES = 8;            ///< UDP header
constexpr uint32_t BTH_BYTES = 12;           ///< base transport header
constexpr uint32_t RETH_BYTES = 16;          ///< RDMA extended transport header
constexpr uint32_t AETH_BYTES = 4;           ///< ACK extended transport header
constexpr uint32_t ATOMIC_ETH_BYTES = 28;    ///< atomic extended transport header
constexpr uint32_t ATOMIC_ACK_ETH_BYTES = 8; ///< answer of an atomic operation
constexpr uint32_t IMMDT_BYTES = 4;          ///< immediate data
constexpr uint32_t IETH_BYTES = 4;           ///< invalidate extended transport header
constexpr uint32_t DETH_BYTES = 8;           ///< datagram extended transport header
constexpr uint32_t PLACEMENT_BYTES = 8;      ///< ours: where in its message a frame belongs
constexpr uint32_t SACK_BYTES = 12;          ///< ours: selective acknowledgement
constexpr uint32_t CREDIT_BYTES = 8;         ///< ours: credit, counted since the start
constexpr uint32_t DEMAND_BYTES = 24;        ///< ours: demand for credit, likewise
constexpr uint32_t CNP_RESERVED_BYTES = 16;  ///< zero bytes after a CNP's BTH
constexpr uint32_t ICRC_BYTES = 4;           ///< invariant CRC
constexpr uint16_t ROCEV2_UDP_PORT = 4791;   ///< UDP destination port of RoCEv2
/// DSCP of a frame whose payload a switch has cut off: the default of NVIDIA Cumulus Linux 5.14.
constexpr uint8_t TRIMMED_DSCP = 11;
constexpr uint16_t DEFAULT_PKEY = 0xffff;          ///< default partition, full member
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;        ///< IPv4
constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;        ///< IPv6
constexpr uint16_t ETHERTYPE_VLAN = 0x8100;        ///< 802.1Q tag
constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808; ///< MAC control (PFC)
/// IEEE 802 local experimental EtherType 1: shows a scale-up frame, whose own format is not public.
constexpr uint16_t ETHERTYPE_EXPERIMENTAL = 0x88b5;
/// IEEE 802 local experimental EtherType 2: shows a credit frame, whose own format has no
/// EtherType.
constexpr uint16_t ETHERTYPE_EXPERIMENTAL_2 = 0x88b6;
constexpr uint16_t PFC_OPCODE = 0x0101;      ///< MAC control opcode of priority flow control
constexpr uint16_t PAUSE_OPCODE = 0x0001;    ///< likewise, of the pause of a whole link
constexpr uint32_t PAUSE_QUANTUM_BITS = 512; ///< bit times in a pause quantum

/// Bytes of every untagged RoCEv2 frame over IPv4 besides extension headers, payload and pad:
/// Ethernet header, IPv4, UDP, BTH, ICRC, FCS.
constexpr uint32_t ROCEV2_BASE_BYTES =
    ETHERNET_HEADER_BYTES + IPV4_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES + FCS_BYTES;

/// PSN, MSN and QP numbers have 24 bits.
constexpr uint32_t MASK_24 = 0xffffff;

/// Largest RDMA message (IBA vol. 1, 9.3.3.1.3): 2^31 bytes.
constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;

} // namespace wire
} // namespace ns3

#endif // WIRE_FORMAT_H
