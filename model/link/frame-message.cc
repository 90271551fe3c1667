// SPDX-License-Identifier: GPL-2.0-only
#include "frame-message.h"

#include "ns3/abort.h"
#include "ns3/header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace ns3
{

namespace
{

/// Room for all fields, and for those of the longest telemetry.
constexpr size_t FRAME_STATE_BYTES = 4096;
constexpr size_t WORD_BYTES = sizeof(uint64_t);

/// Appends values to a buffer.
class StateWriter
{
  public:
    template <typename T>
    void operator()(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        NS_ABORT_MSG_IF(m_size + sizeof(T) > m_bytes.size(), "FrameMessage: too many fields");
        std::memcpy(m_bytes.data() + m_size, &value, sizeof(T));
        m_size += sizeof(T);
    }

    /// Fills the last word up. @return number of words
    size_t Finish()
    {
        while (m_size % WORD_BYTES != 0)
        {
            m_bytes[m_size++] = 0;
        }
        return m_size / WORD_BYTES;
    }

    const uint8_t* GetWord(size_t index) const
    {
        return m_bytes.data() + index * WORD_BYTES;
    }

  private:
    size_t m_size{0};
    std::array<uint8_t, FRAME_STATE_BYTES> m_bytes;
};

/// Takes values from a buffer, in the same order.
class StateReader
{
  public:
    explicit StateReader(const uint8_t* bytes)
        : m_next(bytes)
    {
    }

    template <typename T>
    void operator()(T& value)
    {
        std::memcpy(&value, m_next, sizeof(T));
        m_next += sizeof(T);
    }

  private:
    const uint8_t* m_next;
};

/// The fields of a frame but for its payload and its switch header, in a fixed order; of fields
/// that share storage the longest. @param frame a frame @param visit called with each
template <typename Frame, typename Visitor>
void
VisitFields(Frame& frame, Visitor& visit)
{
    visit(frame.sizeBytes);
    visit(frame.kind);
    visit(frame.trafficClass);
    visit(frame.ecn);
    visit(frame.opcode);
    visit(frame.dstAddress);
    visit(frame.flowHash);
    visit(frame.ingressPort);
    visit(frame.hops);
    visit(frame.segments);
    visit(frame.arrivalTime);
    visit(frame.payloadBytes);
    visit(frame.srcAddress);
    visit(frame.journey);
    visit(frame.ipId);
    visit(frame.udpSourcePort);
    visit(frame.udpChecksum);
    visit(frame.vlanTci);
    visit(frame.dscp);
    visit(frame.ttl);
    visit(frame.dontFragment);
    visit(frame.ipv6);
    visit(frame.fecn);
    visit(frame.becn);
    visit(frame.pkey);
    visit(frame.solicited);
    visit(frame.migrated);
    visit(frame.ackRequest);
    visit(frame.vlanTagged);
    visit(frame.destQp);
    visit(frame.psn);
    visit(frame.remoteKey);
    visit(frame.remoteAddress);
    visit(frame.dmaLength);
    visit(frame.immediate);
    visit(frame.msn);
    visit(frame.qkey);
    visit(frame.srcQp);
    visit(frame.syndrome);
    visit(frame.pauseClasses);
    visit(frame.etherType);
    visit(frame.atomicData);
    visit(frame.atomicCompare);
    visit(frame.pauseQuanta);
    visit(frame.dstIpv6);
    visit(frame.srcMac);
    visit(frame.dstMac);
    visit(frame.ipv6FlowLabel);
    visit(frame.messageId);
    visit(frame.sentTime);
}

/// Likewise of what switches wrote, but for the hops. @param header it @param visit called with
/// each
template <typename Header, typename Visitor>
void
VisitSwitchFields(Header& header, Visitor& visit)
{
    visit(header.collectsTelemetry);
    visit(header.telemetryFormat);
    visit(header.hopsLeft);
    visit(header.hopsExceeded);
    visit(header.mtuExceeded);
    visit(header.pathId);
    visit(header.digest);
    visit(header.trimmed);
    visit(header.trimmedPayloadBytes);
    visit(header.conga);
    visit(header.conweave);
}

/// What precedes the frames of a message.
struct MessageHead
{
    uint16_t frames;
    uint16_t bytes; ///< this included, and without a payload
};

/// What precedes a frame in a message.
struct FrameHead
{
    uint32_t port;
    uint16_t words;      ///< of its fields
    uint8_t hasPayload;  ///< the rest of the packet is its payload
    uint8_t hasSwitches; ///< switches wrote into it
};

/// Bytes ahead of a payload with a life of its own.
class FrameMessageHeader : public Header
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricFrameMessageHeader")
                                .SetParent<Header>()
                                .SetGroupName("AiFabric")
                                .AddConstructor<FrameMessageHeader>();
        return tid;
    }

    FrameMessageHeader() = default;

    FrameMessageHeader(const uint8_t* bytes, uint32_t size)
        : m_bytes(bytes),
          m_size(size)
    {
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return m_size;
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_bytes, m_size);
    }

    uint32_t Deserialize(Buffer::Iterator) override
    {
        return m_size; // the bytes have been read already
    }

    void Print(std::ostream& os) const override
    {
        os << "frames between processes, " << m_size << " B";
    }

  private:
    const uint8_t* m_bytes{nullptr};
    uint32_t m_size{0};
};

NS_OBJECT_ENSURE_REGISTERED(FrameMessageHeader);

