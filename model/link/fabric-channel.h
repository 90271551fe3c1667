// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "arrival-event.h"
#include "frame-error-model.h"
#include "persistent-event.h"

#include "ns3/channel.h"
#include "ns3/fabric-frame.h"
#include "ns3/huge-page-arena.h"
#include "ns3/random-stream.h"
#include "ns3/traced-callback.h"

#include <array>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief A full-duplex cable between two ports.
 *
 * Frames in flight stand in one FIFO a direction, each with its time of arrival; one event a
 * direction is pending, for the head. A frame may be lost on the way: by LossRate, by bit errors
 * that FEC does not correct, or by a filter that a test or a fault sets. Pause frames can be lost
 * as any other; the port that sent one remembers that.
 *
 * The link may be down, which both ends know; or one direction may be dead, which nobody is told.
 * What is on the cable then is lost.
 */
class FabricChannel : public Channel, public InHugePages
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricChannel();
    ~FabricChannel() override;

    /// Plugs a device in; a channel has two ends. @param device the port
    void Attach(Ptr<FabricNetDevice> device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /// @param delay one-way propagation delay
    void SetDelay(Time delay);
    /// @return one-way propagation delay
    Time GetDelay() const;

    /**
     * Decides the fate of each frame on this cable.
     * @param lost returns true for a frame that is to be lost; a null callback loses none
     */
    void SetLossFilter(Callback<bool, const FabricFrame&> lost);

    /**
     * @param end index of an end, 0 or 1
     * @param now time steps
     * @return until when nothing arrives there, whatever is sent from now on, time steps; now: that
     * may not be known, since the fabric may be divided over processes
     */
    int64_t GetQuietUntil(uint32_t end, int64_t now) const;

    /**
     * Carries a frame to the other end.
     * @param end index of the sending end, 0 or 1
     * @param frame the frame
     * @param lastBitSteps from its start until its last bit is on the cable, time steps
     * @param start of its preamble, now or later; after what was sent there before, time steps
     */
    void Transmit(uint32_t end, FramePtr frame, int64_t lastBitSteps, int64_t start);

    /**
     * Takes the link down, or brings it up in both directions. Both ends know at once.
     * @param up which
     */
    void SetUp(bool up);

    /**
     * Kills one direction without a word, or mends it: a fault that no end notices by itself.
     * @param fromEnd the sending end, 0 or 1
     * @param up whether frames get through
     */
    void SetDirectionUp(uint32_t fromEnd, bool up);

    /// @return true: the link is up, and what stands behind both ends is running
    bool IsUp() const;

    /// @return true: SetDirectionUp() has killed a direction or both
    bool HasDeadDirection() const
    {
        return m_fromEnd0.cut || m_fromEnd1.cut;
    }

    /**
     * Gives what arrives a fixed place among the events of its time; see ArrivalOrderScheduler.
     * @param atEnd0 number of the port at end 0, unlike that of any other port
     * @param atEnd1 likewise
     */
    void SetArrivalNumbers(uint32_t atEnd0, uint32_t atEnd1);

    /// Called by a device whose latency or node has changed.
    void UpdateReceivers();

    /// Called by a device that is switched on or off, see FabricNetDevice::SetRunning().
    void UpdateState();

    /// Has the processor fetch what sending a frame touches. @param end the sending end
    void PrefetchSend(uint32_t end) const
    {
        __builtin_prefetch(&From(end), 1);
    }

    /// @return what random bit errors do
    const FrameErrorModel& GetErrorModel() const
    {
        return m_errors;
    }

    /// @param stream first stream to use @return how many were used
    int64_t AssignStreams(int64_t stream);

    /// @return frames lost so far, both directions
    uint64_t GetLostFrames() const;

    /// Signature of DeadDirection. @param dead true: a direction is dead now; false: none is
    typedef void (*DeadDirectionTracedCallback)(bool dead);

  protected:
    void DoDispose() override;

    /// @return a frame may be lost on the way
    bool MayLose() const
    {
        return m_fromEnd0.mayLose;
    }

    /// What is sent from an end goes to SendAway() from now on. @param end 0 or 1
    void SetAway(uint32_t end);

    /**
     * Takes a frame that is not to be carried here: another process simulates the far end.
     * @param end the sending end
     * @param frame its journey and its time of arrival are what they are to be there
     */
    virtual void SendAway(uint32_t end, FramePtr frame);

    /// @return what the attribute Delay says: ns-3's MPI simulators take it for how far one end may
    /// be ahead of the other
    virtual Time GetLookahead() const;

    /// Carries a frame on that another process has sent. @param end the sending end
    /// @param frame its time of arrival has not come yet
    void TakeOver(uint32_t end, FramePtr frame);

  private:
    /// What travels from one end to the other; the event of the head's arrival. With the event, one
    /// cache line is all that a frame's delivery touches of it.
    class alignas(64) Direction : public FabricEvent
    {
      public:
        explicit Direction(FabricChannel* channel);
        ~Direction();
        void Deliver();
        void DeliverIn(int64_t steps);
        void SetDead(bool isDead);
        void Dispose();

        uint16_t stale{0};    ///< events whose frame was lost when the direction died
        bool dead{false};     ///< what is sent is lost
        bool mayLose : 1;     ///< any of the causes, see UpdateLosses()
        bool away : 1;        ///< what is sent goes to SendAway()
        bool hasArrivals : 1; ///< `arrival` says the place among the events of its time
        FabricNetDevice* receiver{nullptr};
        FabricChannel* channel;
        FrameFifo inFlight;
        int64_t flight{0}; ///< cable and what follows at the receiver, time steps

        // The second cache line, which is seldom looked at.
        uint32_t receiverId{UINT32_MAX}; ///< its node, as an event context
        bool cut{false};                 ///< by SetDirectionUp()
        Ptr<ArrivalEvent> arrival;       ///< null where arrivals have no numbers

      private:
        void DeliverInOrder(int64_t steps);
        static void Fire(FabricEvent& event);
        static void Prefetch(const FabricEvent& event, Stage stage);

        static constexpr Kind KIND{&Fire, &Prefetch};
    };

    /// @param end 0 or 1 @return what it sends
    Direction& From(uint32_t end)
    {
        return end == 0 ? m_fromEnd0 : m_fromEnd1;
    }

    /// @param end 0 or 1 @return what it sends
    const Direction& From(uint32_t end) const
    {
        return end == 0 ? m_fromEnd0 : m_fromEnd1;
    }

    static void Carry(Direction& way, FramePtr frame);
    FabricNetDevice* SenderOf(const Direction& way) const;
    bool IsLost(const FabricFrame& frame);
    void Lose(Direction& way, const FabricFrame& frame);
    void SetLossRate(double rate);
    double GetLossRate() const;
    void SetBitErrorRate(double rate);
    double GetBitErrorRate() const;
    void SetFec(FrameErrorModel::Fec fec);
    FrameErrorModel::Fec GetFec() const;
    void UpdateLosses();

    Direction m_fromEnd0;
    Direction m_fromEnd1;
    int64_t m_delaySteps{0};
    bool m_filtered{false};
    double m_lossRate{0};
    double m_bitErrorRate{0};
    FrameErrorModel m_errors;
    FrameErrorModel::Fec m_fec{FrameErrorModel::FEC_NONE};
    TracedCallback<bool> m_deadDirectionTrace;
    bool m_up{true};    ///< by SetUp()
    bool m_wasUp{true}; ///< what both ends have been told
    uint64_t m_lostFrames{0};
    Callback<bool, const FabricFrame&> m_lossFilter;
    RandomStream m_random;
    std::array<Ptr<FabricNetDevice>, 2> m_devices;
};

} // namespace ns3

#endif // FABRIC_CHANNEL_H
