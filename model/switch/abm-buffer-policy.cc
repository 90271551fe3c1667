// SPDX-License-Identifier: GPL-2.0-only
#include "abm-buffer-policy.h"

#include "shared-buffer.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uint128.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AbmBufferPolicy);

TypeId
AbmBufferPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AbmBufferPolicy")
            .SetParent<BufferPolicy>()
            .SetGroupName("AiFabric")
            .AddConstructor<AbmBufferPolicy>()
            .AddAttribute("UpdateInterval",
                          "Shortest window over which a queue's drain rate is measured: about a "
                          "round trip.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&AbmBufferPolicy::m_updateInterval),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("CongestedShare",
                          "A queue is congested from this share of its limit on.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&AbmBufferPolicy::m_congestedShare),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

std::string
AbmBufferPolicy::Configure(const SharedBuffer& buffer)
{
    m_ingress = Side();
    m_egress = Side();
    m_ingress.queues.resize(buffer.GetNPorts());
    m_egress.queues.resize(buffer.GetNPorts());
    return "";
}

uint64_t
AbmBufferPolicy::Limit(const Side& side,
                       uint32_t port,
                       uint32_t trafficClass,
                       double alpha,
                       uint64_t freeBytes)
{
    double others = std::max(1U, side.congested[trafficClass]);
    double drain = side.queues[port][trafficClass].drain;
    return static_cast<uint64_t>(alpha / others * static_cast<double>(freeBytes) * drain);
}

uint64_t
AbmBufferPolicy::IngressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass)
{
    return Limit(m_ingress,
                 port,
                 trafficClass,
                 buffer.GetIngressAlpha(port, trafficClass),
                 buffer.GetFreeBytes(trafficClass));
}

uint64_t
AbmBufferPolicy::EgressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass)
{
    return Limit(m_egress,
                 port,
                 trafficClass,
                 buffer.GetEgressAlpha(port, trafficClass),
                 buffer.GetEgressFreeBytes(trafficClass));
}

bool
AbmBufferPolicy::WatchesFrames() const
{
    return true;
}

void
AbmBufferPolicy::Measure(Queue& queue, uint64_t bitsPerSecond, int64_t now) const
{
    int64_t elapsed = now - queue.windowStart;
    if (elapsed < m_updateInterval.GetTimeStep())
    {
        return;
    }
    auto bitSteps = static_cast<Uint128>(bitsPerSecond) * elapsed;
    auto lineBytes = static_cast<uint64_t>(bitSteps / (8 * Seconds(1).GetTimeStep()));
    bool noMeasure = queue.wasEmpty || lineBytes == 0;
    queue.drain =
        noMeasure
            ? 1.0
            : std::min(1.0,
                       static_cast<double>(queue.windowWireBytes) / static_cast<double>(lineBytes));
    queue.windowStart = now;
    queue.windowWireBytes = 0;
    queue.wasEmpty = false;
}

void
AbmBufferPolicy::Update(Side& side,
                        uint32_t port,
                        uint32_t trafficClass,
                        uint64_t queueBytes,
                        uint64_t limit) const
{
    Queue& queue = side.queues[port][trafficClass];
    queue.wasEmpty |= queueBytes == 0;
    bool congested = queueBytes > 0 && static_cast<double>(queueBytes) >=
                                           m_congestedShare * static_cast<double>(limit);
    side.congested[trafficClass] += congested;
    side.congested[trafficClass] -= queue.congested;
    queue.congested = congested;
}

void
AbmBufferPolicy::FrameBooked(const SharedBuffer& buffer,
                             uint32_t ingress,
                             uint32_t egress,
                             uint32_t trafficClass)
{
    Look(buffer, ingress, egress, trafficClass);
}

void
AbmBufferPolicy::Look(const SharedBuffer& buffer,
                      uint32_t ingress,
                      uint32_t egress,
                      uint32_t trafficClass)
{
    int64_t now = Simulator::Now().GetTimeStep();
    Measure(m_ingress.queues[ingress][trafficClass], buffer.GetBitRate(ingress), now);
    Measure(m_egress.queues[egress][trafficClass], buffer.GetBitRate(egress), now);
    Update(m_ingress,
           ingress,
           trafficClass,
           buffer.GetIngressSharedBytes(ingress, trafficClass),
           IngressLimit(buffer, ingress, trafficClass));
    Update(m_egress,
           egress,
           trafficClass,
           buffer.GetEgressBytes(egress, trafficClass),
           EgressLimit(buffer, egress, trafficClass));
}

void
AbmBufferPolicy::FrameReleased(const SharedBuffer& buffer,
                               uint32_t ingress,
                               uint32_t egress,
                               uint32_t trafficClass,
                               uint64_t bytes)
{
    m_ingress.queues[ingress][trafficClass].windowWireBytes +=
        bytes + buffer.GetFrameOverhead(ingress);
    m_egress.queues[egress][trafficClass].windowWireBytes +=
        bytes + buffer.GetFrameOverhead(egress);
    Look(buffer, ingress, egress, trafficClass);
}

} // namespace ns3
