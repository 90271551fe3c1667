// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_CONNECTION_H
#define COLLECTIVE_CONNECTION_H

#include "ns3/persistent-event.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{

class CollectiveConnection;

/// What uses a connection: a thread of a collective program.
class CollectiveConnectionUser
{
  public:
    virtual ~CollectiveConnectionUser() = default;
    /// The oldest message that this user sent has left (scale-up) or is acknowledged (network).
    virtual void SendCompleted() = 0;
    /// The message that this user waits for can be taken.
    virtual void MessageReady() = 0;
};

/**
 * @ingroup ai-fabric
 * @brief A one-way connection of a communicator: from one rank to another, on a channel.
 *
 * Messages arrive in order and are taken in order; a message can be taken once the receiving GPU's
 * step overhead has passed since its arrival. Room at the receiver is not limited: a sender may be
 * ahead by as much as its program lets it be.
 *
 * The two ends share nothing but what the messages carry.
 */
class CollectiveConnection
{
  public:
    /// Called with what went wrong.
    using FailureCallback = std::function<void(const std::string&)>;

    /// The two ends.
    struct Ends
    {
        uint32_t channel;
        uint32_t source;      ///< rank
        uint32_t destination; ///< rank
    };

    /**
     * @param ends which ranks it joins
     * @param node of the receiver, as an event context
     * @param stepOverhead from the arrival of a message until it can be taken, time steps
     * @param failure called when it cannot go on
     */
    CollectiveConnection(const Ends& ends,
                         uint32_t node,
                         int64_t stepOverhead,
                         FailureCallback failure);
    virtual ~CollectiveConnection();

    CollectiveConnection(const CollectiveConnection&) = delete;
    CollectiveConnection& operator=(const CollectiveConnection&) = delete;

    /// @return which ranks it joins
    const Ends& GetEnds() const
    {
        return m_ends;
    }

    /**
     * Sends a message.
     * @param bytes its length
     * @param user hears when it has gone
     */
    void Send(uint64_t bytes, CollectiveConnectionUser& user);

    /**
     * Takes the next message, if it is there; otherwise the user hears once when it is.
     * @param bytes the length that it must have; another length fails the connection
     * @param user who waits
     * @return true if it was taken
     */
    bool Take(uint64_t bytes, CollectiveConnectionUser& user);

    /// Forgets all users: nothing is reported any more.
    void Abandon();

    /// @return what carries it, for reports
    virtual std::string Describe() const = 0;

  protected:
    /// Hands a message to what carries it. @param bytes length @param number of it, from 0
    virtual void Transmit(uint64_t bytes, uint32_t number) = 0;

    /// To be called at the sender when the oldest message has gone.
    void Departed();

    /// To be called at the receiver when the next message is whole. @param bytes its length
    void Arrived(uint64_t bytes);

    /// To be called when it cannot go on. @param why the reason, without the ranks
    void Fail(const std::string& why);

  private:
    /// A message that has arrived.
    struct Message
    {
        uint64_t bytes;
        int64_t readyAt; ///< time steps
    };

    void Ready();

    Ends m_ends;
    FailureCallback m_failure;

    // at the sender
    uint32_t m_sent{0};
    boost::circular_buffer<CollectiveConnectionUser*> m_senders; ///< of messages on the way

    // at the receiver
    uint32_t m_node;
    int64_t m_stepOverhead;
    boost::circular_buffer<Message> m_messages; ///< that nobody has taken
    CollectiveConnectionUser* m_waiting{nullptr};
    WakeUp<CollectiveConnection, &CollectiveConnection::Ready> m_wakeUp;
};

} // namespace ns3

#endif // COLLECTIVE_CONNECTION_H
