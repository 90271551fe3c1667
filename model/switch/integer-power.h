// SPDX-License-Identifier: GPL-2.0-only
#ifndef INTEGER_POWER_H
#define INTEGER_POWER_H

#include <cstdint>

namespace ns3
{

/**
 * @param base any
 * @param n at least 0
 * @return base^n by squaring: unlike a library's pow(), the same bits on every machine
 */
inline double
IntegerPower(double base, int64_t n)
{
    double power = 1;
    for (; n > 0; n >>= 1)
    {
        if (n & 1)
        {
            power *= base;
        }
        base *= base;
    }
    return power;
}

} // namespace ns3

#endif // INTEGER_POWER_H
