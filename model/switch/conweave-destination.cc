// SPDX-License-Identifier: GPL-2.0-only
#include "conweave-destination.h"

#include "fabric-switch.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

constexpr uint8_t ONE_BEHIND = 3;      ///< of the difference of two epochs
constexpr uint16_t ETHERTYPE = 0x88b5; ///< IEEE 802 local experimental EtherType 1

/// The fields of an answer as bytes. @param frame the answer @return its payload
Ptr<Packet>
AnswerBytes(const FabricFrame& frame)
{
    const ConWeaveFields& fields = frame.switchHeader->conweave;
    std::array<uint8_t, 16> bytes{};
    auto put = [&bytes](uint32_t at, uint64_t value, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
        {
            bytes[at + i] = static_cast<uint8_t>(value >> (8 * (count - 1 - i)));
        }
    };
    put(0, static_cast<uint64_t>(fields.type), 1);
    put(1, fields.epoch, 1);
    put(2, fields.path, 2);
    put(4, frame.dstAddress, 4); // the flow's source
    put(8, frame.srcAddress, 4); // and its destination
    put(12, frame.udpSourcePort, 2);
    put(14, fields.flowClass, 1);
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

} // namespace

ConWeaveDestination::ConWeaveDestination(const ConWeaveParameters& parameters,
                                         ConWeaveCounters& counters)
    : m_parameters(parameters),
      m_counters(counters),
      m_wakeUp(this)
{
}

bool
ConWeaveDestination::Receive(FabricSwitch& fabricSwitch,
                             uint32_t ingress,
                             uint32_t egress,
                             FramePtr& frame)
{
    const ConWeaveFields& fields = frame->switchHeader->conweave;
    if (frame->ecn == EcnField::CE)
    {
        Answer(fabricSwitch, ingress, *frame, ConWeaveFields::Type::NOTIFY);
    }
    if (fields.wantsReply)
    {
        Answer(fabricSwitch, ingress, *frame, ConWeaveFields::Type::RTT_REPLY);
    }
    if (fields.tail)
    {
        Answer(fabricSwitch, ingress, *frame, ConWeaveFields::Type::CLEAR);
    }
    Flow& flow = m_flows[ConWeaveFlowOf(*frame)];
    if (!BelongsToEpoch(flow, fields.epoch))
    {
        return false; // late, of an epoch that has ended: it can only go on
    }
    if (!fields.rerouted)
    {
        return OldPathFrame(flow, fabricSwitch, ingress, frame);
    }
    flow.tailTime = fields.tailTime;
    return !flow.tailSeen && Hold(flow, fabricSwitch, ingress, egress, frame);
}

bool
ConWeaveDestination::BelongsToEpoch(Flow& flow, uint8_t epoch)
{
    uint8_t ahead = (epoch - flow.epoch) & EPOCH_MASK;
    if (!flow.isNew && (ahead == 0 || ahead == ONE_BEHIND))
    {
        return ahead == 0;
    }
    if (flow.holds)
    {
        Release(flow); // the source has given the TAIL up
    }
    flow.epoch = epoch;
    flow.isNew = false;
    flow.sawOldPath = false;
    flow.tailSeen = false;
    return true;
}

bool
ConWeaveDestination::OldPathFrame(Flow& flow,
                                  FabricSwitch& fabricSwitch,
                                  uint32_t ingress,
                                  FramePtr& frame)
{
    const ConWeaveFields& fields = frame->switchHeader->conweave;
    flow.oldTxTime = fields.txTime;
    flow.oldRxTime = NowSteps();
    flow.sawOldPath = true;
    if (!fields.tail)
    {
        if (flow.holds)
        {
            SetDeadline(*flow.queue, Expected(flow));
        }
        return false;
    }
    flow.tailSeen = true;
    if (!flow.holds)
    {
        return false;
    }
    fabricSwitch.Switch(ingress, std::move(frame));
    ++m_counters.tailReleases;
    Release(flow);
    return true;
}

