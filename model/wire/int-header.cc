// SPDX-License-Identifier: GPL-2.0-only
#include "int-header.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IntHeader);

namespace
{

// ---- INT-MD
constexpr uint32_t TYPE_MD = 1;
constexpr uint32_t TYPE_DESTINATION = 2;
constexpr uint32_t NPT_UDP_PAYLOAD = 1; ///< what followed UDP follows the INT stack
constexpr uint32_t VERSION = 2;
constexpr uint32_t HEADER_WORDS = wire::INT_MD_HEADER_BYTES / 4;
constexpr uint32_t HOP_WORDS = wire::INT_MD_HOP_BYTES / 4;
constexpr uint16_t INSTRUCTIONS = 0xd400;    // bits 0, 1, 3 and 5 from the left
constexpr uint16_t DOMAIN_ID = 0xa1fa;       // ours
constexpr uint16_t DS_INSTRUCTIONS = 0xc000; // bits 0 and 1 from the left
constexpr uint64_t CELL_BYTES = 64;
constexpr uint64_t MAX_CELLS = 0xffffff;
constexpr uint64_t MAX_PORT = 0xffff;
constexpr uint64_t MEGA = 1000000;

// ---- HPCC
constexpr uint64_t GIGA = 1000000000;
constexpr std::array<uint64_t, 16> HPCC_RATES{0,
                                              10 * GIGA,
                                              25 * GIGA,
                                              40 * GIGA,
                                              50 * GIGA,
                                              100 * GIGA,
                                              200 * GIGA,
                                              400 * GIGA,
                                              800 * GIGA,
                                              1600 * GIGA,
                                              3200 * GIGA};

/// @param steps a time @return whole nanoseconds
uint64_t
ToNanoseconds(int64_t steps)
{
    return static_cast<uint64_t>(TimeStep(static_cast<uint64_t>(steps)).GetNanoSeconds());
}

/// @param nanoseconds a time @return time steps
int64_t
ToSteps(uint64_t nanoseconds)
{
    return NanoSeconds(nanoseconds).GetTimeStep();
}

} // namespace

uint8_t
HpccRateCode(uint64_t bitsPerSecond)
{
    auto found = std::find(HPCC_RATES.begin() + 1, HPCC_RATES.end(), bitsPerSecond);
    return found == HPCC_RATES.end() || bitsPerSecond == 0
               ? 0
               : static_cast<uint8_t>(found - HPCC_RATES.begin());
}

uint64_t
HpccRate(uint8_t code)
{
    return HPCC_RATES.at(code);
}

IntHeader::IntHeader(TelemetryFormat format)
{
    m_header.telemetryFormat = format;
}

IntHeader::IntHeader(const SwitchHeader& header)
    : m_header(header)
{
}

TypeId
IntHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IntHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IntHeader>();
    return tid;
}

TypeId
IntHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IntHeader::Print(std::ostream& os) const
{
    os << (m_header.collectsTelemetry ? "telemetry" : "echoed telemetry");
    if (IsDigest(m_header.telemetryFormat))
    {
        os << " (digest " << m_header.digest << ")";
    }
    for (const IntHop& hop : m_header.telemetry)
    {
        os << " (switch " << hop.switchId << " port " << hop.egressPort << " queue "
           << hop.queueBytes << " B sent " << hop.txBytes << " B at " << ToNanoseconds(hop.time)
           << " ns, " << hop.bitsPerSecond << " bps)";
    }
}

uint32_t
IntHeader::GetSerializedSize() const
{
    return TelemetryBytes(m_header);
}

uint32_t
IntHeader::LengthOf(TelemetryFormat format, const uint8_t* bytes)
{
    return format == TelemetryFormat::INT_MD ? wire::INT_SHIM_BYTES + 4u * bytes[1]
           : format == TelemetryFormat::HPCC
               ? wire::HPCC_BASE_BYTES + wire::HPCC_HOP_BYTES * (bytes[0] >> 4)
               : TelemetryBaseBytes(format);
}

void
IntHeader::Serialize(Buffer::Iterator start) const
{
    m_header.telemetryFormat == TelemetryFormat::INT_MD ? WriteIntMd(start)
    : m_header.telemetryFormat == TelemetryFormat::HPCC ? WriteHpcc(start)
                                                        : WriteDigest(start);
}

uint32_t
IntHeader::Deserialize(Buffer::Iterator start)
{
    m_header.telemetry.clear();
    m_error.clear();
    m_header.telemetryFormat == TelemetryFormat::INT_MD ? ReadIntMd(start)
    : m_header.telemetryFormat == TelemetryFormat::HPCC ? ReadHpcc(start)
                                                        : ReadDigest(start);
    return GetSerializedSize();
}

// ---- INT-MD

void
IntHeader::WriteIntMd(Buffer::Iterator i) const
{
    uint32_t type = m_header.collectsTelemetry ? TYPE_MD : TYPE_DESTINATION;
    i.WriteU8(static_cast<uint8_t>(type << 4 | NPT_UDP_PAYLOAD << 2));
    i.WriteU8(static_cast<uint8_t>(HEADER_WORDS + HOP_WORDS * m_header.telemetry.size()));
    i.WriteHtonU16(wire::ROCEV2_UDP_PORT);
    i.WriteHtonU32(VERSION << 28 | uint32_t{m_header.hopsExceeded} << 26 |
                   uint32_t{m_header.mtuExceeded} << 25 | HOP_WORDS << 8 | m_header.hopsLeft);
    i.WriteHtonU16(INSTRUCTIONS);
    i.WriteHtonU16(DOMAIN_ID);
    i.WriteHtonU16(DS_INSTRUCTIONS);
    i.WriteHtonU16(0);
    for (auto hop = m_header.telemetry.rbegin(); hop != m_header.telemetry.rend(); ++hop)
    {
        uint64_t cells = std::min(MAX_CELLS, (hop->queueBytes + CELL_BYTES - 1) / CELL_BYTES);
        i.WriteHtonU32(hop->switchId);
        i.WriteHtonU16(static_cast<uint16_t>(std::min<uint64_t>(MAX_PORT, hop->ingressPort)));
        i.WriteHtonU16(static_cast<uint16_t>(std::min<uint64_t>(MAX_PORT, hop->egressPort)));
        i.WriteHtonU32(uint32_t{hop->trafficClass} << 24 | static_cast<uint32_t>(cells));
        i.WriteHtonU64(ToNanoseconds(hop->time));
        i.WriteHtonU64(hop->txBytes);
        i.WriteHtonU32(static_cast<uint32_t>((hop->bitsPerSecond + MEGA / 2) / MEGA));
    }
}

