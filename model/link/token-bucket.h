// SPDX-License-Identifier: GPL-2.0-only
#ifndef TOKEN_BUCKET_H
#define TOKEN_BUCKET_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/uint128.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Limits a rate: a bucket of `burst` bytes that fills at `rate`.
 *
 * A frame may start while the bucket is not below empty, and pays after that, so that nobody needs
 * to know the size of the next frame. In any time T no more passes than rate x T + burst + one
 * frame. The bucket is kept as the time when it will be full: no event fills it.
 */
class TokenBucket
{
  public:
    /// No limit.
    TokenBucket() = default;

    /// @param rate at which it fills, above 0 @param burst bytes that it holds
    TokenBucket(DataRate rate, uint64_t burst)
    {
        Uint128 scaled = static_cast<Uint128>(8 * Seconds(1).GetTimeStep()) << FRACTION_BITS;
        m_byteTime = static_cast<uint64_t>((scaled + rate.GetBitRate() / 2) / rate.GetBitRate());
        m_burstSteps = StepsOf(burst);
    }

    /// @return true: there is a limit
    bool IsLimiting() const
    {
        return m_byteTime > 0;
    }

    /// @return when a frame may start (time steps); the past: now
    int64_t ReadyAt() const
    {
        return m_fullAt - m_burstSteps;
    }

    /// Takes out what a frame needs. @param bytes of the frame @param now time steps
    void Charge(uint64_t bytes, int64_t now)
    {
        m_fullAt = std::max(m_fullAt, now) + StepsOf(bytes);
    }

  private:
    static constexpr uint32_t FRACTION_BITS = 20;
    static constexpr int64_t LONGEST = INT64_MAX / 4; ///< sums of two stay in range

    int64_t StepsOf(uint64_t bytes) const
    {
        Uint128 scaled = static_cast<Uint128>(bytes) * m_byteTime;
        Uint128 steps = (scaled + (1U << (FRACTION_BITS - 1))) >> FRACTION_BITS;
        return static_cast<int64_t>(std::min(steps, static_cast<Uint128>(LONGEST)));
    }

    uint64_t m_byteTime{0}; ///< time steps a byte, times 2^20; 0: no limit
    int64_t m_burstSteps{0};
    int64_t m_fullAt{0};
};

} // namespace ns3

#endif // TOKEN_BUCKET_H
