// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "persistent-event.h"

#include "ns3/channel.h"
#include "ns3/fabric-frame.h"
#include "ns3/random-variable-stream.h"

#include <array>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief A full-duplex cable between two ports.
 *
 * Frames in flight stand in one FIFO a direction, each with its time of arrival; one event a
 * direction is pending, for the head. A frame may be lost on the way: by LossRate, or by a filter
 * that a test or a fault sets. Pause frames can be lost as any other.
 */
class FabricChannel : public Channel
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
     * Carries a frame to the other end.
     * @param end index of the sending end, 0 or 1
     * @param frame the frame
     * @param lastBitSteps from now until its last bit is on the cable, time steps
     * @param now time steps
     */
    void Transmit(uint32_t end, FramePtr frame, int64_t lastBitSteps, int64_t now);

    /// @param stream first stream to use @return how many were used
    int64_t AssignStreams(int64_t stream);

    /// @return frames lost so far, both directions
    uint64_t GetLostFrames() const;

  protected:
    void DoDispose() override;

  private:
    /// What travels from one end to the other.
    class Direction
    {
      public:
        explicit Direction(FabricChannel* channel);
        void Deliver();

        FabricChannel* channel;
        FabricNetDevice* receiver{nullptr};
        FrameFifo inFlight;
        Ptr<PersistentEvent<Direction, &Direction::Deliver>> deliver;
    };

    bool IsLost(const FabricFrame& frame);

    Direction m_fromEnd0;
    Direction m_fromEnd1;
    int64_t m_delaySteps{0};
    double m_lossRate{0};
    bool m_filtered{false};
    uint64_t m_lostFrames{0};
    Callback<bool, const FabricFrame&> m_lossFilter;
    Ptr<UniformRandomVariable> m_random;
    std::array<Ptr<FabricNetDevice>, 2> m_devices;
};

} // namespace ns3

#endif // FABRIC_CHANNEL_H
