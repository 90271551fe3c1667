// SPDX-License-Identifier: GPL-2.0-only
#include "protection-domain.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ProtectionDomain);

namespace
{
/// A key is the region's index and, as in real NICs, 8 more bits below it: the domain's tag.
constexpr uint32_t KEY_SHIFT = 8;
} // namespace

TypeId
ProtectionDomain::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ProtectionDomain")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ProtectionDomain>();
    return tid;
}

void
ProtectionDomain::DoDispose()
{
    m_regions.clear();
    m_openMemory = nullptr;
    Object::DoDispose();
}

Ptr<MemoryRegion>
ProtectionDomain::Register(uint64_t address, uint64_t bytes, uint8_t access)
{
    NS_ABORT_MSG_IF(bytes == 0 || address + bytes < address,
                    "ProtectionDomain::Register: " << bytes << " bytes at " << address
                                                   << " are no range of memory");
    NS_ABORT_MSG_IF((access & (REMOTE_WRITE | REMOTE_ATOMIC)) && !(access & LOCAL_WRITE),
                    "ProtectionDomain::Register: REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE");
    NS_ABORT_MSG_IF(m_regions.size() >> (32 - KEY_SHIFT),
                    "ProtectionDomain::Register: all 2^24 keys are in use");
    auto region = CreateObject<MemoryRegion>();
    auto index = static_cast<uint32_t>(m_regions.size());
    region->Set(address, bytes, access, index << KEY_SHIFT | m_keyTag);
    m_regions.push_back(region);
    return region;
}

void
ProtectionDomain::Deregister(Ptr<MemoryRegion> region)
{
    NS_ABORT_MSG_IF(Find(region->GetLocalKey()) != PeekPointer(region),
                    "ProtectionDomain::Deregister: the region is not of this domain");
    m_regions[region->GetLocalKey() >> KEY_SHIFT] = nullptr;
}

MemoryRegion*
ProtectionDomain::Find(uint32_t key) const
{
    uint32_t index = key >> KEY_SHIFT;
    if ((key & ((1U << KEY_SHIFT) - 1)) != m_keyTag || index >= m_regions.size())
    {
        return nullptr;
    }
    return PeekPointer(m_regions[index]);
}

namespace
{

/**
 * Calls @p use for each part of a stretch of scattered memory.
 * @param pieces the memory
 * @param offset of the stretch
 * @param bytes its length
 * @param use gets the key, the address, the part's place in the stretch and its length
 */
template <typename Use>
void
ForEachPart(const std::vector<ScatterGatherElement>& pieces,
            uint64_t offset,
            uint64_t bytes,
            Use use)
{
    uint64_t done = 0;
    for (const ScatterGatherElement& piece : pieces)
    {
        if (offset >= piece.bytes)
        {
            offset -= piece.bytes;
            continue;
        }
        uint64_t part = std::min(piece.bytes - offset, bytes - done);
        if (part > 0)
        {
            use(piece.localKey, piece.address + offset, done, part);
        }
        done += part;
        offset = 0;
    }
}

} // namespace

Ptr<Packet>
ProtectionDomain::Gather(const std::vector<ScatterGatherElement>& pieces,
                         uint64_t offset,
                         uint32_t bytes) const
{
    std::vector<uint8_t> data(bytes);
    bool backed = false;
    ForEachPart(pieces, offset, bytes, [&](uint32_t key, uint64_t at, uint64_t done, uint64_t n) {
        if (const MemoryRegion* region = Find(key); region && region->IsBacked())
        {
            backed = true;
            std::vector<uint8_t> part = region->Read(at, n);
            std::copy(part.begin(), part.end(), data.begin() + static_cast<std::ptrdiff_t>(done));
        }
    });
    return backed ? Create<Packet>(data.data(), bytes) : nullptr;
}

void
ProtectionDomain::Scatter(const std::vector<ScatterGatherElement>& pieces,
                          uint64_t offset,
                          uint32_t bytes,
                          Ptr<const Packet> data) const
{
    ForEachPart(pieces, offset, bytes, [&](uint32_t key, uint64_t at, uint64_t done, uint64_t n) {
        auto length = static_cast<uint32_t>(n);
        Store(key,
              at,
              length,
              data ? data->CreateFragment(static_cast<uint32_t>(done), length) : nullptr);
    });
}

void
ProtectionDomain::Store(uint32_t key,
                        uint64_t address,
                        uint32_t bytes,
                        Ptr<const Packet> data) const
{
    MemoryRegion* region = Find(key);
    if (region && region->IsBacked())
    {
        std::vector<uint8_t> image(bytes);
        if (data)
        {
            data->CopyData(image.data(), bytes);
        }
        region->Write(address, image);
    }
}

Ptr<Packet>
ProtectionDomain::Load(uint32_t key, uint64_t address, uint32_t bytes) const
{
    const MemoryRegion* region = Find(key);
    if (!region || !region->IsBacked())
    {
        return nullptr;
    }
    std::vector<uint8_t> image = region->Read(address, bytes);
    return Create<Packet>(image.data(), bytes);
}

void
ProtectionDomain::StoreWord(const ScatterGatherElement& piece, uint64_t value) const
{
    if (MemoryRegion* region = Find(piece.localKey))
    {
        region->WriteWord(piece.address, value);
    }
}

MemoryRegion&
ProtectionDomain::GetOpenMemory()
{
    if (!m_openMemory)
    {
        m_openMemory = CreateObject<MemoryRegion>();
        m_openMemory->Set(0, UINT64_MAX, ALL_ACCESS, 0);
    }
    return *m_openMemory;
}

} // namespace ns3
