// SPDX-License-Identifier: GPL-2.0-only
#ifndef GROWING_RING_H
#define GROWING_RING_H

#include <algorithm>
#include <boost/circular_buffer.hpp>

/**
 * @file
 * @brief Rings that take no memory until they are used, and double when they are full: the queues
 * of a queue pair, most of which are empty.
 */

namespace ns3
{

/// Makes room for more. @param ring the ring @param size how many must fit
template <typename T>
void
GrowTo(boost::circular_buffer<T>& ring, size_t size)
{
    if (ring.capacity() < size)
    {
        ring.set_capacity(std::max(size, 2 * ring.capacity()));
    }
}

/// Makes room for one more. @param ring the ring
template <typename T>
void
GrowIfFull(boost::circular_buffer<T>& ring)
{
    if (ring.full())
    {
        GrowTo(ring, ring.size() + 1);
    }
}

} // namespace ns3

#endif // GROWING_RING_H
