// SPDX-License-Identifier: GPL-2.0-only
#include "forwarding-table.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

void
ForwardingTable::Reset(uint32_t base, uint32_t count)
{
    m_base = base;
    m_groupOf.assign(count, NO_ROUTE);
    m_groups.assign(1, {0, 0, false});
    m_ports.clear();
    m_known.clear();
    m_known[{}] = NO_ROUTE;
    m_last = NO_ROUTE;
}

bool
ForwardingTable::IsLast(const std::vector<uint32_t>& ports,
                        const std::vector<uint32_t>& weights) const
{
    Ports last = GetPorts(m_last);
    return last.count == ports.size() && std::equal(ports.begin(), ports.end(), last.first) &&
           (last.weights ? std::equal(weights.begin(),
                                      weights.end(),
                                      last.weights,
                                      last.weights + last.count)
                         : weights.empty());
}

uint16_t
ForwardingTable::AddGroup(const std::vector<uint32_t>& ports, const std::vector<uint32_t>& weights)
{
    NS_ABORT_MSG_UNLESS(weights.empty() || weights.size() == ports.size(),
                        "ForwardingTable: " << weights.size() << " weights for " << ports.size()
                                            << " ports");
    if (IsLast(ports, weights)) // what one destination needs, its neighbours mostly need too
    {
        return m_last;
    }
    std::vector<uint32_t> key = ports;
    key.insert(key.end(), weights.begin(), weights.end());
    if (!weights.empty())
    {
        key.push_back(UINT32_MAX); // so that no list of ports alone looks like it
    }
    auto [known, isNew] =
        m_known.try_emplace(std::move(key), static_cast<uint16_t>(m_groups.size()));
    if (isNew)
    {
        NS_ABORT_MSG_IF(m_groups.size() > UINT16_MAX,
                        "ForwardingTable: more than 65,536 different groups of ports");
        m_groups.push_back({static_cast<uint32_t>(m_ports.size()),
                            static_cast<uint32_t>(ports.size()),
                            !weights.empty()});
        m_ports.insert(m_ports.end(), ports.begin(), ports.end());
        m_ports.insert(m_ports.end(), weights.begin(), weights.end());
    }
    m_last = known->second;
    return m_last;
}

void
ForwardingTable::SetGroup(uint32_t address, uint16_t group)
{
    uint32_t index = address - m_base;
    NS_ABORT_MSG_IF(index >= m_groupOf.size(),
                    "ForwardingTable: address outside the range given to Reset()");
    m_groupOf[index] = group;
}

void
ForwardingTable::SetRoute(uint32_t address,
                          const std::vector<uint32_t>& ports,
                          const std::vector<uint32_t>& weights)
{
    SetGroup(address, AddGroup(ports, weights));
}

size_t
ForwardingTable::GetMemoryBytes() const
{
    constexpr size_t TREE_NODE = 4 * sizeof(void*); // of std::map, besides its value
    size_t known = 0;
    for (const auto& [key, group] : m_known)
    {
        known += TREE_NODE + sizeof(std::pair<const std::vector<uint32_t>, uint16_t>) +
                 key.capacity() * sizeof(uint32_t);
    }
    return m_groupOf.capacity() * sizeof(uint16_t) + m_groups.capacity() * sizeof(Group) +
           m_ports.capacity() * sizeof(uint32_t) + known;
}

} // namespace ns3
