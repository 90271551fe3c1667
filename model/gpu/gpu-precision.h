// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_PRECISION_H
#define GPU_PRECISION_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The number formats that GPUs compute in.
 */

/// A number format. FP64 to FP16 and INT8 are IEEE's and two's complement; TF32, BF16, FP8 and FP4
/// are those of the tensor units.
enum class GpuPrecision
{
    FP64,
    FP32,
    TF32,
    BF16,
    FP16,
    FP8,
    FP4,
    INT8,
};

/// How many there are.
constexpr size_t GPU_PRECISIONS = 8;

/// Operations a second by precision; 0: the GPU has not got it.
using PrecisionRates = std::array<double, GPU_PRECISIONS>;

/// @param precision of numbers @return its name in lower case
std::string ToString(GpuPrecision precision);

/// @param name of a precision @param precision set if there is one of that name
/// @return whether there is
bool FindGpuPrecision(const std::string& name, GpuPrecision& precision);

/// @param precision of numbers @return bits of one
uint32_t GetBits(GpuPrecision precision);

/// @param rates of a GPU @return NAME=RATE for those that are above 0, with spaces between
std::string ToString(const PrecisionRates& rates);

/**
 * @param text NAME=RATE with spaces between
 * @param rates set to them, the others to 0
 * @return empty, or what is wrong with the text
 */
std::string ParsePrecisionRates(const std::string& text, PrecisionRates& rates);

} // namespace ns3

#endif // GPU_PRECISION_H
