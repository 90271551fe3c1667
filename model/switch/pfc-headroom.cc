// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-headroom.h"

#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Wide = unsigned __int128; // bits x time steps of a long cable do not fit 64

uint64_t
InMemory(uint64_t frameBytes, uint64_t cellBytes)
{
    return cellBytes > 1 ? (frameBytes + cellBytes - 1) / cellBytes * cellBytes : frameBytes;
}

Wide
DivideUp(Wide dividend, Wide divisor)
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
        if (Wide{InMemory(frame, in.cellBytes)} * (worst + in.frameOverhead) >
            Wide{InMemory(worst, in.cellBytes)} * (frame + in.frameOverhead))
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
    Wide stepsPerSecond = Seconds(1).GetTimeStep();
    Wide delayBytes = DivideUp(Wide(waitSteps) * in.rate.GetBitRate(), 8 * stepsPerSecond);
    Wide wireBytes = in.maxFrameBytes + in.frameOverhead + // the pause waits
                     wire::MIN_FRAME_BYTES + in.frameOverhead + delayBytes;
    uint64_t worst = WorstFrame(in);
    Wide meanwhile = DivideUp(wireBytes * InMemory(worst, in.cellBytes), worst + in.frameOverhead);
    return 2 * InMemory(in.maxFrameBytes, in.cellBytes) + static_cast<uint64_t>(meanwhile);
}

} // namespace ns3
