// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_CONNECTION_H
#define COLLECTIVE_CONNECTION_H

#include "collective-costs.h"

#include "ns3/persistent-event.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// What uses a connection: a thread of a collective program.
class CollectiveConnectionUser
{
  public:
    virtual ~CollectiveConnectionUser() = default;
    /// The oldest message that this user sent has left (scale-up) or is acknowledged (network).
    virtual void SendCompleted() = 0;
    /// What this user waits for has come: a message, or room at the receiver.
    virtual void MayGoOn() = 0;
};

/**
 * @ingroup ai-fabric
 * @brief A one-way connection of a communicator, on a channel: from one rank to another, from a
 * group to one rank by way of a switch that adds up, or from one rank to a group by way of a switch
 * that copies.
 *
 * Messages arrive in order and are taken in order; a message can be taken once the step overhead
 * has passed since its arrival. The receiver has room for a window of messages: a sender that is
 * ahead of it by as many waits. With several receivers the slowest one decides, and with several
 * senders each has its own window.
 */
class CollectiveConnection
{
  public:
    /// Called with what went wrong.
    using FailureCallback = std::function<void(const std::string&)>;

    /// The two ends.
    struct Ends
    {
        MessageWay way;
        uint32_t channel;
        std::vector<uint32_t> sources;      ///< ranks; one, unless it is a reduction
        std::vector<uint32_t> destinations; ///< ranks; one, unless it is a multicast
    };

    /**
     * @param ends which ranks it joins
     * @param nodes of the receivers, as event contexts
     * @param costs overheads
     * @param network it goes by the network
     * @param failure called when it cannot go on
     */
    CollectiveConnection(const Ends& ends,
                         std::vector<uint32_t> nodes,
                         Ptr<const CollectiveCosts> costs,
                         bool network,
                         FailureCallback failure);
    virtual ~CollectiveConnection();

    CollectiveConnection(const CollectiveConnection&) = delete;
    CollectiveConnection& operator=(const CollectiveConnection&) = delete;

    /// @return which ranks it joins
    const Ends& GetEnds() const
    {
        return m_ends;
    }

    /// @return it goes by the network
    bool IsNetwork() const
    {
        return m_network;
    }

    // ---- a sender

    /**
     * @param source one of the sources
     * @param window messages that receivers have room for
     * @param user hears once when there is room, if there is none now
     * @return true if there is room for a message
     */
    bool HasRoom(uint32_t source, uint32_t window, CollectiveConnectionUser& user);

    /**
     * Sends a message; there must be room.
     * @param source one of the sources
     * @param bytes its length on the wire
     * @param pace time that the source takes to write it, from now on, time steps
     * @param user hears when it has gone
     * @param batch that it is one of
     */
    void Send(uint32_t source,
              uint64_t bytes,
              int64_t pace,
              CollectiveConnectionUser& user,
              const MessageBatch& batch = {});

    // ---- a receiver

    /**
     * @param destination one of the destinations
     * @param protocol by which the message is to come
     * @param user hears once when it is there, if it is not there now
     * @param batch that it is one of
     * @return true if the next message can be taken
     */
    bool IsReady(uint32_t destination,
                 CollectiveProtocol protocol,
                 CollectiveConnectionUser& user,
                 const MessageBatch& batch = {});

    /**
     * Takes the next message, which is ready; it keeps its slot until Release().
     * @param destination one of the destinations
     * @param bytes the length on the wire that it must have; another length fails the connection
     * @return true if it has that length
     */
    bool Take(uint32_t destination, uint64_t bytes);

    /// The oldest message that was taken has been worked on. @param destination who took it
    void Release(uint32_t destination);

    // ---- who waits for whom

    /// What was waited for in a collective, by the sum of both ends' threads.
    struct Waits
    {
        uint64_t collective{UINT64_MAX}; ///< its number on the communicator
        int64_t starved{0};              ///< receivers waited for messages, time steps
        int64_t blocked{0};              ///< senders waited for room, time steps
    };

