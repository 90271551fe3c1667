// SPDX-License-Identifier: GPL-2.0-only
#include "memory-region.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MemoryRegion);

namespace
{
constexpr uint64_t WORD_BYTES = 8;
} // namespace

TypeId
MemoryRegion::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MemoryRegion")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MemoryRegion>();
    return tid;
}

void
MemoryRegion::Set(uint64_t address, uint64_t bytes, uint8_t access, uint32_t key)
{
    m_address = address;
    m_bytes = bytes;
    m_access = access;
    m_key = key;
}

bool
MemoryRegion::Allows(uint64_t address, uint64_t bytes, uint8_t access) const
{
    uint64_t offset = address - m_address; // wraps to a large number below the region
    return (m_access & access) == access && offset <= m_bytes && bytes <= m_bytes - offset;
}

void
MemoryRegion::Back()
{
    m_contents.resize(m_bytes);
}

void
MemoryRegion::Write(uint64_t address, const std::vector<uint8_t>& data)
{
    NS_ABORT_MSG_UNLESS(Allows(address, data.size(), 0),
                        "MemoryRegion::Write: " << data.size() << " bytes at " << address
                                                << " are outside region " << m_key);
    if (IsBacked())
    {
        std::copy(data.begin(),
                  data.end(),
                  m_contents.begin() + static_cast<std::ptrdiff_t>(address - m_address));
    }
}

std::vector<uint8_t>
MemoryRegion::Read(uint64_t address, uint64_t bytes) const
{
    NS_ABORT_MSG_UNLESS(Allows(address, bytes, 0),
                        "MemoryRegion::Read: " << bytes << " bytes at " << address
                                               << " are outside region " << m_key);
    if (!IsBacked())
    {
        return std::vector<uint8_t>(bytes);
    }
    auto first = m_contents.begin() + static_cast<std::ptrdiff_t>(address - m_address);
    return std::vector<uint8_t>(first, first + static_cast<std::ptrdiff_t>(bytes));
}

uint64_t
MemoryRegion::ReadWord(uint64_t address) const
{
    if (!IsBacked())
    {
        auto word = m_words.find(address);
        return word == m_words.end() ? 0 : word->second;
    }
    uint64_t value = 0;
    for (uint8_t byte : Read(address, WORD_BYTES))
    {
        value = value << 8 | byte;
    }
    return value;
}

void
MemoryRegion::WriteWord(uint64_t address, uint64_t value)
{
    if (!IsBacked())
    {
        m_words[address] = value;
        return;
    }
    std::vector<uint8_t> bytes(WORD_BYTES);
    for (uint64_t i = 0; i < WORD_BYTES; ++i)
    {
        bytes[i] = static_cast<uint8_t>(value >> (8 * (WORD_BYTES - 1 - i)));
    }
    Write(address, bytes);
}

} // namespace ns3
