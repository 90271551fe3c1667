// SPDX-License-Identifier: GPL-2.0-only
#include "red-ecn-marker.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RedEcnMarker);

TypeId
RedEcnMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RedEcnMarker")
                            .SetParent<EcnMarker>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RedEcnMarker>()
                            .AddAttribute("Kmin",
                                          "Queue length up to which nothing is marked (bytes).",
                                          UintegerValue(400000),
                                          MakeUintegerAccessor(&RedEcnMarker::m_kminBytes),
                                          MakeUintegerChecker<uint64_t>())
                            .AddAttribute("Kmax",
                                          "Queue length above which all is marked (bytes).",
                                          UintegerValue(1600000),
                                          MakeUintegerAccessor(&RedEcnMarker::m_kmaxBytes),
                                          MakeUintegerChecker<uint64_t>())
                            .AddAttribute("Pmax",
                                          "Probability of a mark at Kmax.",
                                          DoubleValue(0.2),
                                          MakeDoubleAccessor(&RedEcnMarker::m_pmax),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

RedEcnMarker::RedEcnMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
RedEcnMarker::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    NS_ABORT_MSG_IF(m_kminBytes > m_kmaxBytes,
                    "RedEcnMarker: Kmin " << m_kminBytes << " must not exceed Kmax "
                                          << m_kmaxBytes);
}

double
RedEcnMarker::GetProbability(uint64_t queueBytes) const
{
    if (queueBytes <= m_kminBytes)
    {
        return 0;
    }
    if (queueBytes > m_kmaxBytes)
    {
        return 1;
    }
    return m_pmax * static_cast<double>(queueBytes - m_kminBytes) /
           static_cast<double>(m_kmaxBytes - m_kminBytes);
}

bool
RedEcnMarker::Draw(uint64_t queueBytes)
{
    return m_random->GetValue() < GetProbability(queueBytes);
}

int64_t
RedEcnMarker::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
