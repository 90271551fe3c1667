// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-frame.h"

#include "int-header.h"

#include "ns3/huge-page-arena.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

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

static_assert(sizeof(FabricFrame) == 256, "a frame is four cache lines: see its unions");

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

    /// @return an empty switch header
    static SwitchHeader* TakeHeader();

    /// @param header to go back
    static void ReturnHeader(SwitchHeader* header);

    /// @return a frame with default values, to copy from: cheaper than the constructors of members
    static const FabricFrame& Defaults();

    /// Gives each field of @p frame its default. @param frame from Take() @return the frame
    static FabricFrame* Reset(FabricFrame* frame);

    /// Makes @p copy a copy of @p original that nobody refers to. @return the copy
    static FabricFrame* Assign(FabricFrame* copy, const FabricFrame& original);

  private:
    static constexpr uint32_t BLOCK_FRAMES = 64;

    /// @return the first of a block of new frames; the others are in the free list
    static FabricFrame* Grow();

    static FabricFrame* g_free;                       ///< head of the free list
    static std::vector<SwitchHeader*>& FreeHeaders(); ///< with the memory of their telemetry
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
    void* block = HugePageArena::Allocate(BLOCK_FRAMES * sizeof(FabricFrame));
    auto* frames = static_cast<FabricFrame*>(block);
    for (uint32_t i = BLOCK_FRAMES; i > 0; --i)
    {
        Return(new (&frames[i - 1]) FabricFrame);
    }
    return Take();
}

std::vector<SwitchHeader*>&
FramePool::FreeHeaders()
{
    static auto* const headers = new std::vector<SwitchHeader*>; // outlives every static object
    return *headers;
}

SwitchHeader*
FramePool::TakeHeader()
{
    std::vector<SwitchHeader*>& free = FreeHeaders();
    if (free.empty())
    {
        return new SwitchHeader;
    }
    SwitchHeader* header = free.back();
    free.pop_back();
    std::vector<IntHop> hops = std::move(header->telemetry);
    hops.clear();
    *header = SwitchHeader();
    header->telemetry = std::move(hops);
    return header;
}

void
FramePool::ReturnHeader(SwitchHeader* header)
{
    FreeHeaders().push_back(header);
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

SwitchHeader*
FramePool::TakeHeader()
{
    return new SwitchHeader;
}

void
FramePool::ReturnHeader(SwitchHeader* header)
{
    delete header;
}

#endif

const FabricFrame&
FramePool::Defaults()
{
    static const FabricFrame* const defaults = new FabricFrame; // outlives every static object
    return *defaults;
}

FabricFrame*
FramePool::Reset(FabricFrame* frame)
{
    // All is plain data but the payload and the switch header, null on both sides: one copy of 256
    // bytes takes a fraction of the time of sixty copies of a field.
    std::memcpy(static_cast<void*>(frame), &Defaults(), sizeof(FabricFrame));
    return frame;
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
        if (frame->switchHeader)
        {
            FramePool::ReturnHeader(frame->switchHeader);
            frame->switchHeader = nullptr;
        }
        FramePool::Return(frame);
    }
}

FramePtr
FabricFrame::Create()
{
    return FramePtr(FramePool::Reset(FramePool::Take()));
}

FramePtr
FabricFrame::Clone() const
{
    FramePtr copy(FramePool::Assign(FramePool::Take(), *this));
    if (payload)
    {
        copy->payload = payload->Copy(); // a receiver may take headers off its packet
    }
    if (switchHeader)
    {
        copy->switchHeader = FramePool::TakeHeader();
        *copy->switchHeader = *switchHeader;
    }
    return copy;
}

void
FabricFrame::SaveState(uint8_t* bytes) const
{
    static_assert(sizeof(FabricFrame) == STATE_BYTES);
    std::memcpy(bytes, static_cast<const void*>(this), STATE_BYTES);
}

FramePtr
FabricFrame::FromState(const uint8_t* bytes)
{
    FabricFrame* frame = FramePool::Take();
    std::memcpy(static_cast<void*>(frame), bytes, STATE_BYTES); // it had no payload and no header
    new (&frame->payload) Ptr<Packet>();
    frame->switchHeader = nullptr;
    frame->m_references = 0;
    frame->m_next = nullptr;
    return FramePtr(frame);
}

SwitchHeader&
FabricFrame::MakeSwitchHeader()
{
    if (!switchHeader)
    {
        switchHeader = FramePool::TakeHeader();
    }
    return *switchHeader;
}

// ---- sizes

void
FabricFrame::ComputeSize()
{
    uint32_t bytes = vlanTagged ? wire::VLAN_TAG_BYTES : 0;
    switch (kind)
    {
    case FrameKind::ROCE: {
        RdmaOpcodeTraits traits = GetOpcodeTraits(opcode);
        bytes += wire::ROCEV2_BASE_BYTES + traits.extensionBytes;
        bytes += traits.hasPayload ? payloadBytes + PadCount() : 0;
        bytes += ipv6 ? wire::IPV6_BYTES - wire::IPV4_BYTES : 0;
        if (switchHeader)
        {
            bytes += TelemetryBytes(*switchHeader);
            bytes -= switchHeader->trimmed ? wire::ICRC_BYTES : 0;
        }
        break;
    }
    case FrameKind::PFC:
    case FrameKind::PAUSE:
        break; // the header is shorter than the shortest frame
    case FrameKind::PACKET:
        bytes += wire::ETHERNET_HEADER_BYTES + (payload ? payload->GetSize() : 0) + wire::FCS_BYTES;
        break;
    case FrameKind::SCALE_UP:
    case FrameKind::GROUP_CREDIT:
    case FrameKind::LINK_CREDIT:
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

namespace
{

/// @param address IPv6 @param i which of its four words, from the first @return it, host byte order
uint32_t
AddressWord(const Ipv6Bytes& address, uint32_t i)
{
    const uint8_t* b = &address[4 * i];
    return (uint32_t{b[0]} << 24) | (uint32_t{b[1]} << 16) | (uint32_t{b[2]} << 8) | b[3];
}

} // namespace

uint32_t
FlowHash6(const Ipv6Bytes& srcAddress,
          const Ipv6Bytes& dstAddress,
          uint32_t flowLabel,
          uint16_t sourcePort,
          uint16_t destinationPort,
          uint8_t protocol)
{
    constexpr uint32_t BYTES = 44; // eleven words
    uint32_t hash = 0;
    for (const Ipv6Bytes* address : {&srcAddress, &dstAddress})
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            hash = MixWord(hash, AddressWord(*address, i));
        }
    }
    hash = MixWord(hash, (static_cast<uint32_t>(sourcePort) << 16) | destinationPort);
    hash = MixWord(hash, protocol);
    hash = MixWord(hash, flowLabel);
    return Finish(hash ^ BYTES);
}

uint32_t
LowWord(const Ipv6Bytes& address)
{
    return AddressWord(address, 3);
}

} // namespace ns3
