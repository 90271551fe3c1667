// SPDX-License-Identifier: GPL-2.0-only
#include "completion-queue.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CompletionQueue);

TypeId
CompletionQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CompletionQueue")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<CompletionQueue>();
    return tid;
}

void
CompletionQueue::SetCallback(Callback<void, const WorkCompletion&> callback)
{
    m_callback = callback;
}

std::vector<WorkCompletion>
CompletionQueue::Poll(size_t max)
{
    auto end = m_entries.begin() + static_cast<std::ptrdiff_t>(std::min(max, m_entries.size()));
    std::vector<WorkCompletion> taken(m_entries.begin(), end);
    m_entries.erase(m_entries.begin(), end);
    return taken;
}

void
CompletionQueue::Add(const WorkCompletion& completion)
{
    if (m_callback.IsNull())
    {
        m_entries.push_back(completion);
    }
    else
    {
        m_callback(completion);
    }
}

} // namespace ns3
