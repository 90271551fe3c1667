// SPDX-License-Identifier: GPL-2.0-only
#include "happenings.h"

#include "process-group.h"

#include "ns3/persistent-event.h"

#include <algorithm>

namespace ns3
{

void
Happenings::Add(uint32_t kind, std::string_view bytes)
{
    m_entries.push_back({NowSteps(), Simulator::GetContext(), kind, m_bytes.size(), bytes.size()});
    m_bytes.append(bytes);
}

void
Happenings::Tell()
{
    const std::string_view entries(reinterpret_cast<const char*>(m_entries.data()),
                                   m_entries.size() * sizeof(Entry));
    const std::vector<std::string> tables = ProcessGroup::Gather(std::string(entries));
    const std::vector<std::string> contents = ProcessGroup::Gather(m_bytes);
    std::vector<std::pair<Entry, std::string_view>> all;
    for (size_t rank = 0; rank < tables.size(); ++rank)
    {
        for (size_t begin = 0; begin < tables[rank].size(); begin += sizeof(Entry))
        {
            const auto entry =
                ValueOf<Entry>(std::string_view(tables[rank]).substr(begin, sizeof(Entry)));
            all.emplace_back(entry,
                             std::string_view(contents[rank]).substr(entry.begin, entry.size));
        }
    }
    m_entries.clear();
    m_bytes.clear();
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.first.at != b.first.at ? a.first.at < b.first.at : a.first.node < b.first.node;
    });
    for (const auto& [entry, bytes] : all)
    {
        if (m_handlers.at(entry.kind))
        {
            m_handlers[entry.kind](entry.at, bytes);
        }
    }
}

} // namespace ns3
