// SPDX-License-Identifier: GPL-2.0-only
#ifndef CREDIT_FLOW_CONTROL_H
#define CREDIT_FLOW_CONTROL_H

#include "link-flow-control.h"
#include "persistent-event.h"

#include "ns3/nstime.h"
#include "ns3/wire-format.h"

#include <array>
#include <string>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief Credit flow control: the receiver has a buffer a traffic class, and says how far the
 * sender may go; a class that has no credit for a largest frame is not sent.
 *
 * After the InfiniBand architecture, volume 1, 7.9 (NVLink's is not published and is assumed to be
 * alike). Memory is counted in blocks; a frame takes whole ones. The receiver counts the blocks
 * that have come since the link came up, and says in a credit frame the limit
 *
 *     FCCL = blocks arrived + size of the buffer - blocks that it still holds,
 *
 * and the sender sends while the blocks sent, with those of a largest frame, do not pass it. In the
 * same frame the receiver tells, as a sender, how much it has sent (FCTBS), so that what was lost
 * on the way is not missed for ever. Both wrap around at some bits. A limit never shrinks, so a
 * lost credit frame costs time only; the next one repairs it.
 *
 * A credit frame goes when what has been freed since the last one reaches UpdateBytes, and again
 * after Refresh for as long as frames come or go, and once more. It precedes all other frames.
 */
class CreditFlowControl : public LinkFlowControl
{
  public:
    /// What it is made of.
    struct Config
    {
        uint8_t classes{0};        ///< bit c: class c goes by credits; the others are not held
        uint64_t bufferBytes{0};   ///< of each of them, at this end
        uint32_t blockBytes{64};   ///< unit of credit
        uint32_t counterBits{16};  ///< of FCCL and FCTBS: 12 in InfiniBand
        uint32_t maxFrameBytes{0}; ///< largest frame that either end sends
        uint64_t updateBytes{0}; ///< freed memory that is worth a frame; 0: a quarter of the buffer
        uint32_t frameBytes{16}; ///< size of a credit frame
        Time refresh;            ///< period of repetition; 0: never
    };

    /// @param port whose flow control it is @param config what it is made of
    CreditFlowControl(FabricNetDevice& port, const Config& config);

    /**
     * @param config what a port is made of
     * @return empty, or why it cannot work, with the figures
     */
    static std::string Check(const Config& config);

    /// @return what it is made of
    const Config& GetConfig() const
    {
        return m_config;
    }

    /// @param trafficClass a class by credits @return blocks that may be sent now
    uint64_t GetCreditBlocks(uint32_t trafficClass) const
    {
        return m_tx[trafficClass].limit - m_tx[trafficClass].sent;
    }

    /// @param bytes size of a frame @return blocks that it takes
    uint64_t BlocksOf(uint64_t bytes) const
    {
        return (bytes + m_config.blockBytes - 1) / m_config.blockBytes;
    }

    // LinkFlowControl
    void Start() override;
    void Obey(const FabricFrame& frame) override;
    void LinkChanged(bool up) override;
    bool CountsFrames() const override;
    void FrameSent(const FabricFrame& frame, int64_t slotEnd) override;
    void FrameArrived(uint32_t trafficClass, uint32_t bytes) override;
    void MemoryChanged(uint32_t trafficClass) override;
    void Fill(FabricFrame& frame) override;

  private:
    /// The sending side of a class; in blocks since the link came up.
    struct Sender
    {
        uint64_t sent{0};
        uint64_t limit{0};
        bool held{false};
    };

    /// The receiving side of a class; likewise.
    struct Receiver
    {
        uint64_t arrived{0};
        uint64_t announced{0}; ///< the limit that was sent last
    };

    uint64_t Limit(uint32_t trafficClass) const;
    void HoldOrOpen(uint32_t trafficClass, int64_t since);
    void Refresh();
    void KeepRefreshing();

    FabricNetDevice& m_port;
    Config m_config;
    uint64_t m_bufferBlocks;
    uint64_t m_maxFrameBlocks;
    uint64_t m_updateBlocks;
    uint16_t m_mask;     ///< of counters on the wire
    bool m_moved{false}; ///< a frame has come or gone since the last refresh
    std::array<Sender, N_TRAFFIC_CLASSES> m_tx{};
    std::array<Receiver, N_TRAFFIC_CLASSES> m_rx{};
    WakeUp<CreditFlowControl, &CreditFlowControl::Refresh> m_refresh;
};

} // namespace ns3

#endif // CREDIT_FLOW_CONTROL_H
