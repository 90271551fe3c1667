// SPDX-License-Identifier: GPL-2.0-only
#ifndef BASE_RTT_H
#define BASE_RTT_H

#include "ideal-time.h"

#include <map>
#include <tuple>

namespace ns3
{

/// A full frame and its answer.
struct RoundTripFrames
{
    uint64_t dataBytes;   ///< the full frame, destination address to FCS
    uint64_t answerBytes; ///< the acknowledgement, likewise
};

/**
 * @param mtu payload of a full frame
 * @param headers of data frames
 * @param controlBytes whole size of an acknowledgement; 0: RoCEv2's
 * @return the frames of a round trip
 */
RoundTripFrames MakeRoundTripFrames(uint32_t mtu,
                                    const DataHeaders& headers = {},
                                    uint32_t controlBytes = 0);

/**
 * @ingroup ai-fabric
 * @brief Round trips of an empty fabric, as congestion controls need them (BaseRtt).
 *
 * A full frame is stored and forwarded by each switch of the shortest path, and the answer on the
 * way back: the sum, over the links of both ways, of the frame's time on the link, the cable's
 * delay and the far port's ingress latency.
 *
 * Ports that are alike (same edge switch, same rate and delay of the cable to it) are looked up
 * once for all.
 */
class BaseRttTable
{
  public:
    /**
     * @param from an endpoint's port
     * @param to another one
     * @param frames that go to and fro
     * @return the round trip, time steps; 0: no route joins the ports
     */
    int64_t GetSteps(Ptr<FabricNetDevice> from,
                     Ptr<FabricNetDevice> to,
                     const RoundTripFrames& frames);

    /**
     * @param ports endpoints' ports
     * @param frames that go to and fro
     * @return the longest round trip between two of them, time steps
     */
    int64_t GetLongestSteps(const std::vector<Ptr<FabricNetDevice>>& ports,
                            const RoundTripFrames& frames);

  private:
    /// What a port has in common with others: edge switch, rate, delay.
    using PortKind = std::tuple<uint32_t, uint64_t, int64_t>;

    static PortKind KindOf(const FabricNetDevice& port);

    std::map<std::tuple<PortKind, PortKind, uint64_t, uint64_t>, int64_t> m_known;
};

} // namespace ns3

#endif // BASE_RTT_H
