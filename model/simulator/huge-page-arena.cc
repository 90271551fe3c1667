// SPDX-License-Identifier: GPL-2.0-only
#include "huge-page-arena.h"

#include <cstdint>
#include <cstdlib>
#include <map>

#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HUGE_PAGE_ARENA_POOL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HUGE_PAGE_ARENA_POOL 0
#endif
#endif
#ifndef HUGE_PAGE_ARENA_POOL
#define HUGE_PAGE_ARENA_POOL 1
#endif

namespace ns3
{

namespace
{

/// Under the address sanitizer each piece is by itself, so that a use after free is seen.
constexpr bool POOLED = HUGE_PAGE_ARENA_POOL;
constexpr size_t LINE_BYTES = 64;
constexpr size_t PAGE_BYTES = 2 << 20;

/// @param bytes any @param unit a power of two @return rounded up to it
constexpr size_t
RoundUp(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/// The memory that is not in use. It outlives every static object.
struct Store
{
    struct Piece
    {
        Piece* next;
    };

    char* rest{nullptr}; ///< of the last page
    size_t restBytes{0};
    std::map<size_t, Piece*> freed; ///< by size

    void* Cut(size_t bytes);
    void AddPages(size_t bytes);
};

/// @return the one of this process
Store&
TheStore()
{
    static auto* const store = new Store;
    return *store;
}

void
Store::AddPages(size_t bytes)
{
    restBytes = RoundUp(bytes, PAGE_BYTES);
    rest = static_cast<char*>(std::aligned_alloc(PAGE_BYTES, restBytes));
    if (!rest)
    {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(rest, restBytes, MADV_HUGEPAGE); // where it is refused, pages are small
#endif
}

void*
Store::Cut(size_t bytes)
{
    if (bytes > restBytes)
    {
        AddPages(bytes);
    }
    void* memory = rest;
    rest += bytes;
    restBytes -= bytes;
    return memory;
}

} // namespace

void*
HugePageArena::Allocate(size_t bytes)
{
    bytes = RoundUp(bytes, LINE_BYTES);
    if (!POOLED)
    {
        void* memory = std::aligned_alloc(LINE_BYTES, bytes);
        if (!memory)
        {
            throw std::bad_alloc();
        }
        return memory;
    }
    Store& store = TheStore();
    Store::Piece*& freed = store.freed[bytes];
    if (!freed)
    {
        return store.Cut(bytes);
    }
    void* memory = freed;
    freed = freed->next;
    return memory;
}

void
HugePageArena::Free(void* memory, size_t bytes)
{
    if (!POOLED)
    {
        std::free(memory);
        return;
    }
    auto* piece = static_cast<Store::Piece*>(memory);
    Store::Piece*& freed = TheStore().freed[RoundUp(bytes, LINE_BYTES)];
    piece->next = freed;
    freed = piece;
}

} // namespace ns3
