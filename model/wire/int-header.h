// SPDX-License-Identifier: GPL-2.0-only
#ifndef INT_HEADER_H
#define INT_HEADER_H

#include "switch-header.h"
#include "wire-format.h"

#include "ns3/header.h"

/**
 * @file
 * @brief In-band network telemetry on the wire, between the UDP header and BTH.
 *
 * INT-MD: P4.org Applications Working Group, "In-band Network Telemetry (INT) Dataplane
 * Specification", version 2.1, sections "INT over TCP/UDP" (UDP port, NPT 1) and "INT-MD Metadata
 * Header Format".
 * HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, figure 7.
 * PINT: Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020.
 */

namespace ns3
{

namespace wire
{

/// UDP destination port of a RoCEv2 packet with INT-MD. The specification leaves the number open.
constexpr uint16_t INT_MD_UDP_PORT = 4794;
/// UDP destination port of a RoCEv2 packet with HPCC's header. The paper names none.
constexpr uint16_t HPCC_UDP_PORT = 4795;
/// UDP destination port of a RoCEv2 packet with PINT's digest of one byte. The paper names none.
constexpr uint16_t PINT_UDP_PORT = 4796;
/// likewise of two bytes
constexpr uint16_t PINT_16_UDP_PORT = 4797;

constexpr uint32_t INT_SHIM_BYTES = 4;       ///< shim header of INT over UDP
constexpr uint32_t INT_MD_HEADER_BYTES = 12; ///< INT-MD metadata header
constexpr uint32_t INT_MD_HOP_BYTES = 32;    ///< metadata of a hop: eight words, see IntHeader
constexpr uint8_t INT_MD_MAX_HOPS = 31;      ///< the shim's length has 8 bits: 3 + 31 x 8 words
constexpr uint32_t HPCC_BASE_BYTES = 2;      ///< nHop and pathID
constexpr uint32_t HPCC_HOP_BYTES = 8;       ///< B, TS, txBytes, qLen
constexpr uint8_t HPCC_MAX_HOPS = 15;        ///< nHop has 4 bits
constexpr int64_t HPCC_TIME_WRAP_NANOSECONDS = 1 << 24; ///< TS has 24 bits
constexpr uint64_t HPCC_TX_UNIT_BYTES = 128;            ///< unit of txBytes
constexpr uint64_t HPCC_QUEUE_UNIT_BYTES = 80;          ///< unit of qLen
constexpr uint64_t HPCC_TX_WRAP_BYTES = 128u << 20;     ///< txBytes has 20 bits of 128 bytes

} // namespace wire

/// @param format any @return bytes that each hop adds
constexpr uint32_t
TelemetryHopBytes(TelemetryFormat format)
{
    return format == TelemetryFormat::INT_MD ? wire::INT_MD_HOP_BYTES
           : format == TelemetryFormat::HPCC ? wire::HPCC_HOP_BYTES
                                             : 0;
}

/// @param format any @return hops that fit
constexpr uint8_t
TelemetryMaxHops(TelemetryFormat format)
{
    return format == TelemetryFormat::INT_MD ? wire::INT_MD_MAX_HOPS
           : format == TelemetryFormat::HPCC ? wire::HPCC_MAX_HOPS
                                             : 0;
}

/// @param format any @return bytes before the first hop has written
constexpr uint32_t
TelemetryBaseBytes(TelemetryFormat format)
{
    switch (format)
    {
    case TelemetryFormat::INT_MD:
        return wire::INT_SHIM_BYTES + wire::INT_MD_HEADER_BYTES;
    case TelemetryFormat::HPCC:
        return wire::HPCC_BASE_BYTES;
    case TelemetryFormat::PINT:
        return 1;
    case TelemetryFormat::PINT_16:
        return 2;
    case TelemetryFormat::NONE:
        break;
    }
    return 0;
}

/// @param header any @return bytes of its telemetry on the wire
inline uint32_t
TelemetryBytes(const SwitchHeader& header)
{
    return TelemetryBaseBytes(header.telemetryFormat) +
           static_cast<uint32_t>(header.telemetry.size()) *
               TelemetryHopBytes(header.telemetryFormat);
}

/// @param format any @return it has one digest for all hops
constexpr bool
IsDigest(TelemetryFormat format)
{
    return format == TelemetryFormat::PINT || format == TelemetryFormat::PINT_16;
}

/// @param format not NONE @return UDP destination port that says so
constexpr uint16_t
TelemetryUdpPort(TelemetryFormat format)
{
    return format == TelemetryFormat::INT_MD ? wire::INT_MD_UDP_PORT
           : format == TelemetryFormat::HPCC ? wire::HPCC_UDP_PORT
           : format == TelemetryFormat::PINT ? wire::PINT_UDP_PORT
                                             : wire::PINT_16_UDP_PORT;
}

/// @param bitsPerSecond of a port @return its code in HPCC's field B; 0: it has none
uint8_t HpccRateCode(uint64_t bitsPerSecond);

/// @param code of HPCC's field B @return bits a second; 0: not in use
uint64_t HpccRate(uint8_t code);

/**
 * @ingroup ai-fabric
 * @brief The telemetry of a frame, in any format.
 *
 * INT-MD has, from its first byte on (all big-endian, the last hop's metadata first):
 *
 *     shim       type 4 (1: collects, MD; 2: an echo, which no hop may touch), NPT 2 (1), 2 zeros,
 *                length of what follows in words 8, original UDP port 16 (4791)
 *     MD header  version 4 (2), D 1 (0), E 1, M 1, 12 zeros, hop ML 5 (8), remaining hop count 8,
 *                instruction bitmap 16 (0xd400), domain specific id 16 (0xa1fa),
 *                DS instruction 16 (0xc000), DS flags 16 (0)
 *     each hop   bit 0: node id 32
 *                bit 1: ingress port 16, egress port 16
 *                bit 3: queue (traffic class) 8, queue occupancy 24, in cells of 64 bytes, rounded
 *                       up; more than fits reads as 0xffffff
 *                bit 5: egress time stamp 64, nanoseconds, rounded down
 *                DS bit 0: bytes that the port had sent 64
 *                DS bit 1: rate of the port 32, Mb/s, rounded to the nearest
 *
 * HPCC has nHop 4, pathID 12 (the low bits of all switch ids, by exclusive or), and for each hop,
 * the first one first: B 4 (a code of the rate, see HpccRateCode), TS 24 (nanoseconds, wraps at
 * 16.8 ms), txBytes 20 (units of 128 bytes, wraps at 128 MiB), qLen 16 (units of 80 bytes, rounded
 * down; more than fits reads as 0xffff). The paper gives the widths; the units are those of its
 * authors' simulator, the rate codes are ours.
 *
 * PINT has its digest (PintCode), in one byte or two.
 */
class IntHeader : public Header
{
  public:
    /// @param format of what is to be read
    explicit IntHeader(TelemetryFormat format = TelemetryFormat::INT_MD);

    /// @param header whose telemetry is to be written
    explicit IntHeader(const SwitchHeader& header);

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /// @return what was read; of a hop that HPCC's format told of, only what it tells
    const SwitchHeader& Get() const
    {
        return m_header;
    }

    /// @return empty, or which field of an INT-MD header is not as above: found, expected
    const std::string& GetError() const
    {
        return m_error;
    }

    /**
     * @param format which
     * @param bytes of the header, the first four at least for INT_MD, one for HPCC
     * @return its length, as it says itself
     */
    static uint32_t LengthOf(TelemetryFormat format, const uint8_t* bytes);

  private:
    void WriteIntMd(Buffer::Iterator i) const;
    void WriteHpcc(Buffer::Iterator i) const;
    void ReadIntMd(Buffer::Iterator i);
    void ReadHpcc(Buffer::Iterator i);
    void WriteDigest(Buffer::Iterator i) const;
    void ReadDigest(Buffer::Iterator i);
    void Expect(const char* field, uint32_t found, uint32_t expected);

    SwitchHeader m_header;
    std::string m_error;
};

} // namespace ns3

#endif // INT_HEADER_H
