// SPDX-License-Identifier: GPL-2.0-only
#ifndef RECEIVE_BUFFER_H
#define RECEIVE_BUFFER_H

#include "persistent-event.h"
#include "pfc-initiator.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"

#include <array>
#include <cstdint>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief The memory of a NIC that takes frames more slowly than the wire brings them.
 *
 * Frames of all classes wait in one FIFO that is drained at a rate of its own. When it holds more
 * than an upper threshold all classes that the port asks for (PfcSendClasses) are stopped, when it
 * has drained to a lower one they are opened. What does not fit is dropped.
 */
class ReceiveBuffer
{
  public:
    /// What it is made of.
    struct Config
    {
        uint64_t sizeBytes{0};   ///< in all
        uint64_t xoffBytes{0};   ///< stop above this; 0: the size less the headroom of the link
        uint64_t xonBytes{0};    ///< open at this or less; 0: half of xoffBytes
        uint16_t pauseQuanta{0}; ///< what a pause asks for (units of 512 bit times)
        uint8_t classes{0};      ///< bit c: class c is stopped
    };

    /// @param port whose memory it is; its cable has both ends @param config what it is made of
    ReceiveBuffer(FabricNetDevice& port, const Config& config);

    /// From the next frame on. @param rate at which it is drained; 0: at once
    void SetRate(DataRate rate);

    /// A frame has come from the cable. @param frame the frame
    void Arrive(FramePtr frame);

    /// The link has gone down or come up. @param up which
    void LinkChanged(bool up);

    /// @return bytes that wait
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// @param trafficClass 0 to 7 @return bytes of it that wait
    uint64_t GetBytes(uint32_t trafficClass) const
    {
        return m_bytesOf[trafficClass];
    }

    /// @return what stops the sender
    const PfcInitiator& GetPfcInitiator() const
    {
        return m_pfc;
    }

  private:
    void TakeUpFirst();
    void Drain();
    void PassOn();
    void StopOrOpen();

    FabricNetDevice& m_port;
    Config m_config;
    uint64_t m_bitRate{0};
    uint64_t m_bytes{0};
    std::array<uint64_t, N_TRAFFIC_CLASSES> m_bytesOf{}; ///< by class
    int64_t m_firstDoneAt{0}; ///< when the first frame has been taken in, time steps
    FrameFifo m_frames;
    PfcInitiator m_pfc;
    WakeUp<ReceiveBuffer, &ReceiveBuffer::Drain> m_drain;
};

} // namespace ns3

#endif // RECEIVE_BUFFER_H
