// SPDX-License-Identifier: GPL-2.0-only
#ifndef AETH_SYNDROME_H
#define AETH_SYNDROME_H

#include <cstdint>

/**
 * @file
 * @brief The AETH syndrome byte (IBA vol. 1, 9.7.5.1.2 to 9.7.5.2.8): what an acknowledgement says.
 */

namespace ns3
{

/// Bits 6:5 of the syndrome.
enum class AethKind : uint8_t
{
    ACK = 0,
    RNR_NAK = 1,
    NAK = 3,
};

/// Low five bits of a NAK.
enum class NakCode : uint8_t
{
    PSN_SEQUENCE_ERROR = 0,
    INVALID_REQUEST = 1,
    REMOTE_ACCESS_ERROR = 2,
    REMOTE_OPERATIONAL_ERROR = 3,
    INVALID_RD_REQUEST = 4, ///< of reliable datagrams, which RoCEv2 does not have
    /// Ours, where the standard has nothing: of a frame only the headers have come. In SR answers
    /// it is the one at the SACK header's base, else the one at the PSN.
    FRAME_TRIMMED = 5,
};

/// Credit field that says "end-to-end credits are not used".
constexpr uint8_t AETH_CREDIT_INVALID = 31;

/// @param kind what is said @param value credits, timer code or NAK code @return the syndrome
constexpr uint8_t
MakeSyndrome(AethKind kind, uint8_t value)
{
    return static_cast<uint8_t>((static_cast<uint8_t>(kind) << 5) | (value & 0x1f));
}

/// @param syndrome the AETH byte @return what it says
constexpr AethKind
SyndromeKind(uint8_t syndrome)
{
    return static_cast<AethKind>((syndrome >> 5) & 3);
}

/// @param syndrome the AETH byte @return its low five bits
constexpr uint8_t
SyndromeValue(uint8_t syndrome)
{
    return syndrome & 0x1f;
}

/**
 * @brief Credits of a 5-bit code (IBA vol. 1, table "End-to-End Flow Control Credit Encoding"):
 *        from 2 on, each power of two and one and a half times it.
 * @param code 0 to 30; 31 says that credits are not used
 * @return receive work requests that the responder has ready; for 31 the largest number
 */
constexpr uint32_t
AethCredits(uint8_t code)
{
    constexpr uint32_t TABLE[32] = {0,    1,    2,    3,     4,     6,     8,     12,
                                    16,   24,   32,   48,    64,    96,    128,   192,
                                    256,  384,  512,  768,   1024,  1536,  2048,  3072,
                                    4096, 6144, 8192, 12288, 16384, 24576, 32768, 0xffffffff};
    return TABLE[code & 0x1f];
}

/// @param credits receive work requests that are ready @return the code of the largest number of
/// the table that does not promise more, 0 to 30
constexpr uint8_t
AethCreditCode(uint32_t credits)
{
    uint8_t code = 30;
    while (AethCredits(code) > credits)
    {
        --code;
    }
    return code;
}

/**
 * @brief RNR timer of a 5-bit code (IBA vol. 1, table "Encoding for RNR NAK Timer Field").
 * @param code 0 to 31
 * @return how long the requester waits, in microseconds
 */
constexpr uint32_t
RnrTimerMicroseconds(uint8_t code)
{
    constexpr uint32_t TABLE[32] = {655360, 10,    20,    30,     40,     60,     80,     120,
                                    160,    240,   320,   480,    640,    960,    1280,   1920,
                                    2560,   3840,  5120,  7680,   10240,  15360,  20480,  30720,
                                    40960,  61440, 81920, 122880, 163840, 245760, 327680, 491520};
    return TABLE[code & 0x1f];
}

} // namespace ns3

#endif // AETH_SYNDROME_H
