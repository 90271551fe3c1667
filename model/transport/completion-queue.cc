// SPDX-License-Identifier: GPL-2.0-only
#include "completion-queue.h"

#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CompletionQueue);

TypeId
CompletionQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CompletionQueue")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<CompletionQueue>()
            .AddAttribute("Capacity",
                          "Most completions that may wait to be polled.",
                          UintegerValue(UINT32_MAX),
                          MakeUintegerAccessor(&CompletionQueue::m_capacity),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Completion",
                            "A completion has come, polled or not.",
                            MakeTraceSourceAccessor(&CompletionQueue::m_completionTrace),
                            "ns3::CompletionQueue::CompletionTracedCallback")
            .AddTraceSource("Overflow",
                            "A completion found the queue full and is lost.",
                            MakeTraceSourceAccessor(&CompletionQueue::m_overflowTrace),
                            "ns3::CompletionQueue::CompletionTracedCallback");
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

bool
CompletionQueue::Add(const WorkCompletion& completion)
{
    m_completionTrace(completion);
    if (!m_callback.IsNull())
    {
        m_callback(completion);
        return true;
    }
    if (m_overflowed || m_entries.size() >= m_capacity)
    {
        m_overflowed = true;
        m_overflowTrace(completion);
        return false;
    }
    m_entries.push_back(completion);
    return true;
}

} // namespace ns3
