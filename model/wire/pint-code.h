// SPDX-License-Identifier: GPL-2.0-only
#ifndef PINT_CODE_H
#define PINT_CODE_H

#include <cstdint>

namespace ns3
{

/**
 * @brief The code by which PINT tells a utilization (Ben Basat et al., "PINT: Probabilistic In-band
 * Network Telemetry", SIGCOMM 2020, section 4.3 and its authors' simulator).
 *
 * Codes 1, 2, 3, ... stand for LEAST, LEAST base, LEAST base^2, ..., so that one byte spans five
 * decades at a few percent. A value between two of them becomes the upper one with the probability
 * that makes the expectation of what is read the value itself. Code 0 says that no hop has written.
 */
struct PintCode
{
    static constexpr uint16_t NONE = 0;          ///< no hop has written
    static constexpr double LEAST = 1.0 / 512;   ///< share of each of 512 flows
    static constexpr double DEFAULT_BASE = 1.05; ///< (1 + epsilon)^2, epsilon = 2.5 %
    static constexpr uint16_t MAX_OF_ONE_BYTE = 255;
    static constexpr uint16_t MAX_OF_TWO_BYTES = 65535;

    double base; ///< ratio of the values of neighbouring codes, above 1

    /// @param code above 0 @return the utilization that it stands for
    double Decode(uint16_t code) const
    {
        double value = LEAST;
        double power = base;
        for (uint32_t exponent = code - 1u; exponent > 0; exponent >>= 1)
        {
            value *= exponent & 1 ? power : 1;
            power *= power;
        }
        return value;
    }

    /**
     * @param utilization not negative; outside of the codes' range it is taken for the nearest one
     * @param draw uniform in [0, 1)
     * @param maxCode that fits the wire
     * @return the code
     */
    uint16_t Encode(double utilization, double draw, uint16_t maxCode) const
    {
        uint16_t low = 1; // Decode(low) <= utilization, but for the least code
        uint16_t high = maxCode;
        while (low < high)
        {
            auto middle = static_cast<uint16_t>((low + high + 1) / 2);
            Decode(middle) <= utilization ? low = middle : high = middle - 1;
        }
        double lower = Decode(low);
        bool up = low < maxCode && draw * lower * (base - 1) < utilization - lower;
        return static_cast<uint16_t>(low + up);
    }
};

} // namespace ns3

#endif // PINT_CODE_H
