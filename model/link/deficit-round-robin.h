// SPDX-License-Identifier: GPL-2.0-only
#ifndef DEFICIT_ROUND_ROBIN_H
#define DEFICIT_ROUND_ROBIN_H

#include "ns3/wire-format.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief Serves up to 8 members in proportion to their quanta, in bytes.
 *
 * DWRR after Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin" (SIGCOMM
 * 1995), charged after the fact: a member is served while its deficit is positive and pays what the
 * frame took, so that the scheduler needs no look at the head of a queue.
 */
class DeficitRoundRobin
{
  public:
    /// @param member 0 to 7 @param bytes its share of a round, at least 1
    void SetQuantum(uint32_t member, uint32_t bytes)
    {
        m_quantum[member] = bytes;
    }

    /// @param ready bit m: member m has a frame and may send; at least one is set @return whose
    /// turn
    uint32_t Pick(uint8_t ready)
    {
        if ((ready & (ready - 1)) == 0)
        {
            return __builtin_ctz(ready); // alone: no deficit to weigh
        }
        while (!(ready & (1U << m_current)) || m_deficit[m_current] <= 0)
        {
            if (!(ready & (1U << m_current)))
            {
                m_deficit[m_current] = 0; // an idle member saves nothing
            }
            m_current = (m_current + 1) % N_TRAFFIC_CLASSES;
            if (ready & (1U << m_current))
            {
                m_deficit[m_current] += m_quantum[m_current];
            }
        }
        return m_current;
    }

    /// Charges a frame. @param member whose @param bytes its size
    void Charge(uint32_t member, uint32_t bytes)
    {
        // One that was served although it had spent its share, being alone, owes nothing.
        if (member == m_current && m_deficit[member] > 0)
        {
            m_deficit[member] -= bytes;
        }
    }

  private:
    uint8_t m_current{0};
    std::array<int64_t, N_TRAFFIC_CLASSES> m_deficit{};
    std::array<uint32_t, N_TRAFFIC_CLASSES>
        m_quantum{10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000};
};

} // namespace ns3

#endif // DEFICIT_ROUND_ROBIN_H
