// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLIGHT_ROUND_H
#define FLIGHT_ROUND_H

#include "rdma-congestion-ops.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A window of data: it begins with some answer, and ends with the first answer that
 * acknowledges a byte which was sent after that one. So a round takes a round trip, whatever the
 * window is.
 *
 * Counted by bytes in flight, so that it also holds for several pairs with one congestion control.
 */
class FlightRound
{
  public:
    /// @param inFlightBytes of the answer that begins it
    void Start(uint64_t inFlightBytes)
    {
        m_leftBytes = inFlightBytes;
        m_over = false;
    }

    /// @param ackedBytes newly acknowledged by an answer
    void Take(uint64_t ackedBytes)
    {
        m_over = m_over || ackedBytes > m_leftBytes;
        m_leftBytes = m_over ? 0 : m_leftBytes - ackedBytes;
    }

    /// @return it has ended, or none has ever begun
    bool IsOver() const
    {
        return m_over;
    }

  private:
    uint64_t m_leftBytes{0};
    bool m_over{true};
};

/**
 * @param rateBps bits on the wire, bits a second
 * @param steps a time, in time steps
 * @param frameBytes of a full frame on the wire
 * @return full frames that go in this time at this rate
 */
inline double
FramesIn(double rateBps, int64_t steps, uint32_t frameBytes)
{
    double seconds = static_cast<double>(steps) / static_cast<double>(Seconds(1).GetTimeStep());
    return rateBps * seconds / (8.0 * frameBytes);
}

/**
 * @param frames full frames, or a part of one
 * @param steps a time, in time steps
 * @param frameBytes of a full frame on the wire
 * @return the rate at which they take this time, bits a second
 */
inline double
RateOf(double frames, int64_t steps, uint32_t frameBytes)
{
    double seconds = static_cast<double>(steps) / static_cast<double>(Seconds(1).GetTimeStep());
    return frames * 8.0 * frameBytes / seconds;
}

} // namespace ns3

#endif // FLIGHT_ROUND_H
