// SPDX-License-Identifier: GPL-2.0-only
#ifndef PFC_HEADER_H
#define PFC_HEADER_H

#include "wire-format.h"

#include "ns3/header.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Priority flow control (IEEE 802.1Qbb; IEEE 802.3 annex 31D): 20 bytes after EtherType
 8808.
 *
 * @verbatim
   byte  0 .. 1           2      3                      4 .. 19
         Opcode 0x0101    zero   class enable vector    8 pause times, class 0 first
   @endverbatim
 * A pause time counts quanta of 512 bit times; zero lets the class go on at once. It means
 something
 * only where the class's bit is set in the vector. The frame is padded with zeros to 64 bytes.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 4 + 2 * N_TRAFFIC_CLASSES; ///< size on the wire

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint16_t opcode{wire::PFC_OPCODE};                ///< MAC control opcode
    uint8_t classes{0};                               ///< class enable vector, bit 0 is class 0
    std::array<uint16_t, N_TRAFFIC_CLASSES> quanta{}; ///< pause times
};

} // namespace ns3

#endif // PFC_HEADER_H
