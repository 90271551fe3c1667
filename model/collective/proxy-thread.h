// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROXY_THREAD_H
#define PROXY_THREAD_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @brief The thread of a rank's host that serves its network connections, one message after the
 * other (NCCL's proxy progress thread).
 */
class ProxyThread
{
  public:
    /**
     * @param now when something came to do, time steps, not before that of an earlier call
     * @param work how long it takes
     * @return when it is done
     */
    int64_t Serve(int64_t now, int64_t work)
    {
        m_free = std::max(m_free, now) + work;
        return m_free;
    }

  private:
    int64_t m_free{0}; ///< from when on it has nothing to do
};

} // namespace ns3

#endif // PROXY_THREAD_H
