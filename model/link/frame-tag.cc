// SPDX-License-Identifier: GPL-2.0-only
#include "frame-tag.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FrameTag);

TypeId
FrameTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricFrameTag")
                            .SetParent<Tag>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FrameTag>();
    return tid;
}

FrameTag::FrameTag(const FabricFrame& frame, int64_t now)
    : m_journey(frame.journey),
      m_sentTime(frame.sentTime),
      m_demandBytes(frame.demandBytes),
      m_sentBytes(frame.sentBytes),
      m_limitBytes(frame.limitBytes),
      m_since(now)
{
}

void
FrameTag::Restore(FabricFrame& frame, int64_t now) const
{
    frame.journey = m_journey;
    frame.journey.queueing += now - m_since;
    frame.sentTime = m_sentTime;
    frame.demandBytes = m_demandBytes;
    frame.sentBytes = m_sentBytes;
    frame.limitBytes = m_limitBytes;
}

TypeId
FrameTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
FrameTag::GetSerializedSize() const
{
    return 9 * sizeof(uint64_t);
}

void
FrameTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU64(static_cast<uint64_t>(m_journey.serialization));
    buffer.WriteU64(static_cast<uint64_t>(m_journey.propagation));
    buffer.WriteU64(static_cast<uint64_t>(m_journey.queueing));
    buffer.WriteU64(static_cast<uint64_t>(m_journey.paused));
    buffer.WriteU64(m_sentTime);
    buffer.WriteU64(m_demandBytes);
    buffer.WriteU64(m_sentBytes);
    buffer.WriteU64(m_limitBytes);
    buffer.WriteU64(static_cast<uint64_t>(m_since));
}

void
FrameTag::Deserialize(TagBuffer buffer)
{
    m_journey.serialization = static_cast<int64_t>(buffer.ReadU64());
    m_journey.propagation = static_cast<int64_t>(buffer.ReadU64());
    m_journey.queueing = static_cast<int64_t>(buffer.ReadU64());
    m_journey.paused = static_cast<int64_t>(buffer.ReadU64());
    m_sentTime = buffer.ReadU64();
    m_demandBytes = buffer.ReadU64();
    m_sentBytes = buffer.ReadU64();
    m_limitBytes = buffer.ReadU64();
    m_since = static_cast<int64_t>(buffer.ReadU64());
}

void
FrameTag::Print(std::ostream& os) const
{
    os << "sent at " << m_sentTime << ", serialization " << m_journey.serialization
       << ", propagation " << m_journey.propagation << ", queueing " << m_journey.queueing
       << ", paused " << m_journey.paused << " (time steps)";
}

} // namespace ns3
