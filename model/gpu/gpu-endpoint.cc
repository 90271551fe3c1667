// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-endpoint.h"

#include <algorithm>

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
            .AddAttribute("HbmBandwidth",
                          "What the memory moves, reads and writes together. The default is "
                          "3.35 TB/s.",
                          DataRateValue(DataRate(26800000000000ULL)),
                          MakeDataRateAccessor(&GpuEndpoint::m_hbmBandwidth),
                          MakeDataRateChecker())
            .AddAttribute(
                "ScaleUpStepOverhead",
                "From the arrival of a message by the scale-up port until the kernel that "
                "waits for it goes on: fence, flag, polling. NCCL's tuning constant for a "
                "whole NVLink step of a ring (protocol Simple, link included) is 3.4 us.",
                TimeValue(MicroSeconds(1)),
                MakeTimeAccessor(&GpuEndpoint::m_scaleUpStepOverhead),
                MakeTimeChecker(Time(0)))
            .AddAttribute("NetworkStepOverhead",
                          "Likewise for a message that comes by the NIC: the host's proxy sees the "
                          "completion and tells the kernel. The default is NCCL's network overhead "
                          "of its Simple protocol (1 us times 3); its constant for a whole network "
                          "step, NIC and fabric included, is 14 us.",
                          TimeValue(MicroSeconds(3)),
                          MakeTimeAccessor(&GpuEndpoint::m_networkStepOverhead),
                          MakeTimeChecker(Time(0)));
    return tid;
}

GpuEndpoint::GpuEndpoint() = default;
GpuEndpoint::~GpuEndpoint() = default;

void
GpuEndpoint::DoDispose()
{
    for (Ptr<GpuStream>& stream : m_streams)
    {
        stream->Dispose();
    }
    m_streams.clear();
    if (m_scaleUpPort)
    {
        m_scaleUpPort->Dispose();
    }
    m_scaleUpPort = nullptr;
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

Ptr<GpuStream>
GpuEndpoint::CreateStream()
{
    Ptr<GpuStream> stream = CreateObject<GpuStream>();
    stream->SetPlace(m_id, static_cast<uint32_t>(m_streams.size()));
    m_streams.push_back(stream);
    return stream;
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
    unsigned __int128 bits = static_cast<unsigned __int128>(bytes) * accesses * 8;
    auto stepsPerSecond = static_cast<uint64_t>(Seconds(1).GetTimeStep());
    auto steps = static_cast<int64_t>(bits * stepsPerSecond / m_hbmBandwidth.GetBitRate());
    m_memoryFreeAt = std::max(m_memoryFreeAt, now) + steps;
    return m_memoryFreeAt;
}

} // namespace ns3
