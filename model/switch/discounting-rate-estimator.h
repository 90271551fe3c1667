// SPDX-License-Identifier: GPL-2.0-only
#ifndef DISCOUNTING_RATE_ESTIMATOR_H
#define DISCOUNTING_RATE_ESTIMATOR_H

#include "integer-power.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief CONGA's discounting rate estimator (Alizadeh et al., SIGCOMM 2014, section 3.2): a
 * register X to which each frame adds its bytes, and which loses the fraction alpha of itself every
 * T_dre.
 *
 * At a steady rate R it settles about R x tau with tau = T_dre / alpha. The discounts are made up
 * for when the register is next looked at; they fall on the multiples of T_dre, as a timer's would.
 */
class DiscountingRateEstimator
{
  public:
    /**
     * @param bytes of a frame that leaves
     * @param now time steps, not earlier than in any call before
     * @param period T_dre, time steps
     * @param alpha fraction that is lost each time, above 0, at most 1
     */
    void Add(uint64_t bytes, int64_t now, int64_t period, double alpha)
    {
        Discount(now, period, alpha);
        m_bytes += static_cast<double>(bytes);
    }

    /// @param now time steps @param period T_dre @param alpha fraction @return X, bytes
    double GetBytes(int64_t now, int64_t period, double alpha)
    {
        Discount(now, period, alpha);
        return m_bytes;
    }

  private:
    void Discount(int64_t now, int64_t period, double alpha)
    {
        int64_t periods = now / period;
        if (periods > m_periods)
        {
            m_bytes *= IntegerPower(1 - alpha, periods - m_periods);
            m_periods = periods;
        }
    }

    double m_bytes{0};
    int64_t m_periods{0}; ///< that have gone into m_bytes
};

} // namespace ns3

#endif // DISCOUNTING_RATE_ESTIMATOR_H
