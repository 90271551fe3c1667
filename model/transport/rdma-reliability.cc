// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-reliability.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReliability);

TypeId
RdmaReliability::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaReliability").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
RdmaReliability::Start(uint64_t)
{
}

uint64_t
RdmaReliability::NextAfter(const RdmaSendWindow& window)
{
    return window.send;
}

void
RdmaReliability::Confirmed(const RdmaSendWindow&)
{
}

void
RdmaReliability::Trimmed(RdmaSendWindow&, uint64_t)
{
}

void
RdmaReliability::Sacked(RdmaSendWindow&, uint64_t, uint64_t)
{
}

int64_t
RdmaReliability::GetTimeoutSteps(const RdmaSendWindow&, int64_t standardSteps) const
{
    return standardSteps;
}

} // namespace ns3
