// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uint128.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuEndpoint);

TypeId
GpuEndpoint::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuEndpoint")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<GpuEndpoint>()
            .AddAttribute(
                "HbmBandwidth",
                "What the memory moves, reads and writes together. The default is "
                "3.35 TB/s.",
                DataRateValue(DataRate(26800000000000ULL)),
                MakeDataRateAccessor(&GpuEndpoint::SetHbmBandwidth, &GpuEndpoint::GetHbmBandwidth),
                MakeDataRateChecker())
            .AddAttribute("Multiprocessors",
                          "SMs (NVIDIA) or compute units (AMD).",
                          UintegerValue(132),
                          MakeUintegerAccessor(&GpuEndpoint::SetMultiprocessors,
                                               &GpuEndpoint::GetMultiprocessors),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MemoryBytes",
                          "Size of the memory.",
                          UintegerValue(80'000'000'000),
                          MakeUintegerAccessor(&GpuEndpoint::m_memoryBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "PeakRates",
                "Operations a second by precision, dense, the fastest unit that has it: "
                "NAME=RATE with spaces between; a precision that is not named is one "
                "that the GPU has not. The default is H100 SXM's.",
                StringValue("fp64=66.9e12 fp32=66.9e12 tf32=494.7e12 bf16=989.4e12 "
                            "fp16=989.4e12 fp8=1978.9e12 int8=1978.9e12"),
                MakeStringAccessor(&GpuEndpoint::SetPeakRates, &GpuEndpoint::GetPeakRates),
                MakeStringChecker())
            .AddAttribute("Processor",
                          "The SMs and the memory bandwidth, as they are shared.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&GpuEndpoint::m_processor),
                          MakePointerChecker<GpuProcessor>())
            .AddAttribute("CopyEngines",
                          "Copies without SMs that can be under way at once. CUDA reports 3 for "
                          "A100 and Hopper (asyncEngineCount).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&GpuEndpoint::SetCopyEngineCount,
                                               &GpuEndpoint::GetCopyEngineCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "HostRate",
                "Of a copy from or to the host where the server has no PCIe tree. The "
                "default is what 16 lanes of generation 5 carry in packets of 256 B.",
                DataRateValue(DataRate(423'700'000'000)),
                MakeDataRateAccessor(&GpuEndpoint::SetHostRate, &GpuEndpoint::GetHostRate),
                MakeDataRateChecker())
            .AddAttribute("LaunchLatency",
                          "What launching a kernel or a copy takes the host; launches for one GPU "
                          "follow each other. An assumption: CPUs differ; 2 to 3 us is usual.",
                          TimeValue(NanoSeconds(2500)),
                          MakeTimeAccessor(&GpuEndpoint::m_launchLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("KernelStartLatency",
                          "From the end of what comes before a kernel in its stream until it runs. "
                          "The default is 3.8 us less 2.9 us, what a kernel of 2.9 us takes in a "
                          "stream on V100 (A. Gray, \"Getting Started with CUDA Graphs\", NVIDIA "
                          "developer blog, 2019).",
                          TimeValue(NanoSeconds(900)),
                          MakeTimeAccessor(&GpuEndpoint::m_kernelStartLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("GraphLaunchLatency",
                          "What launching a graph takes the host, however many nodes it has. "
                          "(NVIDIA, \"Constant Time Launch for Straight-Line CUDA Graphs\", "
                          "developer blog, 2024: 2.5 us.)",
                          TimeValue(NanoSeconds(2500)),
                          MakeTimeAccessor(&GpuEndpoint::m_graphLaunchLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("GraphNodeGap",
                          "From the end of the nodes that a node of a graph comes after until it "
                          "runs. The default is 3.4 us less 2.9 us, as at KernelStartLatency.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&GpuEndpoint::m_graphNodeGap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LegacyDefaultStream",
                          "Whether the default stream is ordered with all blocking streams, as "
                          "CUDA's is; false: it is a stream like others (CUDA's per-thread one).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&GpuEndpoint::m_legacyDefaultStream),
                          MakeBooleanChecker())
            .AddAttribute(
                "CommunicationMemoryPerSm",
                "Memory bandwidth that a communication kernel wants for each SM that it "
                "holds. The default is a ring's on H100: 370 GB/s of bus bandwidth over "
                "16 channels of one SM, each byte of which is written once and read twice "
                "in the GPU's memory: 69 GB/s.",
                DataRateValue(DataRate(552'000'000'000)),
                MakeDataRateAccessor(&GpuEndpoint::m_communicationMemoryPerSm),
                MakeDataRateChecker());
    return tid;
}

GpuEndpoint::GpuEndpoint()
    : m_processor(CreateObject<GpuProcessor>()),
      m_copyEngines(CreateObject<CopyEngines>())
{
}

GpuEndpoint::~GpuEndpoint()
{
    for (Ptr<GpuStream>& stream : m_streams) // others may hold them
    {
        stream->Attach(nullptr, stream->GetIndex(), stream->IsBlocking());
    }
}

void
GpuEndpoint::DoDispose()
{
    for (Ptr<GpuStream>& stream : m_streams)
    {
        stream->Dispose();
    }
    m_streams.clear();
    m_defaultStream = nullptr;
    m_copyEngines->Dispose();
    if (m_scaleUpPort)
    {
        m_scaleUpPort->Dispose();
    }
    m_scaleUpPort = nullptr;
    m_processor->Dispose();
    m_nicPorts.clear();
    m_node = nullptr;
    Object::DoDispose();
}

void
GpuEndpoint::SetPlace(uint32_t id, uint32_t server, uint32_t localIndex)
{
    m_id = id;
    m_server = server;
    m_localIndex = localIndex;
}

void
GpuEndpoint::SetNic(Ptr<Node> node, Ptr<FabricNetDevice> port)
{
    SetNicPorts(node, {{port, 0}});
}

void
GpuEndpoint::SetNicPorts(Ptr<Node> node, const std::vector<GpuNicPort>& ports)
{
    m_node = node;
    m_nicPorts = ports;
}

void
GpuEndpoint::SetScaleUp(Ptr<ScaleUpPort> port, uint32_t domain)
{
    m_scaleUpPort = port;
    m_domain = domain;
}

Ptr<PcieTree>
GpuEndpoint::GetPcieTree() const
{
    return m_node ? m_node->GetObject<PcieTree>() : nullptr;
}

void
GpuEndpoint::SetMultiprocessors(uint32_t count)
{
    m_multiprocessors = count;
    m_processor->SetSize(m_multiprocessors, m_hbmBandwidth);
}

void
GpuEndpoint::SetHbmBandwidth(DataRate rate)
{
    m_hbmBandwidth = rate;
    m_processor->SetSize(m_multiprocessors, m_hbmBandwidth);
}

void
GpuEndpoint::SetCopyEngineCount(uint32_t count)
{
    m_copyEngines->SetCount(count);
}

uint32_t
GpuEndpoint::GetCopyEngineCount() const
{
    return m_copyEngines->GetCount();
}

void
GpuEndpoint::SetHostRate(DataRate rate)
{
    m_copyEngines->SetHostRate(rate);
}

DataRate
GpuEndpoint::GetHostRate() const
{
    return m_copyEngines->GetHostRate();
}

void
GpuEndpoint::SetPeakRates(std::string rates)
{
    std::string error = ParsePrecisionRates(rates, m_peakRates);
    NS_ABORT_MSG_IF(!error.empty(), "GpuEndpoint::PeakRates: " << error);
}

std::string
GpuEndpoint::GetPeakRates() const
{
    return ToString(m_peakRates);
}

void
GpuEndpoint::BeginCommunication(uint32_t sms)
{
    m_processor->BeginCommunication(sms, DataRate(sms * m_communicationMemoryPerSm.GetBitRate()));
}

void
GpuEndpoint::EndCommunication(uint32_t sms)
{
    m_processor->EndCommunication(sms);
}

Ptr<GpuStream>
GpuEndpoint::CreateStream(bool blocking)
{
    Ptr<GpuStream> stream = CreateObject<GpuStream>();
    stream->Attach(this, static_cast<uint32_t>(m_streams.size()), blocking);
    m_streams.push_back(stream);
    return stream;
}

Ptr<GpuStream>
GpuEndpoint::GetDefaultStream()
{
    if (!m_defaultStream)
    {
        m_defaultStream = CreateStream(false);
    }
    return m_defaultStream;
}

void
GpuEndpoint::AddDefaultStreamOrder(const GpuStream& stream, std::vector<Ptr<StreamMark>>& after)
{
    if (!m_defaultStream || !m_legacyDefaultStream)
    {
        return;
    }
    bool isDefault = &stream == PeekPointer(m_defaultStream);
    for (Ptr<GpuStream>& other : m_streams)
    {
        bool ordered =
            isDefault ? other->IsBlocking() : stream.IsBlocking() && other == m_defaultStream;
        if (Ptr<StreamMark> mark = ordered ? other->GetLastMark() : nullptr)
        {
            after.push_back(mark);
        }
    }
}

int64_t
GpuEndpoint::BookHost(Time cost)
{
    m_hostFreeAt = std::max(m_hostFreeAt, NowSteps()) + cost.GetTimeStep();
    return m_hostFreeAt;
}

int64_t
GpuEndpoint::BookReduction(uint64_t bytes, int64_t now)
{
    return BookMemory(bytes, 3, now);
}

int64_t
GpuEndpoint::BookCopy(uint64_t bytes, int64_t now)
{
    return BookMemory(bytes, 2, now);
}

int64_t
GpuEndpoint::BookMemory(uint64_t bytes, uint32_t accesses, int64_t now)
{
    // 128 bits: bytes x 8 x 10^12 steps a second does not fit 64.
    Uint128 bits = static_cast<Uint128>(bytes) * accesses * 8;
    auto stepsPerSecond = static_cast<uint64_t>(Seconds(1).GetTimeStep());
    auto steps = static_cast<int64_t>(bits * stepsPerSecond / m_hbmBandwidth.GetBitRate());
    if (m_processor->GetRunning() > 0)
    {
        steps = std::llround(steps / m_processor->GetBurstShare());
    }
    m_memoryFreeAt = std::max(m_memoryFreeAt, now) + steps;
    return m_memoryFreeAt;
}

} // namespace ns3
