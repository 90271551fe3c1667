// SPDX-License-Identifier: GPL-2.0-only
#include "drop-mirror-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DropMirrorHeader);

TypeId
DropMirrorHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DropMirrorHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<DropMirrorHeader>();
    return tid;
}

TypeId
DropMirrorHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
DropMirrorHeader::Print(std::ostream& os) const
{
    os << "report " << sequence << ": switch " << switchId << " dropped a frame of " << frameBytes
       << " B of class " << +trafficClass << " for reason " << +reason << " at " << nanoseconds
       << " ns, from port " << ingressPort << " to " << egressPort << "; " << suppressed
       << " drops not reported";
}

uint32_t
DropMirrorHeader::GetSerializedSize() const
{
    return BYTES;
}

void
DropMirrorHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteU8(version);
    i.WriteU8(reason);
    i.WriteU8(trafficClass);
    i.WriteU8(0);
    i.WriteHtonU32(switchId);
    i.WriteHtonU32(ingressPort);
    i.WriteHtonU32(egressPort);
    i.WriteHtonU64(nanoseconds);
    i.WriteHtonU32(sequence);
    i.WriteHtonU32(suppressed);
    i.WriteHtonU32(frameBytes);
}

uint32_t
DropMirrorHeader::Deserialize(Buffer::Iterator i)
{
    version = i.ReadU8();
    reason = i.ReadU8();
    trafficClass = i.ReadU8();
    i.ReadU8();
    switchId = i.ReadNtohU32();
    ingressPort = i.ReadNtohU32();
    egressPort = i.ReadNtohU32();
    nanoseconds = i.ReadNtohU64();
    sequence = i.ReadNtohU32();
    suppressed = i.ReadNtohU32();
    frameBytes = i.ReadNtohU32();
    return BYTES;
}

} // namespace ns3
