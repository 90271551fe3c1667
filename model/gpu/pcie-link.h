// SPDX-License-Identifier: GPL-2.0-only
#ifndef PCIE_LINK_H
#define PCIE_LINK_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A PCI Express link: what its lanes carry, and what of that is data.
 *
 * Bits on the lanes, less line encoding, less link-layer packets (acknowledgements, credits), less
 * the header and framing of each transaction packet. The steps and their figures are those of
 * R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018,
 * section 3, for generations 1 to 5 (there: 8 lanes of generation 3 carry 62.96 Gb/s, of which
 * 57.88 Gb/s are transaction packets); of the PCI Express Base Specification 6.0 for generation 6
 * (a flit of 256 B holds 236 B of transaction packets, and all else).
 */
struct PcieLink
{
    uint32_t generation{5}; ///< 1 to 6
    uint32_t lanes{16};     ///< 1, 2, 4, 8, 12, 16 or 32

    /// @return empty, or what is wrong with it
    std::string Check() const;

    /// @return bits a second on all lanes, each way
    double GetRawRate() const;

    /// @return bits a second for transaction packets, each way
    double GetPacketRate() const;

    /// @return header and framing of a memory write with a 64-bit address (bytes)
    uint32_t GetPacketOverhead() const;

    /**
     * @param maxPayload of a transaction packet (bytes)
     * @return bits of data a second, each way, in packets with that payload
     */
    double GetDataRate(uint32_t maxPayload) const;
};

} // namespace ns3

#endif // PCIE_LINK_H
