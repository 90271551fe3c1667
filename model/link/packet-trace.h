// SPDX-License-Identifier: GPL-2.0-only
#ifndef PACKET_TRACE_H
#define PACKET_TRACE_H

#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/**
 * @brief A trace source that hands out packets, and sets its owner's flag once someone connects.
 *
 * A frame has no bytes until they are asked for. With the flag, a device that nobody watches looks
 * at one byte a frame, however many such sources it has.
 */
class PacketTrace : public TracedCallback<Ptr<const Packet>>
{
  public:
    /// @param watched the owner's flag, which must live as long as this
    explicit PacketTrace(bool& watched)
        : m_watched(watched)
    {
    }

    PacketTrace(const PacketTrace&) = delete;
    PacketTrace& operator=(const PacketTrace&) = delete;

    /// @param callback to call from now on
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_watched = true;
        TracedCallback::ConnectWithoutContext(callback);
    }

    /// @param callback to call from now on @param path its first argument
    void Connect(const CallbackBase& callback, const std::string& path)
    {
        m_watched = true;
        TracedCallback::Connect(callback, path);
    }

  private:
    bool& m_watched;
};

} // namespace ns3

#endif // PACKET_TRACE_H
