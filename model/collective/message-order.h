// SPDX-License-Identifier: GPL-2.0-only
#ifndef MESSAGE_ORDER_H
#define MESSAGE_ORDER_H

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief Puts numbered messages, each of several parts, back into their order.
 *
 * Parts that travel by different queue pairs, or by one that delivers out of order, come as they
 * like; a message is whole when all its parts have come, and due when all before it are.
 */
class MessageOrder
{
  public:
    /// @param parts of each message
    explicit MessageOrder(uint32_t parts)
        : m_parts(parts)
    {
    }

    /**
     * A part has come.
     * @param number of its message, counted from 0
     * @param bytes of the part
     * @param due called with the bytes of each message that is due now, in order
     */
    template <typename Due>
    void Come(uint32_t number, uint64_t bytes, Due due)
    {
        if (m_parts == 1 && number == m_next && m_early.empty())
        {
            ++m_next; // the common case
            due(bytes);
            return;
        }
        Early& message = m_early[number];
        ++message.parts;
        message.bytes += bytes;
        for (auto first = m_early.find(m_next);
             first != m_early.end() && first->second.parts == m_parts;
             first = m_early.find(m_next))
        {
            uint64_t whole = first->second.bytes;
            m_early.erase(first);
            ++m_next;
            due(whole);
        }
    }

  private:
    /// A message that is not due.
    struct Early
    {
        uint32_t parts{0};
        uint64_t bytes{0};
    };

    uint32_t m_parts;
    uint32_t m_next{0};
    std::map<uint32_t, Early> m_early; ///< by number
};

} // namespace ns3

#endif // MESSAGE_ORDER_H
