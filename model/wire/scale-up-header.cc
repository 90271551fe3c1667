// SPDX-License-Identifier: GPL-2.0-only
#include "scale-up-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScaleUpHeader);

TypeId
ScaleUpHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScaleUpHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ScaleUpHeader>();
    return tid;
}

TypeId
ScaleUpHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
ScaleUpHeader::Print(std::ostream& os) const
{
    os << srcAddress << " > " << dstAddress << " message " << messageId << " length "
       << payloadBytes;
}

uint32_t
ScaleUpHeader::GetSerializedSize() const
{
    return BYTES;
}

void
ScaleUpHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU32(dstAddress);
    i.WriteHtonU32(srcAddress);
    i.WriteHtonU64(messageId);
    i.WriteHtonU32(payloadBytes);
}

uint32_t
ScaleUpHeader::Deserialize(Buffer::Iterator i)
{
    dstAddress = i.ReadNtohU32();
    srcAddress = i.ReadNtohU32();
    messageId = i.ReadNtohU64();
    payloadBytes = i.ReadNtohU32();
    return BYTES;
}

} // namespace ns3