bool
ConWeaveDestination::Hold(Flow& flow,
                          FabricSwitch& fabricSwitch,
                          uint32_t ingress,
                          uint32_t egress,
                          FramePtr& frame)
{
    m_queuesOfPort.resize(std::max<size_t>(m_queuesOfPort.size(), egress + 1), 0);
    if (!flow.holds && m_queuesOfPort[egress] >= m_parameters.reorderQueues)
    {
        ++m_counters.unheldFrames;
        return false;
    }
    if (!fabricSwitch.Book(ingress, egress, frame))
    {
        return true; // dropped
    }
    if (!flow.holds)
    {
        m_queues.emplace_back();
        flow.queue = std::prev(m_queues.end());
        flow.holds = true;
        ReorderQueue& queue = *flow.queue;
        queue.fabricSwitch = &fabricSwitch;
        queue.ingress = ingress;
        queue.egress = egress;
        queue.flow = &flow;
        SetDeadline(queue, Expected(flow));
        ++m_queuesOfPort[egress];
        ++m_counters.queuesInUse;
        m_counters.peakQueuesInUse = std::max(m_counters.peakQueuesInUse, m_counters.queuesInUse);
    }
    ++m_counters.heldFrames;
    m_counters.heldBytes += frame->sizeBytes;
    m_counters.peakHeldBytes = std::max(m_counters.peakHeldBytes, m_counters.heldBytes);
    frame->enqueueTime = NowSteps();
    flow.queue->frames.Push(std::move(frame));
    return true;
}

int64_t
ConWeaveDestination::Expected(const Flow& flow) const
{
    return flow.sawOldPath
               ? flow.oldRxTime + (flow.tailTime - flow.oldTxTime) + m_parameters.resumeMargin
               : NowSteps() + m_parameters.defaultResumeWait;
}

void
ConWeaveDestination::SetDeadline(ReorderQueue& queue, int64_t deadline)
{
    int64_t now = NowSteps();
    queue.deadline = std::max(deadline, now);
    m_wakeUp.At(queue.fabricSwitch->GetNodeId(), queue.deadline, now);
}

void
ConWeaveDestination::OpenOverdue()
{
    int64_t now = NowSteps();
    int64_t next = NEVER;
    uint32_t context = 0;
    for (auto queue = m_queues.begin(); queue != m_queues.end();)
    {
        ReorderQueue& each = *queue++; // it may go
        if (each.deadline > now)
        {
            next = std::min(next, each.deadline);
            context = each.fabricSwitch->GetNodeId();
            continue;
        }
        Answer(*each.fabricSwitch, each.ingress, each.frames.Front(), ConWeaveFields::Type::CLEAR);
        ++m_counters.timerReleases;
        each.flow->tailSeen = true;
        Release(*each.flow);
    }
    if (next != NEVER)
    {
        m_wakeUp.At(context, next, now);
    }
}

void
ConWeaveDestination::Release(Flow& flow)
{
    ReorderQueue& queue = *flow.queue;
    int64_t now = NowSteps();
    while (!queue.frames.IsEmpty())
    {
        FramePtr frame = queue.frames.Pop();
        frame->journey.queueing += now - frame->enqueueTime;
        m_counters.heldBytes -= frame->sizeBytes;
        queue.fabricSwitch->Queue(queue.egress, std::move(frame));
    }
    --m_queuesOfPort[queue.egress];
    --m_counters.queuesInUse;
    flow.holds = false;
    m_queues.erase(flow.queue);
}

void
ConWeaveDestination::Answer(FabricSwitch& fabricSwitch,
                            uint32_t ingress,
                            const FabricFrame& frame,
                            ConWeaveFields::Type type)
{
    FramePtr answer = FabricFrame::Create();
    answer->kind = FrameKind::PACKET;
    answer->etherType = ETHERTYPE;
    answer->srcMac = frame.dstMac;
    answer->dstMac = frame.srcMac; // forwarded as if to the flow's source; its ToR takes it
    answer->srcAddress = frame.dstAddress;
    answer->dstAddress = frame.srcAddress;
    answer->udpSourcePort = frame.udpSourcePort;
    answer->flowHash = FlowHash(answer->srcAddress, answer->dstAddress, answer->udpSourcePort);
    answer->trafficClass = m_parameters.controlClass;
    ConWeaveFields& fields = answer->MakeSwitchHeader().conweave;
    fields.type = type;
    fields.path = frame.switchHeader->conweave.path;
    fields.epoch = frame.switchHeader->conweave.epoch;
    fields.flowClass = frame.trafficClass;
    answer->payload = AnswerBytes(*answer);
    answer->ComputeSize();
    uint64_t& count = type == ConWeaveFields::Type::RTT_REPLY ? m_counters.repliesSent
                      : type == ConWeaveFields::Type::CLEAR   ? m_counters.clearsSent
                                                              : m_counters.notifiesSent;
    ++count;
    fabricSwitch.Switch(ingress, std::move(answer));
}

} // namespace ns3
