// SPDX-License-Identifier: GPL-2.0-only
#ifndef REMOTE_FABRIC_CHANNEL_H
#define REMOTE_FABRIC_CHANNEL_H

#include "fabric-channel.h"

#include "ns3/packet.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A cable of a network that is divided over processes.
 *
 * Each process has all nodes, ports and cables, and simulates the nodes whose system id is its
 * rank. Where that is both ends, the cable is as any other. Where it is one, what that end sends
 * goes to the other process in a FrameMessage and arrives there when it would have arrived here, to
 * the time step. What the ports of other processes' nodes seem to send is dropped: they are only
 * there to be known. At the far end frames take their places among those in flight, and their
 * arrivals are events as any other.
 *
 * With a FrameExchange the frames of a window are one message, and the lookahead is the delay. With
 * ns-3's MPI simulators a frame need not leave this process before the lookahead makes it; until
 * then it waits for others to the same process, for messages cost more than frames. Half of the
 * delay is for that, and the other half is the lookahead: the attribute Delay of a cut cable says
 * so.
 *
 * A cable between processes cannot lose frames, for the two ends would have to agree on which.
 */
class RemoteFabricChannel : public FabricChannel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RemoteFabricChannel();
    ~RemoteFabricChannel() override;

    /**
     * Divides the cable as its ends' nodes say, and gives arrivals their numbers
     * (SetArrivalNumbers()); both ends are plugged in. Where there is one process, only the latter.
     * @param port0 number of the port at end 0, unlike that of any other port, and the same in all
     * processes
     * @param port1 likewise
     */
    void Divide(uint32_t port0, uint32_t port1);

    /// @return its ends belong to two processes
    bool IsCut() const
    {
        return m_cut;
    }

  protected:
    void DoDispose() override;
    void SendAway(uint32_t end, FramePtr frame) override;
    Time GetLookahead() const override;

  private:
    class Outbox;
    static void ReceiveMessage(Ptr<Packet> message);
    static void Receive(uint32_t port, FramePtr frame);
    bool IsOwn(uint32_t end) const;

    bool m_cut{false};
    uint32_t m_ownEnd{0};  ///< of a cut cable
    uint32_t m_ownPort{0}; ///< its port's number
    uint32_t m_farPort{0}; ///< of the other one
    uint32_t m_farRank{0}; ///< of its process
};

} // namespace ns3

#endif // REMOTE_FABRIC_CHANNEL_H
