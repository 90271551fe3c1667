// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_EXCHANGE_H
#define FRAME_EXCHANGE_H

#include "frame-message.h"

#include "ns3/simulation-windows.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Windows of simulated time between which processes exchange frames, by MPI.
 *
 * A frame that leaves a process at t arrives at another no earlier than t and the least delay of a
 * cable between two processes, the lookahead. So with the earliest event of all processes at T,
 * each can call its events before T + lookahead without hearing from the others. Then it sends
 * each of them what it has for it, all frames of the window as one message, and T is found anew.
 *
 * Only where ns-3 has MPI.
 */
class FrameExchange : public SimulationWindows
{
  public:
    /// What takes a frame that has come. @param port it goes to @param frame it
    using Receiver = void (*)(uint32_t port, FramePtr frame);

    /// ns-3's MpiInterface is enabled.
    FrameExchange();
    ~FrameExchange() override;

    /// @return the one there is; null: frames go by ns-3's MPI simulators, or not at all
    static FrameExchange* Active()
    {
        return g_active;
    }

    /// @param lookahead of a cable between this process and another one, time steps
    void Bound(int64_t lookahead);

    /// @param receive what takes frames that come
    void SetReceiver(Receiver receive)
    {
        m_receive = receive;
    }

    /// @param process a rank @param port that the frame goes to @param frame it; its time of
    /// arrival is set
    void Send(uint32_t process, uint32_t port, const FabricFrame& frame);

    // SimulationWindows
    uint32_t GetRank() const override;
    uint64_t Next(uint64_t next, bool stopped) override;

  private:
    /// What each process tells each other one between two windows.
    struct Word
    {
        uint64_t next;      ///< earliest event known of, time steps
        uint64_t lookahead; ///< least one known of, time steps
        uint64_t stopped;   ///< 1: the simulation has been stopped
        uint64_t bytes;     ///< of frames that follow
    };

    void PassFrames();

    static FrameExchange* g_active;

    uint32_t m_rank;
    uint64_t m_lookahead{NO_TIME};
    uint64_t m_firstArrival{NO_TIME}; ///< of frames that have not left yet, time steps
    Receiver m_receive{nullptr};
    std::vector<FrameMessage> m_out;        ///< by process
    std::vector<std::vector<uint8_t>> m_in; ///< likewise
    std::vector<Word> m_told;               ///< likewise
    std::vector<Word> m_heard;              ///< likewise
};

} // namespace ns3

#endif // FRAME_EXCHANGE_H
