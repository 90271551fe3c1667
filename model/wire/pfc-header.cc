// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << "(opcode=" << opcode << ") quanta";
    for (uint32_t i = 0; i < N_TRAFFIC_CLASSES; ++i)
    {
        if (classes & (1u << i))
        {
            os << " " << i << ":" << quanta[i];
        }
    }
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return BYTES;
}

void
PfcHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU16(opcode);
    i.WriteHtonU16(classes);
    for (uint16_t time : quanta)
    {
        i.WriteHtonU16(time);
    }
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator i)
{
    opcode = i.ReadNtohU16();
    classes = static_cast<uint8_t>(i.ReadNtohU16()); // the vector's high byte is reserved
    for (uint16_t& time : quanta)
    {
        time = i.ReadNtohU16();
    }
    return BYTES;
}

} // namespace ns3
