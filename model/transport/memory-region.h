// SPDX-License-Identifier: GPL-2.0-only
#ifndef MEMORY_REGION_H
#define MEMORY_REGION_H

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// What a memory region's keys allow; a set of bits. Local reads are always allowed.
enum RdmaAccess : uint8_t
{
    LOCAL_WRITE = 1,
    REMOTE_READ = 2,
    REMOTE_WRITE = 4,
    REMOTE_ATOMIC = 8,
    ALL_ACCESS = 15,
};

/**
 * @ingroup ai-fabric
 * @brief A registered range of memory with its local and its remote key.
 *
 * Most simulations move bytes whose values nobody reads, so a region takes no memory by itself.
 * With Back() it holds real bytes: WRITEs change them, READs return them. Atomics keep their words
 * either way.
 */
class MemoryRegion : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// Called by ProtectionDomain::Register. @param address first byte @param bytes length
    /// @param access bits of RdmaAccess @param key both keys
    void Set(uint64_t address, uint64_t bytes, uint8_t access, uint32_t key);

    /// @return first byte
    uint64_t GetAddress() const
    {
        return m_address;
    }

    /// @return length
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// @return key for local use
    uint32_t GetLocalKey() const
    {
        return m_key;
    }

    /// @return key to hand to peers
    uint32_t GetRemoteKey() const
    {
        return m_key;
    }

    /**
     * @param address first byte
     * @param bytes length
     * @param access bits of RdmaAccess
     * @return the region has them all, and is valid
     */
    bool Allows(uint64_t address, uint64_t bytes, uint8_t access) const;

    /// Takes the remote rights back (SEND_WITH_INVALIDATE).
    void Invalidate()
    {
        m_access &= LOCAL_WRITE;
    }

    /// From now on the region holds real bytes, zeros at first.
    void Back();

    /// @return it holds real bytes
    bool IsBacked() const
    {
        return !m_contents.empty();
    }

    /// @param address inside @param data the new bytes; nothing happens if it is not backed
    void Write(uint64_t address, const std::vector<uint8_t>& data);
    /// @param address inside @param bytes how many @return them; zeros if it is not backed
    std::vector<uint8_t> Read(uint64_t address, uint64_t bytes) const;

    /// @param address of 8 bytes @return their value (big-endian in memory, as on the wire)
    uint64_t ReadWord(uint64_t address) const;
    /// @param address of 8 bytes @param value new
    void WriteWord(uint64_t address, uint64_t value);

  private:
    uint64_t m_address{0};
    uint64_t m_bytes{0};
    uint32_t m_key{0};
    uint8_t m_access{0};
    std::vector<uint8_t> m_contents;      ///< backed: all bytes
    std::map<uint64_t, uint64_t> m_words; ///< not backed: those that atomics have touched
};

} // namespace ns3

#endif // MEMORY_REGION_H
