// SPDX-License-Identifier: GPL-2.0-only
#include "conweave-paths.h"

#include "conweave-path-selector.h"
#include "fabric-switch.h"

#include "ns3/fabric-channel.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// More hops than any shortest path has: only a loop in the tables gets there.
constexpr uint32_t MOST_HOPS = 64;
/// How far the time of one frame is scaled, see Destination::mebibyteSteps.
constexpr uint64_t MEBIBYTE = 1U << 20;
/// Frame by which two ways are compared.
constexpr uint32_t TYPICAL_BYTES = 4096;

/// One way to a host, walked on the tables.
struct Walk
{
    FabricSwitch* tor{nullptr}; ///< where it ends; null: nowhere
    ConWeavePaths::Destination way;
};

/// @param device a port @return how long its cable is, time steps
int64_t
DelayOf(const FabricNetDevice& device)
{
    return DynamicCast<FabricChannel>(device.GetChannel())->GetDelay().GetTimeStep();
}

/// Adds a cable, there and back. @param way gets it @param out its near end @param peer its far one
void
AddCable(ConWeavePaths::Destination& way, const FabricNetDevice& out, const FabricNetDevice& peer)
{
    way.mebibyteSteps += out.SerializationSteps(MEBIBYTE);
    way.fixedSteps += out.SerializationSteps(out.GetPreambleBytes()) + DelayOf(out) +
                      peer.GetIngressLatencySteps();
    way.fixedSteps +=
        peer.SerializationSteps(peer.GetPreambleBytes() + uint64_t{wire::MIN_FRAME_BYTES}) +
        DelayOf(peer) + out.GetIngressLatencySteps();
}

/// @param from where to start @param address of a host @param first which port to leave by there;
/// from then on always the first one @param maxPaths see Find() @return what was found
Walk
Follow(FabricSwitch& from, uint32_t address, uint32_t first, uint32_t maxPaths)
{
    Walk walk;
    FabricSwitch* at = &from;
    for (uint32_t hop = 0; hop < MOST_HOPS; ++hop)
    {
        ForwardingTable::Ports ports = at->GetForwardingTable().Lookup(address);
        if (ports.count == 0)
        {
            break;
        }
        Ptr<FabricNetDevice> out = at->GetPort(ports.first[hop == 0 ? first : 0]);
        Ptr<FabricNetDevice> peer = out->GetPeer();
        Ptr<FabricSwitch> next = peer->GetNode()->GetObject<FabricSwitch>();
        if (!next)
        {
            walk.tor = at;
            break;
        }
        walk.way.paths = static_cast<uint32_t>(
            std::min<uint64_t>(uint64_t{walk.way.paths} * ports.count, maxPaths));
        AddCable(walk.way, *out, *peer);
        at = PeekPointer(next);
    }
    return walk;
}

} // namespace

void
ConWeavePaths::Destination::MarkBusy(uint32_t path, int64_t until)
{
    if (path < paths)
    {
        busyUntil.resize(paths, 0);
        busyUntil[path] = until;
    }
}

ConWeavePaths::Destination*
ConWeavePaths::Find(FabricSwitch& from, uint32_t address, uint32_t maxPaths)
{
    auto [known, isNew] = m_ofAddress.try_emplace(address, nullptr);
    if (!isNew)
    {
        return known->second;
    }
    FabricSwitch* tor = Follow(from, address, 0, maxPaths).tor;
    if (!tor || tor == &from || !DynamicCast<ConWeavePathSelector>(tor->GetPathSelector()))
    {
        return nullptr;
    }
    std::unique_ptr<Destination>& paths = m_ofTor[tor->GetNodeId()];
    if (!paths)
    {
        // The round that is expected is the longest one, so that no path looks congested by being
        // long; and there are as many numbers as the branch with most paths needs.
        paths = std::make_unique<Destination>();
        uint32_t uplinks = from.GetForwardingTable().Lookup(address).count;
        for (uint32_t first = 0; first < uplinks; ++first)
        {
            Destination way = Follow(from, address, first, maxPaths).way;
            paths->paths = std::max(paths->paths, way.paths);
            if (way.BaseRtt(TYPICAL_BYTES) > paths->BaseRtt(TYPICAL_BYTES))
            {
                paths->fixedSteps = way.fixedSteps;
                paths->mebibyteSteps = way.mebibyteSteps;
            }
        }
    }
    known->second = paths->paths > 1 ? paths.get() : nullptr;
    return known->second;
}

void
ConWeavePaths::Clear()
{
    m_ofAddress.clear();
    m_ofTor.clear();
}

} // namespace ns3
