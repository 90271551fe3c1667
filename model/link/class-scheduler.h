// SPDX-License-Identifier: GPL-2.0-only
#ifndef CLASS_SCHEDULER_H
#define CLASS_SCHEDULER_H

#include "deficit-round-robin.h"
#include "ets-scheduler.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace ns3
{

/**
 * @brief Picks the traffic class of a port's next frame: strict priority for some classes (the
 * highest number first), deficit weighted round robin or ETS over the others.
 */
class ClassScheduler
{
  public:
    /// @param classes bit c: class c is served strictly before those of lower number and the
    /// others; one that has a share of ETS is not strict
    void SetStrictClasses(uint8_t classes)
    {
        m_strictClasses = classes;
        Combine();
    }

    /// @param ets shares the link among the classes that are not strict; null: DWRR does
    void SetEts(std::unique_ptr<EtsScheduler> ets)
    {
        m_ets = std::move(ets);
        Combine();
    }

    /// @param trafficClass 0 to 7 @param bytes its share of a round of DWRR, at least 1
    void SetQuantum(uint32_t trafficClass, uint32_t bytes)
    {
        m_roundRobin.SetQuantum(trafficClass, bytes);
    }

    /**
     * @param ready bit c: class c has a frame and may send; at least one bit is set
     * @return the class to serve
     */
    uint32_t Pick(uint8_t ready)
    {
        if (uint8_t strict = ready & m_strict)
        {
            return 31 - __builtin_clz(strict);
        }
        return m_ets ? m_ets->Pick(ready) : m_roundRobin.Pick(ready);
    }

    /// Charges a frame. @param trafficClass its class @param bytes its size
    void Charge(uint32_t trafficClass, uint32_t bytes)
    {
        if (m_ets)
        {
            m_ets->Charge(trafficClass, bytes);
        }
        else
        {
            m_roundRobin.Charge(trafficClass, bytes);
        }
    }

  private:
    void Combine()
    {
        m_strict = m_strictClasses & (m_ets ? ~m_ets->GetClasses() : 0xff);
    }

    uint8_t m_strict{0};
    uint8_t m_strictClasses{0};
    std::unique_ptr<EtsScheduler> m_ets;
    DeficitRoundRobin m_roundRobin;
};

} // namespace ns3

#endif // CLASS_SCHEDULER_H
