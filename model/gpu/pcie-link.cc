// SPDX-License-Identifier: GPL-2.0-only
#include "pcie-link.h"

#include <array>

namespace ns3
{

namespace
{

/// What a generation is like.
struct PcieGeneration
{
    double transfers; ///< a second and lane
    double encoding;  ///< what of them are bits of packets
    double packets;   ///< what of those are not link-layer packets
    uint32_t framing; ///< of a transaction packet, beside its header of 16 B
};

// Without flits a packet has start, sequence number, CRC and end: 8 B on the wire.
constexpr double LINK_LAYER = 57.88 / 62.96;
constexpr uint32_t HEADER_BYTES = 16;
constexpr std::array<PcieGeneration, 6> GENERATIONS{{{2.5e9, 8.0 / 10, LINK_LAYER, 8},
                                                     {5e9, 8.0 / 10, LINK_LAYER, 8},
                                                     {8e9, 128.0 / 130, LINK_LAYER, 8},
                                                     {16e9, 128.0 / 130, LINK_LAYER, 8},
                                                     {32e9, 128.0 / 130, LINK_LAYER, 8},
                                                     {64e9, 236.0 / 256, 1, 0}}};

const PcieGeneration&
Facts(const PcieLink& link)
{
    return GENERATIONS.at(link.generation - 1);
}

} // namespace

std::string
PcieLink::Check() const
{
    if (generation < 1 || generation > GENERATIONS.size())
    {
        return "PCIe generation " + std::to_string(generation) + "; known are 1 to " +
               std::to_string(GENERATIONS.size());
    }
    for (uint32_t width : {1, 2, 4, 8, 12, 16, 32})
    {
        if (lanes == width)
        {
            return "";
        }
    }
    return "a PCIe link of " + std::to_string(lanes) + " lanes; there are 1, 2, 4, 8, 12, 16, 32";
}

double
PcieLink::GetRawRate() const
{
    return Facts(*this).transfers * lanes;
}

double
PcieLink::GetPacketRate() const
{
    return GetRawRate() * Facts(*this).encoding * Facts(*this).packets;
}

uint32_t
PcieLink::GetPacketOverhead() const
{
    return HEADER_BYTES + Facts(*this).framing;
}

double
PcieLink::GetDataRate(uint32_t maxPayload) const
{
    return GetPacketRate() * maxPayload / (maxPayload + GetPacketOverhead());
}

} // namespace ns3
