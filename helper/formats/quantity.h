// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUANTITY_H
#define QUANTITY_H

#include "input-error.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief Quantities as people write them, read exactly: no floating point on the way.
 *
 * A number is decimal, with a point or an exponent where wanted ("0.5us", "1.6e12"). Every function
 * throws InputError when the text is not such a quantity, negative, too large, or finer than the
 * unit it is counted in.
 */

/**
 * @param text a number with bps, Kbps, Mbps, Gbps, Tbps (powers of 1000; also written Kb/s and so
 *        on), or a plain number of bits a second
 * @param place for the message
 * @return bits a second, at least 1
 */
DataRate ParseDataRate(const std::string& text, const InputPlace& place);

/// A device must express the time of a frame of 256 bytes to 0.1 % in picoseconds: the fastest
/// link.
constexpr uint64_t MOST_LINK_BPS = 4'000'000'000'000;

/// The largest count of bytes.
constexpr uint64_t MOST_BYTES = std::numeric_limits<int64_t>::max();

constexpr uint64_t PS_PER_S = 1'000'000'000'000;

/// The latest time, in picoseconds: a million seconds, so that sums of times cannot overflow.
constexpr int64_t MOST_PS = 1'000'000'000'000'000'000;

/// @param text as ParseDataRate @param place for the message @return at most MOST_LINK_BPS
DataRate ParseLinkRate(const std::string& text, const InputPlace& place);

/**
 * @param text a number with ps, ns, us, ms, s, or a plain number of seconds
 * @param place for the message
 * @return a whole number of picoseconds, 0 to MOST_PS. Time's resolution must be PS or finer.
 */
Time ParseTime(const std::string& text, const InputPlace& place);

/**
 * @param text a number with B, KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of
 *        1024), or a plain number of bytes
 * @param place for the message
 * @return bytes, 0 or more, at most 2^63 - 1
 */
uint64_t ParseBytes(const std::string& text, const InputPlace& place);

/**
 * @param text one size, or "START:END:FACTOR": START, START x FACTOR, ... up to END
 * @param place for the message
 * @return bytes; at least one, each at least 1
 */
std::vector<uint64_t> ParseSizes(const std::string& text, const InputPlace& place);

/**
 * @param text a decimal integer: digits only
 * @param place for the message
 * @param min smallest value allowed
 * @param max largest value allowed
 * @return it
 */
uint64_t ParseUnsigned(const std::string& text,
                       const InputPlace& place,
                       uint64_t min = 0,
                       uint64_t max = UINT64_MAX);

/**
 * @param text a decimal number
 * @param place for the message
 * @param min smallest value allowed
 * @param max largest value allowed
 * @return it
 */
double ParseDouble(const std::string& text, const InputPlace& place, double min, double max);

/**
 * @param text a plain decimal number
 * @param place for the message
 * @param unitPs picoseconds of 1
 * @return text x unitPs; what is finer than a picosecond is cut off. INT64_MAX where it is more
 * than 64 bits hold (292 years in ns, 106 days in ps).
 */
int64_t ParseCountPs(const std::string& text, const InputPlace& place, uint64_t unitPs);

/// @param rate of a link @return as ParseDataRate reads it, in the largest unit that is exact
std::string FormatDataRate(DataRate rate);
/// @param time 0 or more @return as ParseTime reads it, in the largest unit that is exact
std::string FormatTime(Time time);
/// @param bytes a size @return as ParseBytes reads it, in the largest unit that is exact
std::string FormatBytes(uint64_t bytes);

} // namespace ns3

#endif // QUANTITY_H