void
IntHeader::Expect(const char* field, uint32_t found, uint32_t expected)
{
    if (found != expected && m_error.empty())
    {
        std::ostringstream text;
        text << field << ": found " << found << ", expected " << expected;
        m_error = text.str();
    }
}

void
IntHeader::ReadIntMd(Buffer::Iterator i)
{
    uint8_t type = i.ReadU8();
    uint32_t words = i.ReadU8();
    m_header.collectsTelemetry = type >> 4 == TYPE_MD;
    Expect("INT type", type >> 4, m_header.collectsTelemetry ? TYPE_MD : TYPE_DESTINATION);
    Expect("INT next protocol type", (type >> 2) & 3, NPT_UDP_PAYLOAD);
    Expect("UDP port in the INT shim", i.ReadNtohU16(), wire::ROCEV2_UDP_PORT);
    uint32_t hops = words < HEADER_WORDS ? 0 : (words - HEADER_WORDS) / HOP_WORDS;
    Expect("words of INT", words, HEADER_WORDS + hops * HOP_WORDS);
    if (!m_error.empty())
    {
        return;
    }
    uint32_t first = i.ReadNtohU32();
    Expect("INT version", first >> 28, VERSION);
    Expect("INT hop metadata length", (first >> 8) & 0x1f, HOP_WORDS);
    m_header.hopsExceeded = first >> 26 & 1;
    m_header.mtuExceeded = first >> 25 & 1;
    m_header.hopsLeft = static_cast<uint8_t>(first);
    Expect("INT instruction bitmap", i.ReadNtohU16(), INSTRUCTIONS);
    Expect("INT domain", i.ReadNtohU16(), DOMAIN_ID);
    Expect("INT domain's instructions", i.ReadNtohU16(), DS_INSTRUCTIONS);
    i.ReadNtohU16(); // flags of the domain: none is in use
    if (!m_error.empty())
    {
        return;
    }
    m_header.telemetry.resize(hops);
    for (auto hop = m_header.telemetry.rbegin(); hop != m_header.telemetry.rend(); ++hop)
    {
        hop->switchId = i.ReadNtohU32();
        hop->ingressPort = i.ReadNtohU16();
        hop->egressPort = i.ReadNtohU16();
        uint32_t queue = i.ReadNtohU32();
        hop->trafficClass = static_cast<uint8_t>(queue >> 24);
        hop->queueBytes = (queue & MAX_CELLS) * CELL_BYTES;
        hop->time = ToSteps(i.ReadNtohU64());
        hop->txBytes = i.ReadNtohU64();
        hop->bitsPerSecond = i.ReadNtohU32() * MEGA;
    }
}

// ---- HPCC

void
IntHeader::WriteHpcc(Buffer::Iterator i) const
{
    i.WriteHtonU16(static_cast<uint16_t>(m_header.telemetry.size() << 12) |
                   (m_header.pathId & 0xfff));
    for (const IntHop& hop : m_header.telemetry)
    {
        uint64_t queue = std::min<uint64_t>(0xffff, hop.queueBytes / wire::HPCC_QUEUE_UNIT_BYTES);
        uint64_t sent = hop.txBytes / wire::HPCC_TX_UNIT_BYTES & 0xfffff;
        uint64_t time = ToNanoseconds(hop.time) & 0xffffff;
        i.WriteHtonU64(uint64_t{HpccRateCode(hop.bitsPerSecond)} << 60 | time << 36 | sent << 16 |
                       queue);
    }
}

void
IntHeader::ReadHpcc(Buffer::Iterator i)
{
    uint16_t first = i.ReadNtohU16();
    m_header.pathId = first & 0xfff;
    m_header.telemetry.resize(first >> 12);
    m_header.hopsLeft = static_cast<uint8_t>(wire::HPCC_MAX_HOPS - m_header.telemetry.size());
    for (IntHop& hop : m_header.telemetry)
    {
        uint64_t word = i.ReadNtohU64();
        hop.bitsPerSecond = HpccRate(static_cast<uint8_t>(word >> 60));
        hop.time = ToSteps(word >> 36 & 0xffffff);
        hop.txBytes = (word >> 16 & 0xfffff) * wire::HPCC_TX_UNIT_BYTES;
        hop.queueBytes = (word & 0xffff) * wire::HPCC_QUEUE_UNIT_BYTES;
    }
}

// ---- PINT

void
IntHeader::WriteDigest(Buffer::Iterator i) const
{
    m_header.telemetryFormat == TelemetryFormat::PINT
        ? i.WriteU8(static_cast<uint8_t>(m_header.digest))
        : i.WriteHtonU16(m_header.digest);
}

void
IntHeader::ReadDigest(Buffer::Iterator i)
{
    m_header.digest =
        m_header.telemetryFormat == TelemetryFormat::PINT ? i.ReadU8() : i.ReadNtohU16();
}

} // namespace ns3
