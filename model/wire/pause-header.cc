// SPDX-License-Identifier: GPL-2.0-only
#include "pause-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PauseHeader);

TypeId
PauseHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PauseHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PauseHeader>();
    return tid;
}

TypeId
PauseHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
PauseHeader::Print(std::ostream& os) const
{
    os << "(opcode=" << opcode << ") quanta " << quanta;
}

uint32_t
PauseHeader::GetSerializedSize() const
{
    return BYTES;
}

void
PauseHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU16(opcode);
    i.WriteHtonU16(quanta);
}

uint32_t
PauseHeader::Deserialize(Buffer::Iterator i)
{
    opcode = i.ReadNtohU16();
    quanta = i.ReadNtohU16();
    return BYTES;
}

} // namespace ns3
