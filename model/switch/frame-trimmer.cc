// SPDX-License-Identifier: GPL-2.0-only
#include "frame-trimmer.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FrameTrimmer);

namespace
{

/// @param frame any @return whether its receiver can do something with its headers alone
bool
MayBeTrimmed(const FabricFrame& frame)
{
    if (frame.kind != FrameKind::ROCE || frame.payloadBytes == 0)
    {
        return false;
    }
    RdmaService service = GetService(frame.opcode);
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    return (service == RdmaService::RC || service == RdmaService::SR) && traits.request &&
           traits.hasPayload;
}

} // namespace

TypeId
FrameTrimmer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FrameTrimmer")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<FrameTrimmer>()
            .AddAttribute("TrimClass",
                          "Traffic class of trimmed frames. It must be lossy.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&FrameTrimmer::m_trimClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("MinBytes",
                          "Frames up to this size are dropped instead: little would be saved "
                          "(bytes, destination address to FCS).",
                          UintegerValue(256),
                          MakeUintegerAccessor(&FrameTrimmer::m_minBytes),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
FrameTrimmer::Trim(FabricFrame& frame)
{
    if (frame.sizeBytes <= m_minBytes || !MayBeTrimmed(frame))
    {
        return false;
    }
    ++m_trimmedFrames;
    m_trimmedBytes += frame.payloadBytes;
    SwitchHeader& header = frame.MakeSwitchHeader();
    header.trimmed = true;
    header.trimmedPayloadBytes = frame.payloadBytes;
    frame.payloadBytes = 0;
    frame.payload = nullptr;
    frame.dscp = wire::TRIMMED_DSCP;
    frame.trafficClass = m_trimClass;
    frame.ComputeSize();
    return true;
}

} // namespace ns3
