// SPDX-License-Identifier: GPL-2.0-only
#include "ets-scheduler.h"

#include "setting-text.h"

namespace ns3
{

namespace
{

constexpr uint64_t ALL = 100; ///< percent
/// A round is 20 kB: short enough to take turns, long enough for a share of 1 %.
constexpr uint32_t BYTES_A_PERCENT = 200;

} // namespace

std::string
EtsScheduler::Configure(const std::string& text)
{
    *this = EtsScheduler();
    for (const std::string& entry : SplitText(text, ','))
    {
        if (std::string wrong = Add(entry); !wrong.empty())
        {
            return "in \"" + text + "\" the entry \"" + entry + "\" " + wrong;
        }
    }
    if (m_percent != ALL)
    {
        return "the percentages of \"" + text + "\" add up to " + std::to_string(m_percent) +
               ", not to 100";
    }
    return "";
}

std::string
EtsScheduler::Add(const std::string& entry)
{
    const char* form = "must be CLASS:PERCENT or CLASS+CLASS:PERCENT, with classes of 0 to 7 and "
                       "1 to 100 percent";
    std::vector<std::string> parts = SplitText(entry, ':');
    uint64_t percent = 0;
    if (parts.size() != 2 || !ParseWhole(parts[1], ALL, percent) || percent == 0)
    {
        return form;
    }
    std::vector<std::string> classes = SplitText(parts[0], '+');
    if (classes.empty())
    {
        return form;
    }
    for (const std::string& name : classes)
    {
        uint64_t trafficClass = 0;
        if (!ParseWhole(name, N_TRAFFIC_CLASSES - 1, trafficClass))
        {
            return form;
        }
        if (m_listed & (1U << trafficClass))
        {
            return "gives class " + name + " a second share";
        }
        m_listed |= 1U << trafficClass;
        m_groupOf[trafficClass] = static_cast<uint8_t>(m_nGroups);
        m_classesOf[m_nGroups] |= 1U << trafficClass;
    }
    m_groups.SetQuantum(m_nGroups, static_cast<uint32_t>(percent) * BYTES_A_PERCENT);
    m_percent += percent;
    ++m_nGroups;
    return "";
}

uint32_t
EtsScheduler::Pick(uint8_t ready)
{
    uint8_t listed = ready & m_listed;
    if (!listed)
    {
        return 31 - __builtin_clz(ready);
    }
    uint8_t groups = 0;
    for (uint32_t g = 0; g < m_nGroups; ++g)
    {
        groups |= static_cast<uint8_t>(bool(listed & m_classesOf[g]) << g);
    }
    uint32_t group = m_groups.Pick(groups);
    return m_members[group].Pick(listed & m_classesOf[group]);
}

void
EtsScheduler::Charge(uint32_t trafficClass, uint32_t bytes)
{
    if (m_listed & (1U << trafficClass))
    {
        uint32_t group = m_groupOf[trafficClass];
        m_groups.Charge(group, bytes);
        m_members[group].Charge(trafficClass, bytes);
    }
}

} // namespace ns3
