// SPDX-License-Identifier: GPL-2.0-only
#ifndef HUGE_PAGE_ARENA_H
#define HUGE_PAGE_ARENA_H

#include <cstddef>
#include <new>

namespace ns3
{

/**
 * @brief Memory for what events touch, in pages as large as the system gives (2 MiB on Linux).
 *
 * A large network has its ports, cables and frames all over the memory; in small pages nearly each
 * of them would cost a walk through the page tables. What is freed is given to the next of the same
 * size; nothing goes back to the system. Each piece begins on a cache line.
 */
class HugePageArena
{
  public:
    /// @param bytes above 0 @return a piece of memory
    static void* Allocate(size_t bytes);

    /// @param memory of Allocate() @param bytes as asked for there
    static void Free(void* memory, size_t bytes);
};

/**
 * @brief What derives from it comes from the HugePageArena when it is made by `new`.
 */
struct InHugePages
{
    static void* operator new(size_t bytes)
    {
        return HugePageArena::Allocate(bytes);
    }

    static void* operator new(size_t bytes, std::align_val_t)
    {
        return HugePageArena::Allocate(bytes); // aligned as a cache line
    }

    static void operator delete(void* memory, size_t bytes)
    {
        HugePageArena::Free(memory, bytes);
    }

    static void operator delete(void* memory, size_t bytes, std::align_val_t)
    {
        HugePageArena::Free(memory, bytes);
    }
};

} // namespace ns3

#endif // HUGE_PAGE_ARENA_H
