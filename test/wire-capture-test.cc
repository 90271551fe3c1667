// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Captures of real stacks: each frame parses and comes back as the same bytes.
 */

#include "pcap-file.h"
#include "wire-bytes.h"

#include "ns3/icrc.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <string>

using namespace ns3;
using namespace wire_test;

namespace
{

const std::filesystem::path CAPTURES = AI_FABRIC_SOURCE_DIR "/../shared/data/pcap";

/// What the captures hold.
struct Count
{
    uint32_t roce{0};  ///< RoCEv2 packets
    uint32_t same{0};  ///< of those: parsed, and written again with the same bytes
    uint32_t icrc{0};  ///< of those: ICRC as computed
    uint32_t other{0}; ///< other packets
};

/// @param b a frame @return whether it is an IPv4 UDP packet to RoCEv2's port
bool
IsRoceV2(const Bytes& b)
{
    return b.size() > 42 && BigEndian16(b, 12) == 0x0800 && b[23] == 17 &&
           BigEndian16(b, 36) == 4791;
}

void
CheckCaptured(const Bytes& captured, Count& count)
{
    std::string error;
    FramePtr f = FabricFrame::FromPacket(PacketOf(captured), &error);
    ASSERT_TRUE(f) << error << ": " << ToHex(captured);
    bool roce = IsRoceV2(captured);
    EXPECT_EQ(f->kind, roce ? FrameKind::ROCE : FrameKind::PACKET);
    Bytes expected = captured; // the sending host's NIC pads after tcpdump has seen the frame
    expected.resize(std::max<size_t>(60, captured.size()));
    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(ToHex(image), ToHex(expected));
    if (!roce)
    {
        ++count.other;
        return;
    }
    ++count.roce;
    count.same += image == expected;
    Bytes ip(captured.begin() + 14, captured.begin() + 14 + BigEndian16(captured, 16));
    count.icrc += IcrcAtEnd(ip) == ComputeIcrc(ip.data(), ip.size() - 4) &&
                  IcrcAtEnd(ip) == SlowIcrc(Bytes(ip.begin(), ip.end() - 4));
}

TEST(Captures, EveryFrameParsesAndComesBackTheSame)
{
    if (!std::filesystem::is_directory(CAPTURES))
    {
        GTEST_SKIP() << "no captures in " << CAPTURES;
    }
    Count count;
    for (const auto& entry : std::filesystem::directory_iterator(CAPTURES))
    {
        if (entry.path().extension() == ".pcap")
        {
            SCOPED_TRACE(entry.path().filename());
            for (const Bytes& frame : pcap::Read(entry.path().string()))
            {
                CheckCaptured(frame, count);
            }
        }
    }
    std::cout << count.roce << " RoCEv2 packets: " << count.same << " come back the same, "
              << count.icrc << " have the ICRC that we compute; " << count.other
              << " other packets\n";
    EXPECT_GT(count.roce, 0u);
    EXPECT_EQ(count.same, count.roce);
    EXPECT_EQ(count.icrc, count.roce);
}

} // namespace
