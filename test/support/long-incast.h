// SPDX-License-Identifier: GPL-2.0-only
#ifndef LONG_INCAST_H
#define LONG_INCAST_H

/**
 * @file
 * @brief Flows without an end into one port, and what it looks like when they have settled.
 */

#include "fabric-fixture.h"

#include "ns3/object-factory.h"

#include <vector>

namespace ns3
{

/// N hosts that send to one more around a switch, each from its start on.
struct LongIncast
{
    ObjectFactory ops; ///< congestion control
    uint32_t flows;    ///< N
    std::string rate;  ///< of all links
    uint32_t mtu;      ///< bytes
    Time delay;        ///< of each cable
    Time baseRtt;      ///< that congestion control is told
    Time stagger;      ///< between the starts
    Time settled;      ///< from here on it is looked at
    Time end;
    uint32_t ackInterval{1};                  ///< frames for an answer
    ObjectFactory stamper{"ns3::IntStamper"}; ///< of the switch
};

/// What the bottleneck and the flows did between `settled` and `end`.
struct SettledIncast
{
    double txShare{0};      ///< bytes of frames that the port has sent, by its rate
    double meanQueue{0};    ///< bytes, over time
    uint64_t maxQueue{0};   ///< bytes
    double jain{0};         ///< Jain's index of the payload received of each flow
    double payloadBytes{0}; ///< received
    uint64_t pauses{0};     ///< PFC, since the start
};

/// @param incast what to run @return how it was
SettledIncast RunLongIncast(const LongIncast& incast);

/**
 * Round trip of a full frame and its answer through a star that is empty, by hand.
 * @param rate of both links
 * @param mtu payload
 * @param baseBytes of telemetry that the NIC sends, and the answer has
 * @param hopBytes that the switch adds, and the answer has, too
 * @param delay of a cable
 * @return it
 */
Time StarRoundTrip(const std::string& rate,
                   uint32_t mtu,
                   uint64_t baseBytes,
                   uint64_t hopBytes,
                   Time delay);

} // namespace ns3

#endif // LONG_INCAST_H
