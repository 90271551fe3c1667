// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-headroom.h"

#include "ns3/uint128.h"
#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

namespace
{

uint64_t
InMemory(uint64_t frameBytes, uint64_t cellBytes)
{
    return cellBytes > 1 ? (frameBytes + cellBytes - 1) / cellBytes * cellBytes : frameBytes;
}

Uint128
DivideUp(Uint128 dividend, Uint128 divisor)
{
    return (dividend + divisor - 1) / divisor;
}

/// The frame that takes most memory for its time on the wire.
uint64_t
WorstFrame(const PfcHeadroomInput& in)
{
    // Within a number of cells the shortest frame is the worst, without cells the largest is.
    uint64_t worst = in.maxFrameBytes;
    auto consider = [&](uint64_t frame) {
        if (Uint128{InMemory(frame, in.cellBytes)} * (worst + in.frameOverhead) >
            Uint128{InMemory(worst, in.cellBytes)} * (frame + in.frameOverhead))
        {
            worst = frame;
        }
    };
    consider(std::min<uint64_t>(wire::MIN_FRAME_BYTES, in.maxFrameBytes));
    for (uint64_t cells = in.cellBytes; in.cellBytes > 1 && cells < in.maxFrameBytes;
         cells += in.cellBytes)
    {
        if (cells + 1 >= wire::MIN_FRAME_BYTES)
        {
            consider(cells + 1);
        }
    }
    return worst;
}

} // namespace

uint64_t
ComputePfcHeadroom(const PfcHeadroomInput& in)
{
    int64_t waitSteps = 2 * in.propagation.GetTimeStep() + in.ingressLatency.GetTimeStep() +
                        in.response.GetTimeStep() + 4 * in.phyMacDelay.GetTimeStep();
    Uint128 stepsPerSecond = Seconds(1).GetTimeStep();
    Uint128 delayBytes = DivideUp(Uint128(waitSteps) * in.rate.GetBitRate(), 8 * stepsPerSecond);
    Uint128 wireBytes = in.maxFrameBytes + in.frameOverhead + // the pause waits
                        wire::MIN_FRAME_BYTES + in.frameOverhead + delayBytes;
    uint64_t worst = WorstFrame(in);
    Uint128 meanwhile =
        DivideUp(wireBytes * InMemory(worst, in.cellBytes), worst + in.frameOverhead);
    return 2 * InMemory(in.maxFrameBytes, in.cellBytes) + static_cast<uint64_t>(meanwhile);
}

} // namespace ns3
