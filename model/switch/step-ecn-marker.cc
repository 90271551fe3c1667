// SPDX-License-Identifier: GPL-2.0-only
#include "step-ecn-marker.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StepEcnMarker);

TypeId
StepEcnMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StepEcnMarker")
                            .SetParent<EcnMarker>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<StepEcnMarker>()
                            .AddAttribute("Threshold",
                                          "K: queue length up to which nothing is marked (bytes).",
                                          UintegerValue(400000),
                                          MakeUintegerAccessor(&StepEcnMarker::m_thresholdBytes),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

} // namespace ns3
