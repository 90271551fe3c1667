// SPDX-License-Identifier: GPL-2.0-only
#include "coarse-frame.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

uint32_t
CoarseFrameBytes(const FabricFrame& frame, uint32_t mtu, uint32_t dataOverhead, uint32_t gapBytes)
{
    const uint32_t segments = frame.segments;
    NS_ASSERT(segments > 1 && frame.payloadBytes > (segments - 1) * mtu);
    const uint32_t lastPayload = frame.payloadBytes - (segments - 1) * mtu;
    const uint32_t gaps = (segments - 1) * gapBytes;
    if (dataOverhead > 0)
    {
        return frame.payloadBytes + segments * dataOverhead + gaps;
    }
    const uint32_t ipBytes = frame.ipv6 ? wire::IPV6_BYTES - wire::IPV4_BYTES : 0;
    auto sizeOf = [ipBytes](uint32_t payload, uint32_t extensionBytes) {
        constexpr uint32_t ALIGNMENT = 4;
        const uint32_t padded = (payload + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return std::max(wire::ROCEV2_BASE_BYTES + ipBytes + extensionBytes + padded,
                        wire::MIN_FRAME_BYTES);
    };
    // A message's address is in its first frame, immediate data or a key in its last one.
    const RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    const uint32_t head = traits.hasReth ? wire::RETH_BYTES : 0;
    return sizeOf(mtu, head) + (segments - 2) * sizeOf(mtu, 0) +
           sizeOf(lastPayload, traits.extensionBytes - head) + gaps;
}

} // namespace ns3
