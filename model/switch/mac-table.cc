// SPDX-License-Identifier: GPL-2.0-only
#include "mac-table.h"

#include <algorithm>
#include <array>

namespace ns3
{

uint64_t
MacTable::ToNumber(Mac48Address mac)
{
    std::array<uint8_t, 6> bytes;
    mac.CopyTo(bytes.data());
    uint64_t number = 0;
    for (uint8_t byte : bytes)
    {
        number = number << 8 | byte;
    }
    return number;
}

bool
MacTable::Sort()
{
    std::sort(m_entries.begin(), m_entries.end());
    return std::adjacent_find(m_entries.begin(), m_entries.end(), [](auto& a, auto& b) {
               return a.first == b.first;
           }) == m_entries.end();
}

bool
MacTable::Find(Mac48Address mac, uint32_t& address) const
{
    std::pair<uint64_t, uint32_t> key{ToNumber(mac), 0};
    auto found = std::lower_bound(m_entries.begin(), m_entries.end(), key);
    if (found == m_entries.end() || found->first != key.first)
    {
        return false;
    }
    address = found->second;
    return true;
}

bool
MacTable::FindMac(uint32_t address, Mac48Address& mac) const
{
    auto found = std::find_if(m_entries.begin(), m_entries.end(), [address](const auto& entry) {
        return entry.second == address;
    });
    if (found == m_entries.end())
    {
        return false;
    }
    std::array<uint8_t, 6> bytes;
    for (size_t i = 0; i < bytes.size(); ++i)
    {
        bytes[i] = static_cast<uint8_t>(found->first >> (8 * (bytes.size() - 1 - i)));
    }
    mac.CopyFrom(bytes.data());
    return true;
}

} // namespace ns3