    /// @param collective in which @param forRoom a sender waited, else a receiver @param steps how
    /// long
    void Waited(uint64_t collective, bool forRoom, int64_t steps);

    /// @return what was waited for in the last collective that used it
    const Waits& GetWaits() const
    {
        return m_waits;
    }

    // ----

    /// Forgets all users: nothing is reported any more.
    void Abandon();

    /// @return what carries it, for reports
    virtual std::string Describe() const = 0;

    /// @return its ranks and channel, for reports
    std::string DescribeEnds() const;

  protected:
    /**
     * Hands a message to what carries it.
     * @param sender index of the source
     * @param bytes length
     * @param pace time that writing it takes, from now on, time steps
     * @param batch that it is one of
     */
    virtual void Transmit(uint32_t sender,
                          uint64_t bytes,
                          int64_t pace,
                          const MessageBatch& batch) = 0;

    /**
     * A message that a receiver waits for has arrived.
     * @param batch that it is one of
     * @param arrival of the message, time steps
     * @return since when all of the batch are there, time steps; NEVER: not yet, and CheckFront()
     * is to be called when they are. By default messages do not wait for each other.
     */
    virtual int64_t GetArrivalOfAll(const MessageBatch& batch, int64_t arrival);

    /// Looks again whether the next message is ready for who waits. @param receiver index
    void CheckFront(uint32_t receiver);

    /**
     * Tells the senders that a slot is free; Freed() is to be called at each of them when it knows.
     * The default takes the time that CollectiveCosts says.
     * @param receiver index of the destination
     */
    virtual void ReturnSlot(uint32_t receiver);

    /// To be called at a sender when its oldest message has gone. @param sender index
    void Departed(uint32_t sender);

    /// To be called at a receiver when the next message is whole. @param receiver index
    /// @param bytes its length
    void Arrived(uint32_t receiver, uint64_t bytes);

    /// To be called at the senders when a receiver has freed a slot. @param receiver index
    void Freed(uint32_t receiver);

    /// To be called when it cannot go on. @param why the reason, without the ranks
    void Fail(const std::string& why);

    /// @return what a message costs
    const CollectiveCosts& GetCosts() const
    {
        return *m_costs;
    }

    /// @param receiver index @return the node of it
    uint32_t GetNode(uint32_t receiver) const
    {
        return m_receivers[receiver].node;
    }

  private:
    /// A message that has arrived.
    struct Message
    {
        uint64_t bytes;
        int64_t arrival; ///< time steps
    };

    /// One source.
    struct Sender
    {
        uint64_t sent{0};
        CollectiveConnectionUser* waiting{nullptr};                 ///< for room
        boost::circular_buffer<CollectiveConnectionUser*> onTheWay; ///< users of what has not gone
    };

    /// One destination.
    struct Receiver
    {
        Receiver();
        void Ready();
        void SlotReturned();

        CollectiveConnection* connection{nullptr};
        uint32_t index{0};
        uint32_t node{0};
        uint64_t freed{0};                        ///< slots, as the senders know
        boost::circular_buffer<Message> messages; ///< that nobody has taken
        boost::circular_buffer<int64_t> returns;  ///< when the senders know of freed slots
        CollectiveConnectionUser* waiting{nullptr};
        MessageBatch batch{}; ///< of what is waited for
        WakeUp<Receiver, &Receiver::Ready> readyEvent;
        WakeUp<Receiver, &Receiver::SlotReturned> returnEvent;
        int64_t overhead{0}; ///< of what is waited for, time steps
    };

    /// @return when what the receiver waits for can be taken, time steps; NEVER: not known yet
    int64_t GetReadyTime(const Receiver& receiver);

    uint64_t LeastFreed() const;
    static size_t IndexOf(const std::vector<uint32_t>& ranks, uint32_t rank);

    Ends m_ends;
    Ptr<const CollectiveCosts> m_costs;
    FailureCallback m_failure;
    Waits m_waits;
    bool m_network;
    std::vector<Sender> m_senders;
    std::vector<Receiver> m_receivers;
};

} // namespace ns3

#endif // COLLECTIVE_CONNECTION_H
