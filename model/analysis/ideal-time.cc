// SPDX-License-Identifier: GPL-2.0-only
#include "ideal-time.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-switch.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3
{

std::vector<PathHop>
FindPath(Ptr<FabricNetDevice> from, Ptr<FabricNetDevice> to)
{
    constexpr size_t LONGEST = 64; // more links than any fabric's diameter: a loop
    std::vector<PathHop> path;
    Ptr<FabricNetDevice> sender = from;
    while (sender && path.size() < LONGEST)
    {
        Ptr<FabricNetDevice> receiver = sender->GetPeer();
        if (!receiver)
        {
            return {};
        }
        int64_t delay = DynamicCast<FabricChannel>(sender->GetChannel())->GetDelay().GetTimeStep();
        path.push_back({PeekPointer(sender), delay + receiver->GetIngressLatencySteps()});
        if (receiver == to)
        {
            return path;
        }
        Ptr<FabricSwitch> fabricSwitch = receiver->GetNode()->GetObject<FabricSwitch>();
        if (!fabricSwitch)
        {
            return {};
        }
        ForwardingTable::Ports ports =
            fabricSwitch->GetForwardingTable().Lookup(to->GetIpv4Address().Get());
        sender = ports.count > 0 ? fabricSwitch->GetPort(*ports.first) : nullptr;
    }
    return {};
}

namespace
{

/// @param extension bytes between BTH and payload @param payload bytes @param headers of the frame
/// @return size of the frame
uint64_t
FrameBytes(uint32_t extension, uint64_t payload, const DataHeaders& headers)
{
    if (headers.fixedBytes > 0)
    {
        return payload + headers.fixedBytes;
    }
    uint64_t padded = (payload + 3) / 4 * 4;
    uint64_t bytes = wire::ROCEV2_BASE_BYTES + headers.extraBytes + extension + padded;
    return std::max<uint64_t>(wire::MIN_FRAME_BYTES, bytes);
}

} // namespace

FrameTrain
MakeFrameTrain(RdmaOperation operation, uint64_t bytes, uint32_t mtu, const DataHeaders& headers)
{
    uint32_t first = 0;
    uint32_t middle = 0;
    uint32_t last = 0;
    if (ReturnsData(operation))
    {
        first = last = wire::AETH_BYTES;
    }
    else
    {
        bool write = !IsSend(operation);
        middle = headers.selective ? wire::PLACEMENT_BYTES + (write ? wire::RETH_BYTES : 0) : 0;
        first = headers.selective ? middle : (write ? wire::RETH_BYTES : 0);
        last = middle;
    }
    bool ends = operation == RdmaOperation::WRITE_WITH_IMM ||
                operation == RdmaOperation::SEND_WITH_IMM ||
                operation == RdmaOperation::SEND_WITH_INVALIDATE;
    uint32_t end = ends ? wire::IMMDT_BYTES : 0; // as many as IETH has
    FrameTrain train;
    train.frames = std::max<uint64_t>(1, (bytes + mtu - 1) / mtu);
    if (IsAtomic(operation))
    {
        bytes = 0;
        first = last = wire::AETH_BYTES + wire::ATOMIC_ACK_ETH_BYTES;
    }
    uint64_t lastPayload = bytes - (train.frames - 1) * mtu;
    train.firstBytes = train.frames == 1 ? FrameBytes(first + end, lastPayload, headers)
                                         : FrameBytes(first, mtu, headers);
    train.middleBytes = FrameBytes(middle, mtu, headers);
    train.lastBytes = FrameBytes(last + end, lastPayload, headers);
    return train;
}

uint64_t
RequestFrameBytes(RdmaOperation operation, const DataHeaders& headers)
{
    uint32_t extension = IsAtomic(operation) ? wire::ATOMIC_ETH_BYTES : wire::RETH_BYTES;
    return FrameBytes(extension + (headers.selective ? wire::PLACEMENT_BYTES : 0), 0, headers);
}

int64_t
IdealTrainSteps(const std::vector<PathHop>& path, const FrameTrain& train)
{
    // After this many equal frames the slowest link is all that counts.
    uint64_t explicitFrames = std::min<uint64_t>(train.frames, 2 * path.size() + 4);
    int64_t slowestSlot = 0;
    std::vector<int64_t> free(path.size(), 0); // when each link is free again
    int64_t arrival = 0;
    for (uint64_t i = 0; i < explicitFrames; ++i)
    {
        bool last = i + 1 == explicitFrames;
        uint64_t bytes = i == 0 ? train.firstBytes : (last ? train.lastBytes : train.middleBytes);
        arrival = 0;
        for (size_t h = 0; h < path.size(); ++h)
        {
            const FabricNetDevice& port = *path[h].sender;
            int64_t start = std::max(arrival, free[h]);
            free[h] = start + port.SerializationSteps(bytes + port.GetFrameOverhead());
            arrival = start + port.SerializationSteps(bytes + port.GetPreambleBytes()) +
                      path[h].flightSteps;
            slowestSlot =
                std::max(slowestSlot,
                         port.SerializationSteps(train.middleBytes + port.GetFrameOverhead()));
        }
    }
    return arrival + static_cast<int64_t>(train.frames - explicitFrames) * slowestSlot;
}

} // namespace ns3
