// SPDX-License-Identifier: GPL-2.0-only
#include "base-rtt.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-switch.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3
{

RoundTripFrames
MakeRoundTripFrames(uint32_t mtu, const DataHeaders& headers, uint32_t controlBytes)
{
    const FrameTrain data = MakeFrameTrain(RdmaOperation::WRITE, mtu, mtu, headers);
    const uint64_t answer = wire::ROCEV2_BASE_BYTES + wire::AETH_BYTES + headers.extraBytes +
                            (headers.selective ? wire::SACK_BYTES : 0);
    return {data.middleBytes, controlBytes > 0 ? controlBytes : answer};
}

BaseRttTable::PortKind
BaseRttTable::KindOf(const FabricNetDevice& port)
{
    Ptr<FabricNetDevice> peer = port.GetPeer();
    const int64_t delay =
        peer ? DynamicCast<FabricChannel>(port.GetChannel())->GetDelay().GetTimeStep() : 0;
    return {peer ? peer->GetNode()->GetId() : UINT32_MAX, port.GetDataRate().GetBitRate(), delay};
}

int64_t
BaseRttTable::GetSteps(Ptr<FabricNetDevice> from,
                       Ptr<FabricNetDevice> to,
                       const RoundTripFrames& frames)
{
    auto [known, isNew] =
        m_known.try_emplace({KindOf(*from), KindOf(*to), frames.dataBytes, frames.answerBytes});
    if (isNew)
    {
        const std::vector<PathHop> there = FindPath(from, to);
        const std::vector<PathHop> back = FindPath(to, from);
        auto steps = [](const std::vector<PathHop>& path, uint64_t bytes) {
            return IdealTrainSteps(path, {1, bytes, bytes, bytes});
        };
        known->second = there.empty() || back.empty()
                            ? 0
                            : steps(there, frames.dataBytes) + steps(back, frames.answerBytes);
    }
    return known->second;
}

int64_t
BaseRttTable::GetLongestSteps(const std::vector<Ptr<FabricNetDevice>>& ports,
                              const RoundTripFrames& frames)
{
    // Of ports that are alike two stand for all: there is a way between them, too.
    std::map<PortKind, std::vector<Ptr<FabricNetDevice>>> kinds;
    for (const Ptr<FabricNetDevice>& port : ports)
    {
        std::vector<Ptr<FabricNetDevice>>& alike = kinds[KindOf(*port)];
        if (alike.size() < 2)
        {
            alike.push_back(port);
        }
    }
    int64_t longest = 0;
    for (const auto& [kind, some] : kinds)
    {
        for (const auto& [otherKind, others] : kinds)
        {
            if (some.front() != others.back())
            {
                longest = std::max(longest, GetSteps(some.front(), others.back(), frames));
            }
        }
    }
    return longest;
}

} // namespace ns3