/// @param frame a frame @param state receives its fields
void
WriteState(const FabricFrame& frame, StateWriter& state)
{
    VisitFields(frame, state);
    if (frame.switchHeader)
    {
        VisitSwitchFields(*frame.switchHeader, state);
        state(static_cast<uint32_t>(frame.switchHeader->telemetry.size()));
        for (const IntHop& hop : frame.switchHeader->telemetry)
        {
            state(hop);
        }
    }
}

/// @param bytes of the fields @param hasSwitches switches wrote into it @return the frame
FramePtr
ReadState(const uint8_t* bytes, bool hasSwitches)
{
    StateReader state(bytes);
    FramePtr frame = FabricFrame::Create();
    VisitFields(*frame, state);
    if (hasSwitches)
    {
        SwitchHeader& header = frame->MakeSwitchHeader();
        VisitSwitchFields(header, state);
        uint32_t hops;
        state(hops);
        header.telemetry.resize(hops);
        for (IntHop& hop : header.telemetry)
        {
            state(hop);
        }
    }
    return frame;
}

} // namespace

FrameMessage::FrameMessage()
{
    m_bytes.reserve(MOST_BYTES + FRAME_STATE_BYTES);
    m_bytes.resize(sizeof(MessageHead));
}

bool
FrameMessage::Add(uint32_t port, const FabricFrame& frame)
{
    if (m_payload || (frame.payload && m_count > 0))
    {
        return false;
    }
    StateWriter state;
    WriteState(frame, state);
    const size_t words = state.Finish();
    const size_t before = m_bytes.size();
    const FrameHead head{port,
                         static_cast<uint16_t>(words),
                         static_cast<uint8_t>(frame.payload ? 1 : 0),
                         static_cast<uint8_t>(frame.switchHeader ? 1 : 0)};
    auto append = [this](const void* from, size_t size) {
        const auto* bytes = static_cast<const uint8_t*>(from);
        m_bytes.insert(m_bytes.end(), bytes, bytes + size);
    };
    append(&head, sizeof(head));
    // Of each eight words a byte that says which are not zero, and those.
    for (size_t first = 0; first < words; first += 8)
    {
        const size_t mask = m_bytes.size();
        m_bytes.push_back(0);
        for (size_t w = first; w < std::min(first + 8, words); ++w)
        {
            uint64_t word;
            std::memcpy(&word, state.GetWord(w), WORD_BYTES);
            if (word != 0)
            {
                m_bytes[mask] |= static_cast<uint8_t>(1U << (w - first));
                append(&word, WORD_BYTES);
            }
        }
    }
    constexpr size_t PACKET_BYTES = 64; // what Packet::Serialize adds, and more
    if (m_count > 0 && m_bytes.size() + PACKET_BYTES > MOST_BYTES)
    {
        m_bytes.resize(before);
        return false;
    }
    ++m_count;
    m_payload = frame.payload;
    return true;
}

Ptr<Packet>
FrameMessage::Take()
{
    const MessageHead head{static_cast<uint16_t>(m_count), static_cast<uint16_t>(m_bytes.size())};
    std::memcpy(m_bytes.data(), &head, sizeof(head));
    Ptr<Packet> message;
    if (m_payload)
    {
        message = m_payload->Copy();
        message->AddHeader(
            FrameMessageHeader(m_bytes.data(), static_cast<uint32_t>(m_bytes.size())));
        NS_ABORT_MSG_IF(message->GetSerializedSize() > MOST_BYTES,
                        "A frame with "
                            << m_payload->GetSize() << " bytes of an application takes "
                            << message->GetSerializedSize()
                            << " bytes between processes, where ns-3's MPI has room for "
                            << MOST_BYTES
                            << ": give the application's packets no bytes (only a "
                               "size), make them smaller, or keep their path within "
                               "one process");
        m_payload = nullptr;
    }
    else
    {
        message = Create<Packet>(m_bytes.data(), static_cast<uint32_t>(m_bytes.size()));
    }
    m_count = 0;
    m_bytes.resize(sizeof(MessageHead));
    return message;
}

void
FrameMessage::Read(Ptr<Packet> message, const std::function<void(uint32_t, FramePtr)>& receive)
{
    std::array<uint8_t, MOST_BYTES + FRAME_STATE_BYTES> bytes;
    MessageHead head;
    message->CopyData(bytes.data(), sizeof(head));
    std::memcpy(&head, bytes.data(), sizeof(head));
    message->CopyData(bytes.data(), head.bytes);
    const uint8_t* next = bytes.data() + sizeof(head);
    for (uint32_t f = 0; f < head.frames; ++f)
    {
        FrameHead frameHead;
        std::memcpy(&frameHead, next, sizeof(frameHead));
        next += sizeof(frameHead);
        std::array<uint64_t, FRAME_STATE_BYTES / WORD_BYTES> words;
        for (size_t first = 0; first < frameHead.words; first += 8)
        {
            const uint8_t mask = *next++;
            for (size_t w = first; w < std::min<size_t>(first + 8, frameHead.words); ++w)
            {
                words[w] = 0;
                if (mask & (1U << (w - first)))
                {
                    std::memcpy(&words[w], next, WORD_BYTES);
                    next += WORD_BYTES;
                }
            }
        }
        FramePtr frame =
            ReadState(reinterpret_cast<const uint8_t*>(words.data()), frameHead.hasSwitches);
        if (frameHead.hasPayload)
        {
            FrameMessageHeader header(nullptr, head.bytes);
            message->RemoveHeader(header);
            frame->payload = message;
        }
        receive(frameHead.port, std::move(frame));
    }
}

} // namespace ns3
