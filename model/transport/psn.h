// SPDX-License-Identifier: GPL-2.0-only
#ifndef PSN_H
#define PSN_H

#include "ns3/wire-format.h"

#include <cstdint>

namespace ns3
{

/// Most frames that may be in flight: half of the 24-bit PSN space.
constexpr uint64_t PSN_WINDOW = uint64_t{1} << 23;

/**
 * @brief Recovers a 64-bit sequence number from the 24 bits on the wire.
 * @param psn 24 bits
 * @param reference a 64-bit number less than 2^23 away from the true one
 * @return the number with these low 24 bits that is nearest to @p reference
 */
constexpr uint64_t
ExpandPsn(uint32_t psn, uint64_t reference)
{
    auto ahead = static_cast<uint32_t>(psn - reference) & wire::MASK_24;
    return ahead < PSN_WINDOW ? reference + ahead : reference - ((wire::MASK_24 + 1) - ahead);
}

} // namespace ns3

#endif // PSN_H
