// SPDX-License-Identifier: GPL-2.0-only
#ifndef PFC_HEADROOM_H
#define PFC_HEADROOM_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/// What decides how much may still arrive after a switch has decided to pause a class.
struct PfcHeadroomInput
{
    DataRate rate;          ///< of the link
    Time propagation;       ///< one way
    Time ingressLatency;    ///< from last bit to admission: this port's and the peer's, summed
    Time response;          ///< of the peer, from pause frame to silence
    uint64_t maxFrameBytes; ///< largest frame, destination address to FCS
    uint64_t frameOverhead; ///< preamble and gap
};

/**
 * @brief Headroom of a lossless class at an ingress port, in bytes.
 *
 * Worst case (IEEE 802.1Q annex O, "delay value"): the frame that crosses the threshold itself; the
 * pause frame waits behind a largest frame that has just been started; it takes its own time, the
 * cable, the peer's latency and response; there the peer has just started a largest frame; and
 * all that was sent until then still comes over the cable and through the port's pipeline.
 *
 * @param in the link
 * @return bytes to set aside
 */
uint64_t ComputePfcHeadroom(const PfcHeadroomInput& in);

} // namespace ns3

#endif // PFC_HEADROOM_H
