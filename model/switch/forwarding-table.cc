// SPDX-License-Identifier: GPL-2.0-only
#include "forwarding-table.h"

#include "ns3/abort.h"

namespace ns3
{

void
ForwardingTable::Reset(uint32_t base, uint32_t count)
{
    m_base = base;
    m_groupOf.assign(count, 0);
    m_groups.assign(1, {0, 0});
    m_ports.clear();
    m_known.clear();
    m_known[{}] = 0;
}

void
ForwardingTable::SetRoute(uint32_t address, const std::vector<uint32_t>& ports)
{
    uint32_t index = address - m_base;
    NS_ABORT_MSG_IF(index >= m_groupOf.size(),
                    "ForwardingTable: address outside the range given to Reset()");
    auto [known, isNew] = m_known.try_emplace(ports, static_cast<uint16_t>(m_groups.size()));
    if (isNew)
    {
        NS_ABORT_MSG_IF(m_groups.size() > UINT16_MAX,
                        "ForwardingTable: more than 65,536 different groups of ports");
        m_groups.push_back(
            {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(ports.size())});
        m_ports.insert(m_ports.end(), ports.begin(), ports.end());
    }
    m_groupOf[index] = known->second;
}

size_t
ForwardingTable::GetMemoryBytes() const
{
    return m_groupOf.capacity() * sizeof(uint16_t) + m_groups.capacity() * sizeof(Group) +
           m_ports.capacity() * sizeof(uint32_t);
}

} // namespace ns3
