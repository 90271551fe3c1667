// SPDX-License-Identifier: GPL-2.0-only
#ifndef SHARED_RECEIVE_QUEUE_H
#define SHARED_RECEIVE_QUEUE_H

#include "verbs.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <deque>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Receive work requests that several queue pairs take from, first come, first served.
 */
class SharedReceiveQueue : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param request room for a message of any of the pairs @return POSTED, or why not
    [[nodiscard]] PostResult PostReceive(const ReceiveWorkRequest& request);

    /// @return work requests that wait
    size_t GetSize() const
    {
        return m_queue.size();
    }

    /// @return the oldest one, taken out; there must be one
    ReceiveWorkRequest Take();

    /// Signature of LimitReached. @param left work requests that wait
    typedef void (*LimitTracedCallback)(size_t left);

  private:
    uint32_t m_maxWr{UINT32_MAX};
    uint32_t m_limit{0};
    std::deque<ReceiveWorkRequest> m_queue;
    TracedCallback<size_t> m_limitTrace;
};

} // namespace ns3

#endif // SHARED_RECEIVE_QUEUE_H
