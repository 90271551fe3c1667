// SPDX-License-Identifier: GPL-2.0-only
#include "red-ecn-marker.h"

#include "integer-power.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RedEcnMarker);

TypeId
RedEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RedEcnMarker")
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
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("QueueWeight",
                          "Weight of the length that a frame finds in the moving average; 0: the "
                          "length itself is what counts.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RedEcnMarker::m_queueWeight),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("LinkRate",
                          "Rate of the port, for the average over idle periods; 0: a frame that "
                          "finds an empty queue moves the average as any other, however long "
                          "that was idle.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RedEcnMarker::m_linkRate),
                          MakeDataRateChecker())
            .AddAttribute("MeanFrameBytes",
                          "Length of a typical frame, for the average over idle periods.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RedEcnMarker::m_meanFrameBytes),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RedEcnMarker::RedEcnMarker() = default;

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
    return m_random.Draw() < GetProbability(queueBytes);
}

int64_t
RedEcnMarker::StepsFor(double bytes) const
{
    double seconds = bytes * 8 / static_cast<double>(m_linkRate.GetBitRate());
    return static_cast<int64_t>(seconds * static_cast<double>(Seconds(1).GetTimeStep()));
}

void
RedEcnMarker::Observe(uint64_t queueBytes, int64_t now)
{
    if (m_queueWeight == 0)
    {
        return;
    }
    if (queueBytes > 0 || m_linkRate.GetBitRate() == 0)
    {
        m_average += m_queueWeight * (static_cast<double>(queueBytes) - m_average);
    }
    else
    {
        double before = static_cast<double>(m_lastQueueBytes + m_meanFrameBytes);
        int64_t idle = now - m_lastLook - StepsFor(before);
        int64_t frames = idle > 0 ? idle / std::max<int64_t>(1, StepsFor(m_meanFrameBytes)) : 0;
        m_average *= IntegerPower(1 - m_queueWeight, frames);
    }
    m_lastQueueBytes = queueBytes;
    m_lastLook = now;
}

int64_t
RedEcnMarker::AssignStreams(int64_t stream)
{
    m_random.Assign(stream);
    return 1;
}

} // namespace ns3
