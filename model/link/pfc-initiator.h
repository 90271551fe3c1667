// SPDX-License-Identifier: GPL-2.0-only
#ifndef PFC_INITIATOR_H
#define PFC_INITIATOR_H

#include "persistent-event.h"

#include "ns3/wire-format.h"

#include <array>
#include <cstdint>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief Stops and opens the traffic classes of a link's far end (the "PFC initiator" of IEEE
 * 802.1Q clause 36): sends the pause, repeats it before its quanta run out, sends the resume.
 *
 * Whoever owns the memory behind the port decides when: a switch, or the receive buffer of a NIC.
 * It must stay where it is while an event of its own is pending.
 */
class PfcInitiator
{
  public:
    PfcInitiator();

    /**
     * @param port whose far end is meant
     * @param quanta what a pause asks for (units of 512 bit times), at least 1
     */
    void Configure(FabricNetDevice& port, uint16_t quanta);

    /// Stops a class, and keeps it stopped. @param trafficClass 0 to 7
    void Pause(uint32_t trafficClass)
    {
        PauseClasses(1U << trafficClass);
    }

    /// Opens a class. @param trafficClass 0 to 7
    void Resume(uint32_t trafficClass)
    {
        ResumeClasses(1U << trafficClass);
    }

    /// Stops several classes by one frame. @param classes bit c: class c
    void PauseClasses(uint8_t classes);

    /// Opens several classes by one frame. @param classes bit c: class c
    void ResumeClasses(uint8_t classes);

    /// Forgets what is stopped without a word: the link has gone down.
    void Reset();

    /// @return bit c: class c is stopped
    uint8_t GetPausing() const
    {
        return m_pausing;
    }

    /// @param trafficClass 0 to 7 @return true: it is stopped
    bool IsPausing(uint32_t trafficClass) const
    {
        return m_pausing & (1U << trafficClass);
    }

  private:
    void Send(uint8_t classes);
    void Refresh();

    FabricNetDevice* m_port{nullptr};
    uint16_t m_quanta{0};
    uint8_t m_pausing{0};
    WakeUp<PfcInitiator, &PfcInitiator::Refresh> m_refresh;
    std::array<int64_t, N_TRAFFIC_CLASSES> m_refreshAt{};
};

} // namespace ns3

#endif // PFC_INITIATOR_H
