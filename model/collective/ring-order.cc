// SPDX-License-Identifier: GPL-2.0-only
#include "ring-order.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

namespace
{

using Group = std::vector<uint32_t>;

/// Position of the exit of group @p index of @p groups.
size_t
ExitPosition(const std::vector<Group>& groups, size_t index, uint32_t channel)
{
    bool lastOfOdd = groups.size() % 2 == 1 && groups.size() > 1 && index + 1 == groups.size();
    size_t shift = lastOfOdd ? 2 : index % 2;
    return (channel + shift) % groups[index].size();
}

/// Position of the entry of @p group, reached by @p rail.
size_t
EntryPosition(const Group& group, const RankLayout& layout, uint32_t rail, size_t exit)
{
    for (size_t p = 0; p < group.size(); ++p)
    {
        if (layout.GetRail(group[p]) == rail && (p != exit || group.size() == 1))
        {
            return p;
        }
    }
    return (exit + 1) % group.size();
}

} // namespace

std::vector<uint32_t>
MakeRingOrder(const RankLayout& layout, uint32_t channel)
{
    const std::vector<Group>& groups = layout.GetGroups();
    std::vector<uint32_t> order;
    order.reserve(layout.GetSize());
    for (size_t g = 0; g < groups.size(); ++g)
    {
        size_t before = (g + groups.size() - 1) % groups.size();
        uint32_t rail = layout.GetRail(groups[before][ExitPosition(groups, before, channel)]);
        const Group& group = groups[g];
        size_t exit = ExitPosition(groups, g, channel);
        size_t entry = EntryPosition(group, layout, rail, exit);
        for (size_t i = 0; i < group.size(); ++i)
        {
            size_t position = (entry + i) % group.size();
            if (position != exit)
            {
                order.push_back(group[position]);
            }
        }
        order.push_back(group[exit]);
    }
    return order;
}

std::vector<uint32_t>
GetRingOrder(const RankLayout& layout, uint32_t channel)
{
    const ChannelOrders* orders = layout.GetOrders();
    if (orders == nullptr || orders->rings.empty())
    {
        return MakeRingOrder(layout, channel);
    }
    const std::vector<uint32_t>& ring = orders->rings[channel % orders->rings.size()];
    std::vector<uint32_t> sorted = ring;
    std::sort(sorted.begin(), sorted.end());
    bool whole = sorted.size() == layout.GetSize();
    for (uint32_t rank = 0; whole && rank < sorted.size(); ++rank)
    {
        whole = sorted[rank] == rank;
    }
    NS_ABORT_MSG_UNLESS(whole,
                        "The ring that was set for channel " << channel
                                                             << " does not have each rank once.");
    return ring;
}

} // namespace ns3
