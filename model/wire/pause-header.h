// SPDX-License-Identifier: GPL-2.0-only
#ifndef PAUSE_HEADER_H
#define PAUSE_HEADER_H

#include "wire-format.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Pause of a whole link (IEEE 802.3 annex 31B): 4 bytes after EtherType 8808.
 *
 * @verbatim
   byte  0 .. 1           2 .. 3
         Opcode 0x0001    pause time
   @endverbatim
 * The pause time counts quanta of 512 bit times; zero lets the link go on at once. The frame is
 * padded with zeros to 64 bytes.
 */
class PauseHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 4; ///< size on the wire

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint16_t opcode{wire::PAUSE_OPCODE}; ///< MAC control opcode
    uint16_t quanta{0};                  ///< pause time
};

} // namespace ns3

#endif // PAUSE_HEADER_H
