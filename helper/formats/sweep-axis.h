// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What a sweep varies: a field of the scenario, and the values that it takes.
struct SweepAxis
{
    std::string path;                ///< as in --set, such as network.mtu
    std::string label;               ///< the end of the path that tells axes apart, such as mtu
    std::vector<std::string> values; ///< each as after PATH= in --set
};

/**
 * Reads PATH=a,b,c.
 *
 * Commas separate values; those inside "...", [...] or {...} do not. What starts with one of these
 * three must be JSON. Blanks around a value do not count.
 * @param text as the user wrote it
 * @return the axis, its label still empty; InputError where there is no value, or one twice
 */
SweepAxis ParseSweepAxis(const std::string& text);

/**
 * Gives each axis the shortest label that is its alone.
 * @param axes of a sweep; InputError where two have the same path
 */
void LabelSweepAxes(std::vector<SweepAxis>& axes);

/// The value of each axis, in their order.
using SweepPoint = std::vector<std::string>;

/// @param axes some @return every combination, the last axis running fastest
std::vector<SweepPoint> GetSweepPoints(const std::vector<SweepAxis>& axes);

/// @param axis some
/// @return its values as numbers, where all are numbers, or quantities of one unit (64KiB, 1MiB);
/// otherwise none
std::optional<std::vector<double>> GetSweepNumbers(const SweepAxis& axis);

} // namespace ns3

#endif // SWEEP_AXIS_H
