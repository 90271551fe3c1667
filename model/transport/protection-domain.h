// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROTECTION_DOMAIN_H
#define PROTECTION_DOMAIN_H

#include "verbs.h"

#include "ns3/object.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What belongs together: memory regions and the queue pairs that may use their keys.
 *
 * A NIC's open domain (the default of its queue pairs) has key 0, which covers all memory, as the
 * kernel's global key does: simulations that do not study protection register nothing. A domain
 * that a program makes has no such key, unless it is opened.
 */
class ProtectionDomain : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param open key 0 covers all memory with every access
    void SetOpen(bool open)
    {
        m_open = open;
    }

    /// Called by RdmaNic. @param tag low 8 bits of its keys: no other domain's keys fit here
    void SetKeyTag(uint8_t tag)
    {
        m_keyTag = tag;
    }

    /**
     * Registers memory.
     * @param address first byte
     * @param bytes length, above 0
     * @param access bits of RdmaAccess; as in verbs, remote writes and atomics need LOCAL_WRITE
     * @return the region, with its keys
     */
    Ptr<MemoryRegion> Register(uint64_t address, uint64_t bytes, uint8_t access);

    /// Its keys are void from now on. @param region of this domain
    void Deregister(Ptr<MemoryRegion> region);

    /// @param key a key @return the region; null if there is none, or for the open key
    MemoryRegion* Find(uint32_t key) const;

    /**
     * @param key local or remote key
     * @param address first byte
     * @param bytes length
     * @param access bits of RdmaAccess
     * @return the key gives them all
     */
    bool Allows(uint32_t key, uint64_t address, uint64_t bytes, uint8_t access) const
    {
        if (m_open && key == 0)
        {
            return true;
        }
        const MemoryRegion* region = Find(key);
        return region && region->Allows(address, bytes, access);
    }

    /**
     * Collects bytes of local memory.
     * @param pieces where they lie
     * @param offset of the first byte wanted, counted over all pieces
     * @param bytes how many
     * @return them; null if no piece lies in backed memory: they are zeros then
     */
    Ptr<Packet> Gather(const std::vector<ScatterGatherElement>& pieces,
                       uint64_t offset,
                       uint32_t bytes) const;

    /**
     * Spreads bytes over local memory.
     * @param pieces where
     * @param offset of the first byte, counted over all pieces
     * @param bytes how many
     * @param data the bytes; null: zeros
     */
    void Scatter(const std::vector<ScatterGatherElement>& pieces,
                 uint64_t offset,
                 uint32_t bytes,
                 Ptr<const Packet> data) const;

    /// Puts bytes where a key says. @param key of a region @param address where
    /// @param bytes how many @param data the bytes; null: zeros
    void Store(uint32_t key, uint64_t address, uint32_t bytes, Ptr<const Packet> data) const;

    /// @param key of a region @param address where @param bytes how many
    /// @return them; null if the region is not backed: they are zeros then
    Ptr<Packet> Load(uint32_t key, uint64_t address, uint32_t bytes) const;

    /// Puts an atomic's result into memory. @param piece of 8 bytes @param value the result
    void StoreWord(const ScatterGatherElement& piece, uint64_t value) const;

    /// @return where atomics find words of memory that no region has
    MemoryRegion& GetOpenMemory();

  protected:
    void DoDispose() override;

  private:
    bool m_open{false};
    uint8_t m_keyTag{0x5a};                   ///< not 0: no key is
    std::vector<Ptr<MemoryRegion>> m_regions; ///< by index of the key
    Ptr<MemoryRegion> m_openMemory;
};

} // namespace ns3

#endif // PROTECTION_DOMAIN_H
