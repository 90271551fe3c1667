// SPDX-License-Identifier: GPL-2.0-only
#include "link-credit-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LinkCreditHeader);

TypeId
LinkCreditHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LinkCreditHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<LinkCreditHeader>();
    return tid;
}

TypeId
LinkCreditHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
LinkCreditHeader::Print(std::ostream& os) const
{
    os << "credits";
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            os << " " << c << ": sent " << sentBlocks[c] << " limit " << limits[c];
        }
    }
}

uint32_t
LinkCreditHeader::GetSerializedSize() const
{
    return BYTES;
}

void
LinkCreditHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteU8(classes);
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        i.WriteHtonU16(sentBlocks[c]);
        i.WriteHtonU16(limits[c]);
    }
}

uint32_t
LinkCreditHeader::Deserialize(Buffer::Iterator i)
{
    classes = i.ReadU8();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        sentBlocks[c] = i.ReadNtohU16();
        limits[c] = i.ReadNtohU16();
    }
    return BYTES;
}

} // namespace ns3
