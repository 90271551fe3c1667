// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-frame.h"

#include <algorithm>

#if defined(__SANITIZE_ADDRESS__)
#define FABRIC_FRAME_POOL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FABRIC_FRAME_POOL 0
#endif
#endif
#ifndef FABRIC_FRAME_POOL
#define FABRIC_FRAME_POOL 1
#endif

namespace ns3
{

/**
 * @brief The free list of frames.
 *
 * Frames come in blocks, which stay for the life of the process: a frame may be released as late as
 * the destruction of static objects. Where AddressSanitizer watches, each frame is allocated and
 * freed on its own instead, so that a use after release is seen.
 */
class FramePool
{
  public:
    /// @return a frame whose fields have any values
    static FabricFrame* Take();

    /// @param frame to go back; it no longer holds a payload
    static void Return(FabricFrame* frame);

    /// @return a frame with default values, to copy from: cheaper than the constructors of members
    static const FabricFrame& Defaults();

    /// Makes @p copy a copy of @p original that nobody refers to. @return the copy
    static FabricFrame* Assign(FabricFrame* copy, const FabricFrame& original);

  private:
    static constexpr uint32_t BLOCK_FRAMES = 64;

    /// @return the first of a block of new frames; the others are in the free list
    static FabricFrame* Grow();

    static FabricFrame* g_free; ///< head of the free list
};

FabricFrame* FramePool::g_free = nullptr;

#if FABRIC_FRAME_POOL

FabricFrame*
FramePool::Take()
{
    FabricFrame* frame = g_free;
    if (!frame)
    {
        return Grow();
    }
    g_free = frame->m_next;
    return frame;
}

void
FramePool::Return(FabricFrame* frame)
{
    frame->m_next = g_free;
    g_free = frame;
}

FabricFrame*
FramePool::Grow()
{
    FabricFrame* block = new FabricFrame[BLOCK_FRAMES];
    for (uint32_t i = BLOCK_FRAMES - 1; i > 0; --i)
    {
        Return(&block[i]);
    }
    return &block[0];
}

#else

FabricFrame*
FramePool::Take()
{
    return new FabricFrame;
}

void
FramePool::Return(FabricFrame* frame)
{
    delete frame;
}

#endif

const FabricFrame&
FramePool::Defaults()
{
    static const FabricFrame* const defaults = new FabricFrame; // outlives every static object
    return *defaults;
}

FabricFrame*
FramePool::Assign(FabricFrame* copy, const FabricFrame& original)
{
    *copy = original;
    copy->m_references = 0;
    copy->m_next = nullptr;
    return copy;
}

void
intrusive_ptr_release(FabricFrame* frame)
{
    if (--frame->m_references == 0)
    {
        frame->payload = nullptr; // now, not when the frame is next used
        FramePool::Return(frame);
    }
}

FramePtr
FabricFrame::Create()
{
    return FramePtr(FramePool::Assign(FramePool::Take(), FramePool::Defaults()));
}

FramePtr
FabricFrame::Clone() const
{
    FramePtr copy(FramePool::Assign(FramePool::Take(), *this));
    if (payload)
    {
        copy->payload = payload->Copy(); // a receiver may take headers off its packet
    }
    return copy;
}

// ---- sizes

namespace
{

/// @param opcode of a RoCE frame @return bytes of the headers between BTH and the payload
uint32_t
ExtensionBytes(RdmaOpcode opcode)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(opcode);
    return (traits.hasReth ? wire::RETH_BYTES : 0) + (traits.hasImmediate ? wire::IMMDT_BYTES : 0) +
           (traits.hasAeth ? wire::AETH_BYTES : 0);
}

} // namespace

void
FabricFrame::ComputeSize()
{
    uint32_t bytes = 0;
    switch (kind)
    {
    case FrameKind::ROCE:
        bytes = wire::ROCEV2_BASE_BYTES + ExtensionBytes(opcode);
        bytes += opcode == RdmaOpcode::CNP ? wire::CNP_RESERVED_BYTES : payloadBytes + PadCount();
        break;
    case FrameKind::PFC:
        break; // the header is shorter than the shortest frame
    case FrameKind::PACKET:
        bytes = wire::ETHERNET_HEADER_BYTES + (payload ? payload->GetSize() : 0) + wire::FCS_BYTES;
        break;
    case FrameKind::SCALE_UP:
        return; // its owner knows the link's format
    }
    sizeBytes = std::max(bytes, wire::MIN_FRAME_BYTES);
}

// ---- hash

namespace
{

/// @param value 32 bits @param bits how far @return it rotated to the left
constexpr uint32_t
RotateLeft(uint32_t value, int bits)
{
    return (value << bits) | (value >> (32 - bits));
}

/// Takes in one word, as 32-bit murmur3 does. @param hash so far @param word new @return next hash
constexpr uint32_t
MixWord(uint32_t hash, uint32_t word)
{
    word = RotateLeft(word * 0xcc9e2d51u, 15) * 0x1b873593u;
    return RotateLeft(hash ^ word, 13) * 5 + 0xe6546b64u;
}

/// Spreads each bit over the whole word, as 32-bit murmur3 ends. @param hash so far @return hash
constexpr uint32_t
Finish(uint32_t hash)
{
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    return hash ^ (hash >> 16);
}

} // namespace

uint32_t
FlowHash(uint32_t srcAddress,
         uint32_t dstAddress,
         uint16_t sourcePort,
         uint16_t destinationPort,
         uint8_t protocol)
{
    constexpr uint32_t BYTES = 16; // murmur3 takes in the length of its input: four words
    uint32_t hash = MixWord(0, srcAddress);
    hash = MixWord(hash, dstAddress);
    hash = MixWord(hash, (static_cast<uint32_t>(sourcePort) << 16) | destinationPort);
    hash = MixWord(hash, protocol);
    return Finish(hash ^ BYTES);
}

} // namespace ns3
