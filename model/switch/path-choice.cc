// SPDX-License-Identifier: GPL-2.0-only
#include "path-choice.h"

#include "fabric-switch.h"

#include "ns3/random-variable-stream.h"

#include <algorithm>

namespace ns3
{

uint32_t
HashFlow(const FabricFrame& frame, FlowFields fields)
{
    switch (fields)
    {
    case HASH_FIVE_TUPLE:
        return frame.flowHash;
    case HASH_FIVE_TUPLE_AND_QP:
        return MixHash(frame.flowHash, frame.kind == FrameKind::ROCE ? frame.destQp : 0);
    case HASH_ADDRESSES:
        return FlowHash(frame.srcAddress, frame.dstAddress, 0, 0, 0);
    default:
        return FlowHash(0, frame.dstAddress, 0, 0, 0);
    }
}

uint32_t
PickByWeight(ForwardingTable::Ports ports, uint32_t hash)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ports.count; ++i)
    {
        sum += ports.weights[i];
    }
    uint64_t at = ScaleHash(hash, sum);
    uint32_t i = 0;
    while (at >= ports.weights[i])
    {
        at -= ports.weights[i];
        ++i;
    }
    return ports.first[i];
}

uint32_t
PickAtRandom(const FabricSwitch& fabricSwitch,
             ForwardingTable::Ports ports,
             UniformRandomVariable& random)
{
    auto weightOf = [&](uint32_t i) {
        bool up = fabricSwitch.GetDevice(ports.first[i]).IsLinkUp();
        return up ? uint64_t{ports.weights ? ports.weights[i] : 1} : 0;
    };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ports.count; ++i)
    {
        sum += weightOf(i);
    }
    auto at = static_cast<uint64_t>(random.GetValue(0, 1) * static_cast<double>(sum));
    for (uint32_t i = 0; i < ports.count; ++i)
    {
        uint64_t weight = weightOf(i);
        if (at < weight)
        {
            return ports.first[i];
        }
        at -= weight;
    }
    return ports.first[0]; // nothing is up: the frame is lost there, and counted
}

bool
Contains(ForwardingTable::Ports ports, uint32_t port)
{
    return std::find(ports.first, ports.first + ports.count, port) != ports.first + ports.count;
}

int64_t
DrainSteps(const FabricNetDevice& device, int64_t now)
{
    return std::max<int64_t>(0, device.GetBusyUntil() - now) +
           device.SerializationSteps(device.GetQueuedBytes());
}

} // namespace ns3
