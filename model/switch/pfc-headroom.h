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
    Time phyMacDelay{0};    ///< of one pass through a MAC and its PHY; the loop has four of them
    uint64_t cellBytes{0};  ///< frames take whole cells of the memory; 0 or 1: what they have
};

/**
 * @brief Headroom of a lossless class at an ingress port, in bytes of memory.
 *
 * Worst case (IEEE 802.1Q, annex on buffer requirements for PFC): the frame
 * that crosses the threshold itself; the pause frame waits behind a largest frame that has just
 * been started; it takes its own time, the cable, the peer's latency and response; there the peer
 * has just started a largest frame; and all that was sent until then still comes over the cable and
 * through the port's pipeline.
 *
 * With F the largest frame, M(f) what a frame of f bytes takes of the memory, o what it takes of
 * the wire besides (preamble and gap), and all delays as bytes at line rate:
 *
 *     headroom = 2 M(F) + r x ((F + o) + (64 + o) + 2 cable + latencies + response + 4 MAC/PHY)
 *     r        = largest M(f) / (f + o) of all f from 64 to F
 *
 * The first term are the frame that crosses and the one that the peer has just started; the second
 * one is what the wire carries meanwhile, as memory. Without cells r is F / (F + o).
 *
 * @param in the link
 * @return bytes to set aside
 */
uint64_t ComputePfcHeadroom(const PfcHeadroomInput& in);

} // namespace ns3

#endif // PFC_HEADROOM_H
