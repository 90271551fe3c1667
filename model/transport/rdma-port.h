// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_PORT_H
#define RDMA_PORT_H

#include "rdma-path.h"

#include "ns3/object.h"

#include <array>
#include <vector>

namespace ns3
{

class CreditPacer;
class QueuePair;
class RdmaNic;

/**
 * @ingroup ai-fabric
 * @brief What attaches an RDMA NIC to a network: FabricRdmaPort to a FabricNetDevice, UdpRdmaPort
 * to an ns-3 Internet stack.
 *
 * The port has the scheduler of its queue pairs. When the network is free it asks for a frame of an
 * open class, and the next queue pair of that class's round gives one. A pair that its pacing rate
 * holds waits in a heap by its time; a pair without work or with a full window is in neither. So
 * what one pair waits for never delays another.
 */
class RdmaPort : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaPort();
    ~RdmaPort() override;

    /// Called by RdmaNic::AddPort. @param nic whose port it is
    void SetNic(RdmaNic* nic)
    {
        m_nic = nic;
    }

    /// @return the NIC
    RdmaNic& GetNic() const
    {
        return *m_nic;
    }

    // ---- the network

    /// @return bits a second on the wire, each way
    virtual double GetLineRateBps() const = 0;
    /// @param frameBytes size of a frame @return its time on the wire with preamble and gap, steps
    virtual int64_t SlotSteps(uint32_t frameBytes) const = 0;
    /// @return bytes on the wire of a frame besides its sizeBytes
    virtual uint32_t GetFrameOverhead() const = 0;
    /// @return id of the node, as an event context
    virtual uint32_t GetNodeId() const = 0;
    /// @param trafficClass 0 to 7 @param now time steps @return how long PFC has held it, in all
    virtual int64_t PausedSteps(uint32_t trafficClass, int64_t now) const = 0;
    /// @param ipv6 which version @return the port's address
    virtual RdmaAddress GetAddress(bool ipv6) const = 0;
    /// @return the port's MAC address; zeros where another layer sets it
    virtual Mac48Address GetMac() const = 0;

    /**
     * Finds the way to an address.
     * @param destination where to
     * @param neighbor MAC of the destination, if it is on the same link; all zeros: not known
     * @return the path; its UDP source port and hash are still to be set
     */
    virtual RdmaPath ResolvePath(const RdmaAddress& destination, Mac48Address neighbor) const = 0;

    /// Sends an ACK, NAK or CNP, ahead of what is scheduled. @param frame ready to go
    virtual void SendNow(FramePtr frame) = 0;
    /// Hears frames that are sent to a multicast group. @param group its address
    virtual void JoinGroup(const RdmaAddress& group) = 0;

    // ---- for the NIC

    /// A pair may have something to send. @param qp the pair
    void Activate(QueuePair& qp);

    /// @return who gives credit to the senders of its pairs; made when first asked for
    CreditPacer& Credit();

  protected:
    /// The scheduler has something for a network that may be idle.
    virtual void Kick() = 0;

    /// Has the processor fetch what the next PullFrame() will need.
    void PrefetchPull() const;

    /// @param now time steps @return bit c: PullFrame(c) may give a frame
    uint8_t ReadyClasses(int64_t now);
    /// @param trafficClass one of ReadyClasses() @param now time steps
    /// @return the next frame; null if nothing is left to send after all
    FramePtr PullFrame(uint32_t trafficClass, int64_t now);
    /// @param closed bit c: class c does not count @param now time steps
    /// @return when a frame will be ready; NEVER if none waits
    int64_t NextReadyTime(int64_t now, uint8_t closed) const;

    void DoDispose() override;

  private:
    /// A class's round: pairs that may send, in turn.
    struct Round
    {
        QueuePair* head{nullptr};
        QueuePair* tail{nullptr};
    };

    /// A pair that waits for its pacing rate.
    struct Paced
    {
        int64_t when;
        uint64_t order; ///< breaks ties: first come, first served
        QueuePair* qp;

        bool operator<(const Paced& o) const // std::push_heap keeps the largest in front
        {
            return when != o.when ? when > o.when : order > o.order;
        }
    };

    void Place(QueuePair& qp, int64_t freeAt);
    void PutInRound(QueuePair& qp);
    void LineUpLastSender();
    void Promote(int64_t now);

    RdmaNic* m_nic{nullptr};
    uint8_t m_ready{0}; ///< bit c: class c's round is not empty
    std::array<Round, N_TRAFFIC_CLASSES> m_rounds;
    /// The pair that sent last, if it may send again: it lines up when its frame has gone, behind
    /// those whose pace lets them go until then. Else a pair that is not paced would go twice for
    /// each time that one goes whose pace ends meanwhile.
    QueuePair* m_lastSender{nullptr};
    std::vector<Paced> m_paced; ///< heap
    uint64_t m_pacedOrder{0};
    Ptr<CreditPacer> m_credit; ///< null where nobody gives credit
};

} // namespace ns3

#endif // RDMA_PORT_H
