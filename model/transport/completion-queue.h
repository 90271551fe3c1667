// SPDX-License-Identifier: GPL-2.0-only
#ifndef COMPLETION_QUEUE_H
#define COMPLETION_QUEUE_H

#include "verbs.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Where completions of one or more queue pairs arrive: polled, or by callback.
 *
 * With a callback, each completion is handed over at once and nothing is stored.
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

    /// Called by queue pairs. @param completion the entry
    void Add(const WorkCompletion& completion);

  private:
    std::deque<WorkCompletion> m_entries;
    Callback<void, const WorkCompletion&> m_callback;
};

} // namespace ns3

#endif // COMPLETION_QUEUE_H
