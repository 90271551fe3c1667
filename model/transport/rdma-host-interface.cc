// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-host-interface.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHostInterface);

namespace
{

/// Bits a second of a lane after its line code, by generation (PCI Express Base Specification):
/// 8b/10b, from the third one on 128b/130b, in the sixth one frames of 256 bytes with 242 of them
/// for packets.
constexpr double LANE_RATES[] = {0,
                                 2.5e9 * 8 / 10,
                                 5e9 * 8 / 10,
                                 8e9 * 128 / 130,
                                 16e9 * 128 / 130,
                                 32e9 * 128 / 130,
                                 64e9 * 242 / 256};
constexpr uint32_t LATEST_GENERATION = std::size(LANE_RATES) - 1;

} // namespace

TypeId
RdmaHostInterface::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHostInterface")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaHostInterface>()
            .AddAttribute("DoorbellLatency",
                          "From the CPU's write of a doorbell until the NIC has it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_doorbellLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "BlueFlameBytes",
                "A work request of at most so many bytes comes with its doorbell; 0: none "
                "does, the NIC reads them all.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaHostInterface::m_blueFlameBytes),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("WqeBytes",
                          "Bytes of a work request without its data.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&RdmaHostInterface::m_wqeBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SgeBytes",
                          "Bytes of a work request for each piece of memory.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaHostInterface::m_sgeBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("InlineHeaderBytes",
                          "Bytes of a work request before its inline data.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaHostInterface::m_inlineHeaderBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CompletionBytes",
                          "Bytes of a completion entry.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaHostInterface::m_completionBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("PcieGeneration",
                          "Generation of PCI Express, 1 to 6; 0: its bandwidth has no bound.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaHostInterface::m_pcieGeneration),
                          MakeUintegerChecker<uint32_t>(0, LATEST_GENERATION))
            .AddAttribute("PcieLanes",
                          "Lanes of PCI Express.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaHostInterface::m_pcieLanes),
                          MakeUintegerChecker<uint32_t>(1, 32))
            .AddAttribute("LinkLayerShare",
                          "Share of the encoded rate that acknowledgements and flow control of "
                          "PCI Express take.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&RdmaHostInterface::m_linkLayerShare),
                          MakeDoubleChecker<double>(0.0, 0.99))
            .AddAttribute("MaxPayload",
                          "Payload of a PCI Express packet, at most (bytes).",
                          UintegerValue(256),
                          MakeUintegerAccessor(&RdmaHostInterface::m_maxPayload),
                          MakeUintegerChecker<uint32_t>(64, 4096))
            .AddAttribute("MaxReadRequest",
                          "Bytes that one read request asks for, at most.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaHostInterface::m_maxReadRequest),
                          MakeUintegerChecker<uint32_t>(64, 4096))
            .AddAttribute("ReadHeaderBytes",
                          "Framing and header of a packet that brings read data: 8 of framing, "
                          "sequence number and checksum, 12 of header.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&RdmaHostInterface::m_readHeaderBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("WriteHeaderBytes",
                          "Framing and header of a packet that writes: 8, and 16 of header with a "
                          "64-bit address.",
                          UintegerValue(24),
                          MakeUintegerAccessor(&RdmaHostInterface::m_writeHeaderBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReadLatency",
                          "From the NIC's read request until the first data are there.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_readLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("WriteLatency",
                          "From the NIC's write until a CPU that polls sees it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_writeLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReadCredits",
                          "Read requests that may be under way; 0: any number.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaHostInterface::m_readCredits),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("QpMessageInterval",
                          "Shortest time between the starts of two messages of a queue pair.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_qpMessageInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("NicMessageInterval",
                          "Shortest time between the starts of two messages of the NIC.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_nicMessageInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Turnaround",
                          "From the end of a message's last frame until its queue pair's next "
                          "message may begin.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_turnaround),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SendProcessing",
                          "From a work request in the NIC until its first frame can go.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_sendProcessing),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReceiveProcessing",
                          "From a frame in the NIC until its payload is written.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_receiveProcessing),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpProcessing",
                          "From a marked frame in the NIC to its CNP.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_cnpProcessing),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CacheEntries",
                          "Queue pairs whose state the NIC has at hand; 0: all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaHostInterface::m_cacheEntries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CacheWays",
                          "Places of the connection cache that a queue pair may have.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaHostInterface::m_cacheWays),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CacheMissCost",
                          "Time until the state of a queue pair has come from host memory.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_cacheMissCost),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CacheMisses",
                          "Misses that may be under way: so many each CacheMissCost.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaHostInterface::m_cacheMisses),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RdmaHostInterface::RdmaHostInterface() = default;
RdmaHostInterface::~RdmaHostInterface() = default;

// ---------------------------------------------------------------- PCIe

int64_t
RdmaHostInterface::TransferSteps(uint64_t bytes, uint32_t header) const
{
    if (m_pcieGeneration == 0)
    {
        return 0;
    }
    uint64_t packets = (bytes + m_maxPayload - 1) / m_maxPayload;
    double bits = 8.0 * static_cast<double>(bytes + packets * header);
    double rate = LANE_RATES[m_pcieGeneration] * m_pcieLanes * (1 - m_linkLayerShare);
    return std::llround(bits / rate * static_cast<double>(Seconds(1).GetTimeStep()));
}

int64_t
RdmaHostInterface::ReadSteps(uint64_t bytes) const
{
    int64_t transfer = TransferSteps(bytes, m_readHeaderBytes);
    if (m_readCredits == 0)
    {
        return transfer;
    }
    // All credits are used and come back once a round trip.
    double window = static_cast<double>(m_readCredits) * m_maxReadRequest;
    double latency = static_cast<double>(m_readLatency.GetTimeStep());
    return std::max<int64_t>(transfer, std::llround(static_cast<double>(bytes) / window * latency));
}

int64_t
RdmaHostInterface::WriteSteps(uint64_t bytes) const
{
    return TransferSteps(bytes, m_writeHeaderBytes);
}

int64_t
RdmaHostInterface::Read(uint64_t bytes, int64_t known, int64_t now)
{
    // The way in is booked as of now, and the round trip runs beside it: a message that begins
    // holds up nobody else's data while its request is under way.
    int64_t steps = ReadSteps(bytes);
    m_readFree = std::max(m_readFree, now - steps) + steps;
    m_counters.bytesRead += bytes;
    return std::max(m_readFree, known + m_readLatency.GetTimeStep() + steps);
}

int64_t
RdmaHostInterface::Fetch(uint64_t bytes, int64_t requestReady, bool first, int64_t now)
{
    int64_t steps = ReadSteps(bytes);
    int64_t early =
        now - m_readLatency.GetTimeStep() - steps; // asked for then, it is there in time
    int64_t known = first ? std::max(early, requestReady) : early;
    return std::max(now, Read(bytes, known, now));
}

int64_t
RdmaHostInterface::Place(uint64_t bytes, int64_t now)
{
    int64_t begin = std::max(m_writeFree, now + m_receiveProcessing.GetTimeStep());
    int64_t end = begin + WriteSteps(bytes);
    m_writeFree = end;
    m_counters.bytesWritten += bytes;
    return end + m_writeLatency.GetTimeStep();
}

int64_t
RdmaHostInterface::Report(int64_t placed)
{
    int64_t begin = std::max(m_writeFree, placed - m_writeLatency.GetTimeStep());
    m_writeFree = begin + WriteSteps(m_completionBytes);
    m_counters.bytesWritten += m_completionBytes;
    return m_writeFree + m_writeLatency.GetTimeStep();
}

// ---------------------------------------------------------------- messages

int64_t
RdmaHostInterface::Post(RdmaHostQueue& queue,
                        uint32_t qpNumber,
                        uint32_t inlineBytes,
                        uint32_t sgeCount,
                        int64_t now)
{
    uint32_t data = inlineBytes > 0 ? m_inlineHeaderBytes + inlineBytes : sgeCount * m_sgeBytes;
    uint32_t wqeBytes = m_wqeBytes + data;
    ++m_counters.doorbells;
    // The NIC's turn comes before the pair's: what one pair has queued holds up no other one.
    int64_t taken = std::max(now + m_doorbellLatency.GetTimeStep(), m_nextMessage);
    m_nextMessage = taken + m_nicMessageInterval.GetTimeStep();
    int64_t ready = taken;
    if (wqeBytes <= m_blueFlameBytes)
    {
        ++m_counters.blueFlames;
    }
    else
    {
        ready = Read(wqeBytes, taken, taken);
    }
    ready += Context(qpNumber, ready);
    int64_t start = std::max(ready, queue.nextMessage);
    queue.nextMessage = start + m_qpMessageInterval.GetTimeStep();
    return start + m_sendProcessing.GetTimeStep();
}

int64_t
RdmaHostInterface::Context(uint32_t qpNumber, int64_t now)
{
    if (m_cacheEntries != m_cache.GetEntries())
    {
        m_cache.Configure(m_cacheEntries, std::min(m_cacheWays, m_cacheEntries));
    }
    if (m_cache.Touch(qpNumber))
    {
        ++m_counters.cacheHits;
        return 0;
    }
    ++m_counters.cacheMisses;
    int64_t cost = m_cacheMissCost.GetTimeStep();
    int64_t begin = std::max(now, m_missFree);
    m_missFree = begin + cost / m_cacheMisses;
    return begin + cost - now;
}

} // namespace ns3
