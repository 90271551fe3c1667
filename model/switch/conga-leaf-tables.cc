// SPDX-License-Identifier: GPL-2.0-only
#include "conga-leaf-tables.h"

namespace ns3
{

CongaLeafTables::Metric&
CongaLeafTables::At(std::vector<Metric>& metrics, uint32_t index)
{
    if (index >= metrics.size())
    {
        metrics.resize(index + 1);
    }
    return metrics[index];
}

void
CongaLeafTables::Arrived(const CongaFields& fields, uint32_t source, int64_t now)
{
    if (source != 0)
    {
        m_leafOf[source] = fields.sourceLeaf;
    }
    Leaf& leaf = m_leaves[fields.sourceLeaf];
    Metric& from = At(leaf.from, fields.uplink);
    bool isNews = !from.isKnown || from.value != fields.congestion;
    from = {fields.congestion, true, from.hasChanged || isNews, now};
    if (fields.feedbackValid)
    {
        At(leaf.to, fields.feedbackUplink) = {fields.feedbackMetric, true, false, now};
    }
}

uint32_t
CongaLeafTables::GetMetric(uint32_t leaf, uint32_t uplink, int64_t now, int64_t aging) const
{
    auto found = m_leaves.find(leaf);
    if (found == m_leaves.end() || uplink >= found->second.to.size())
    {
        return 0;
    }
    const Metric& metric = found->second.to[uplink];
    int64_t age = now - metric.at;
    if (age <= aging)
    {
        return metric.value;
    }
    return age >= 2 * aging ? 0 : static_cast<uint32_t>(metric.value * (2 * aging - age) / aging);
}

void
CongaLeafTables::GiveFeedback(uint32_t leafId, CongaFields& fields, int64_t now, int64_t aging)
{
    auto found = m_leaves.find(leafId);
    if (found == m_leaves.end() || found->second.from.empty())
    {
        return;
    }
    Leaf& leaf = found->second;
    auto n = static_cast<uint32_t>(leaf.from.size());
    uint32_t choice = n;
    for (uint32_t k = 0; k < n; ++k)
    {
        uint32_t uplink = (leaf.nextFeedback + k) % n;
        const Metric& metric = leaf.from[uplink];
        if (!metric.isKnown || now - metric.at > aging)
        {
            continue;
        }
        if (metric.hasChanged)
        {
            choice = uplink;
            break;
        }
        choice = choice == n ? uplink : choice;
    }
    if (choice == n)
    {
        return;
    }
    fields.feedbackUplink = static_cast<uint16_t>(choice);
    fields.feedbackMetric = leaf.from[choice].value;
    fields.feedbackValid = true;
    leaf.from[choice].hasChanged = false;
    leaf.nextFeedback = (choice + 1) % n;
}

} // namespace ns3
