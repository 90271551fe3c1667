// SPDX-License-Identifier: GPL-2.0-only
#ifndef STREAM_MARK_H
#define STREAM_MARK_H

#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A point in the order of a stream: reached or not yet, and who waits for it.
 */
class StreamMark : public SimpleRefCount<StreamMark>
{
  public:
    /// Called when the mark is reached.
    using Call = std::function<void()>;

    /// @return whether all that comes before it is done
    bool IsReached() const
    {
        return m_reached;
    }

    /// @return when it was reached
    Time GetTime() const
    {
        return m_time;
    }

    /// It is reached now. Those who wait are called at this time, in their order, by events of
    /// their own: a long chain of marks does not nest.
    void Reach();

    /// @param call made when the mark is reached; at once if it has been
    void WhenReached(Call call);

  private:
    bool m_reached{false};
    Time m_time;
    std::vector<Call> m_waiting;
};

} // namespace ns3

#endif // STREAM_MARK_H
