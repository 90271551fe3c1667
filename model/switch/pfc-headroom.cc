// SPDX-License-Identifier: GPL-2.0-only
#include "pfc-headroom.h"

#include "ns3/wire-format.h"

namespace ns3
{

uint64_t
ComputePfcHeadroom(const PfcHeadroomInput& in)
{
    uint64_t largest = in.maxFrameBytes + in.frameOverhead;
    uint64_t pauseFrame = wire::MIN_FRAME_BYTES + in.frameOverhead;
    int64_t waitSteps = 2 * in.propagation.GetTimeStep() + in.ingressLatency.GetTimeStep() +
                        in.response.GetTimeStep();
    unsigned __int128 stepsPerSecond = Seconds(1).GetTimeStep();
    unsigned __int128 bitSteps = static_cast<unsigned __int128>(waitSteps) * in.rate.GetBitRate();
    unsigned __int128 byteSteps = 8 * stepsPerSecond;
    auto inFlight = static_cast<uint64_t>((bitSteps + byteSteps - 1) / byteSteps);
    return inFlight + pauseFrame + 3 * largest;
}

} // namespace ns3
