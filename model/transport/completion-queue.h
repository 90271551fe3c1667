// SPDX-License-Identifier: GPL-2.0-only
#ifndef COMPLETION_QUEUE_H
#define COMPLETION_QUEUE_H

#include "verbs.h"

#include "ns3/callback.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Where completions of one or more queue pairs arrive: polled, or by callback.
 *
 * With a callback, each completion is handed over at once and nothing is stored. Polled, the queue
 * holds at most Capacity entries; one more is lost, the queue is in error from then on, and so is
 * every queue pair that has something to report to it (IBA vol. 1, 11.2.8: CQ overrun).
 */
class CompletionQueue : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param callback called with each completion from now on; null goes back to polling
    void SetCallback(Callback<void, const WorkCompletion&> callback);

    /// @param max most completions to take @return the oldest ones, in order
    std::vector<WorkCompletion> Poll(size_t max = SIZE_MAX);

    /// @return completions that wait to be polled
    size_t GetSize() const
    {
        return m_entries.size();
    }

    /// @return an entry was lost because the queue was full
    bool HasOverflowed() const
    {
        return m_overflowed;
    }

    /// Called by queue pairs. @param completion the entry @return false: the queue has overflowed
    [[nodiscard]] bool Add(const WorkCompletion& completion);

    /// Signature of Completion and Overflow. @param completion the entry
    typedef void (*CompletionTracedCallback)(const WorkCompletion& completion);

  private:
    uint32_t m_capacity{UINT32_MAX};
    bool m_overflowed{false};
    std::deque<WorkCompletion> m_entries;
    Callback<void, const WorkCompletion&> m_callback;
    TracedCallback<const WorkCompletion&> m_completionTrace;
    TracedCallback<const WorkCompletion&> m_overflowTrace;
};

} // namespace ns3

#endif // COMPLETION_QUEUE_H
