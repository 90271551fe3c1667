// SPDX-License-Identifier: GPL-2.0-only
#ifndef PACKET_TRACE_H
#define PACKET_TRACE_H

#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/**
 * @brief A trace source that sets its owner's flag once someone connects.
 *
 * With the flag, a device that nobody watches looks at one byte a frame, however many such sources
 * it has.
 *
 * @tparam Args what it hands out
 */
template <typename... Args>
class WatchedTrace : public TracedCallback<Args...>
{
  public:
    /// @param watched the owner's flag, which must live as long as this
    explicit WatchedTrace(bool& watched)
        : m_watched(watched)
    {
    }

    WatchedTrace(const WatchedTrace&) = delete;
    WatchedTrace& operator=(const WatchedTrace&) = delete;

    /// @param callback to call from now on
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_watched = true;
        TracedCallback<Args...>::ConnectWithoutContext(callback);
    }

    /// @param callback to call from now on @param path its first argument
    void Connect(const CallbackBase& callback, const std::string& path)
    {
        m_watched = true;
        TracedCallback<Args...>::Connect(callback, path);
    }

  private:
    bool& m_watched;
};

/// One that hands out packets. A frame has no bytes until they are asked for.
using PacketTrace = WatchedTrace<Ptr<const Packet>>;

} // namespace ns3

#endif // PACKET_TRACE_H
