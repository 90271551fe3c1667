// SPDX-License-Identifier: GPL-2.0-only
#include "pat-schedule.h"

#include <algorithm>

namespace ns3
{

namespace
{

uint32_t
RoundUpToPowerOfTwo(uint32_t number)
{
    uint32_t power = 1;
    while (power < number)
    {
        power *= 2;
    }
    return power;
}

/// Makes the messages of an all-gather.
class PatMaker
{
  public:
    PatMaker(uint32_t ranks, const PatWidth& width)
        : m_ranks(ranks),
          m_width(width)
    {
        uint32_t power = RoundUpToPowerOfTwo(ranks);
        m_spacing = power / width.trees;
        for (uint32_t distance = power / 2; distance >= m_spacing; distance /= 2)
        {
            Add(distance, 0, 2 * distance);
        }
        Walk(0, m_spacing / 2);
    }

    std::vector<PatMessage> Take()
    {
        return std::move(m_messages);
    }

  private:
    /// The blocks first, first + spacing, ... whose next place is a rank's, in messages.
    void Add(uint32_t distance, uint32_t first, uint32_t spacing)
    {
        PatMessage message{distance, {}};
        for (uint64_t block = first; block + distance < m_ranks; block += spacing)
        {
            if (message.blocks.size() == m_width.blocksPerMessage)
            {
                m_messages.push_back(message);
                message.blocks.clear();
            }
            message.blocks.push_back(static_cast<uint32_t>(block));
        }
        if (!message.blocks.empty())
        {
            m_messages.push_back(message);
        }
    }

    /// Below a node of all trees.
    void Walk(uint32_t node, uint32_t farthest)
    {
        for (uint32_t distance = farthest; distance > 0; distance /= 2)
        {
            Add(distance, node, m_spacing);
            Walk(node + distance, distance / 2);
        }
    }

    uint32_t m_ranks;
    PatWidth m_width;
    uint32_t m_spacing; ///< between the roots of trees
    std::vector<PatMessage> m_messages;
};

} // namespace

PatWidth
GetPatWidth(uint32_t ranks, uint64_t blockBytes, uint64_t messageBytes, uint32_t messages)
{
    PatWidth width;
    uint32_t most = std::max(1u, RoundUpToPowerOfTwo(ranks) / 2);
    while (width.blocksPerMessage < most &&
           blockBytes <= messageBytes / (2 * uint64_t{width.blocksPerMessage}))
    {
        width.blocksPerMessage *= 2;
    }
    width.trees = width.blocksPerMessage;
    for (uint32_t room = messages; room > 1 && width.trees < most; room /= 2)
    {
        width.trees *= 2;
    }
    return width;
}

std::vector<PatMessage>
MakePatMessages(uint32_t ranks, const PatWidth& width)
{
    return PatMaker(ranks, width).Take();
}

} // namespace ns3
