// SPDX-License-Identifier: GPL-2.0-only
#ifndef MESSAGE_BATCHES_H
#define MESSAGE_BATCHES_H

#include "collective-program.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Where the messages of a batch wait for each other: those of several ranks to one, on one
 * channel and by one NIC, which travel as one request (NCCL's grouped receives; net.cc,
 * recvProxyProgress, and ncclIbIsend of net_ib.cc, which sends when all requests have a match).
 *
 * @tparam Member whose messages they are
 * @tparam COMPLETED called at each member that waits, once its batch is complete
 */
template <typename Member, void (Member::*COMPLETED)()>
class MessageBatches
{
  public:
    /// Messages that wait for each other, or have.
    class Batch
    {
      public:
        /// @return true: the last message has come
        bool IsComplete() const
        {
            return m_missing == 0;
        }

        /// @return when the latest message so far came, time steps
        int64_t GetLatest() const
        {
            return m_latest;
        }

      private:
        friend class MessageBatches;
        uint32_t m_missing{0};
        int64_t m_latest{0};
        std::vector<Member*> m_waiting;
    };

    /// @param which a batch @return the next message that joins it completes it
    bool IsNextTheLast(const MessageBatch& which) const
    {
        auto entry = m_incomplete.find({which.collective, which.number});
        return which.messages == 1 ||
               (entry != m_incomplete.end() && entry->second->m_missing == 1);
    }

    /**
     * A message joins its batch. If it is the last one, the members before it are told; if not,
     * @p member will be.
     * @param which the batch
     * @param member whose message it is
     * @param when the message came, time steps
     * @return the batch
     */
    std::shared_ptr<const Batch> Join(const MessageBatch& which, Member& member, int64_t when)
    {
        const auto key = std::make_pair(which.collective, which.number);
        std::shared_ptr<Batch>& entry = m_incomplete[key];
        if (!entry)
        {
            entry = std::make_shared<Batch>();
            entry->m_missing = which.messages;
        }
        std::shared_ptr<Batch> batch = entry;
        batch->m_latest = std::max(batch->m_latest, when);
        if (--batch->m_missing > 0)
        {
            batch->m_waiting.push_back(&member);
            return batch;
        }
        m_incomplete.erase(key);
        for (Member* other : batch->m_waiting)
        {
            (other->*COMPLETED)();
        }
        return batch;
    }

  private:
    std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<Batch>> m_incomplete;
};

} // namespace ns3

#endif // MESSAGE_BATCHES_H
