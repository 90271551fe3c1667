// SPDX-License-Identifier: GPL-2.0-only
#ifndef CLASS_SCHEDULER_H
#define CLASS_SCHEDULER_H

#include "ns3/wire-format.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief Picks the traffic class of a port's next frame: strict priority for some classes (the
 * highest number first), deficit weighted round robin over the others.
 *
 * DWRR after Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin" (SIGCOMM
 * 1995), charged after the fact: a class is served while its deficit is positive and pays what the
 * frame took, so that the scheduler needs no look at the head of a queue.
 */
class ClassScheduler
{
  public:
    /// @param classes bit c: class c is served strictly before those of lower number and DWRR ones
    void SetStrictClasses(uint8_t classes)
    {
        m_strict = classes;
    }

    /// @param trafficClass 0 to 7 @param bytes its share of a round, at least 1
    void SetQuantum(uint32_t trafficClass, uint32_t bytes)
    {
        m_quantum[trafficClass] = bytes;
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
        if ((ready & (ready - 1)) == 0)
        {
            return __builtin_ctz(ready); // alone: no deficit to weigh
        }
        while (!(ready & (1U << m_current)) || m_deficit[m_current] <= 0)
        {
            if (!(ready & (1U << m_current)))
            {
                m_deficit[m_current] = 0; // an idle class saves nothing
            }
            m_current = (m_current + 1) % N_TRAFFIC_CLASSES;
            if (ready & (1U << m_current))
            {
                m_deficit[m_current] += m_quantum[m_current];
            }
        }
        return m_current;
    }

    /// Charges a frame. @param trafficClass its class @param bytes its size
    void Charge(uint32_t trafficClass, uint32_t bytes)
    {
        // A class that was served although it had spent its share, being alone, owes nothing.
        if (trafficClass == m_current && m_deficit[trafficClass] > 0)
        {
            m_deficit[trafficClass] -= bytes;
        }
    }

  private:
    uint8_t m_strict{0};
    uint8_t m_current{0};
    std::array<int64_t, N_TRAFFIC_CLASSES> m_deficit{};
    std::array<uint32_t, N_TRAFFIC_CLASSES>
        m_quantum{10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000};
};

} // namespace ns3

#endif // CLASS_SCHEDULER_H
