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

FrameTrain
MakeFrameTrain(RdmaOperation operation, uint64_t bytes, uint32_t mtu, uint32_t dataOverhead)
{
    bool write = operation == RdmaOperation::WRITE || operation == RdmaOperation::WRITE_WITH_IMM;
    bool immediate =
        operation == RdmaOperation::WRITE_WITH_IMM || operation == RdmaOperation::SEND_WITH_IMM;
    uint32_t firstExtension = write ? wire::RETH_BYTES : 0;
    uint32_t lastExtension = immediate ? wire::IMMDT_BYTES : 0;
    FrameTrain train;
    train.frames = std::max<uint64_t>(1, (bytes + mtu - 1) / mtu);
    uint64_t lastPayload = bytes - (train.frames - 1) * mtu;
    auto size = [dataOverhead](uint64_t payload, uint32_t extension) {
        if (dataOverhead > 0)
        {
            return payload + dataOverhead;
        }
        uint64_t padded = (payload + 3) / 4 * 4;
        return std::max<uint64_t>(wire::MIN_FRAME_BYTES,
                                  wire::ROCEV2_BASE_BYTES + extension + padded);
    };
    train.firstBytes = train.frames == 1 ? size(lastPayload, firstExtension + lastExtension)
                                         : size(mtu, firstExtension);
    train.middleBytes = size(mtu, 0);
    train.lastBytes = size(lastPayload, lastExtension);
    return train;
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
