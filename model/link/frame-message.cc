// SPDX-License-Identifier: GPL-2.0-only
#include "frame-message.h"

#include "ns3/abort.h"
#include "ns3/packet.h"

#include <cstring>
#include <type_traits>

namespace ns3
{

namespace
{

/// What precedes a frame in a message.
struct FrameHead
{
    uint32_t port;
    bool hasSwitches; ///< what switches wrote follows its state
    bool hasPayload;  ///< and then its payload
};

/// Appends values to a message.
class StateWriter
{
  public:
    explicit StateWriter(std::vector<uint8_t>& bytes)
        : m_bytes(bytes)
    {
    }

    template <typename T>
    void operator()(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        Write(&value, sizeof(T));
    }

    void Write(const void* from, size_t size)
    {
        const auto* bytes = static_cast<const uint8_t*>(from);
        m_bytes.insert(m_bytes.end(), bytes, bytes + size);
    }

  private:
    std::vector<uint8_t>& m_bytes;
};

/// Takes values from a message, in the same order.
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
        std::memcpy(&value, Skip(sizeof(T)), sizeof(T));
    }

    /// @param size how many bytes @return them
    const uint8_t* Skip(size_t size)
    {
        const uint8_t* bytes = m_next;
        m_next += size;
        return bytes;
    }

    /// @return what has not been taken
    const uint8_t* Next() const
    {
        return m_next;
    }

  private:
    const uint8_t* m_next;
};

/// The fields that switches wrote but for the hops. @param header of them @param visit called with
/// each, in a fixed order
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

/// @param header what switches wrote @param write it goes there
void
WriteSwitchHeader(const SwitchHeader& header, StateWriter& write)
{
    VisitSwitchFields(header, write);
    write(static_cast<uint32_t>(header.telemetry.size()));
    for (const IntHop& hop : header.telemetry)
    {
        write(hop);
    }
}

/// @param header receives what WriteSwitchHeader() wrote @param read from there
void
ReadSwitchHeader(SwitchHeader& header, StateReader& read)
{
    VisitSwitchFields(header, read);
    uint32_t hops;
    read(hops);
    header.telemetry.resize(hops);
    for (IntHop& hop : header.telemetry)
    {
        read(hop);
    }
}

/// @param payload of a frame @param write its size and itself go there
void
WritePayload(const Ptr<Packet>& payload, StateWriter& write)
{
    const uint32_t size = payload->GetSerializedSize();
    std::vector<uint32_t> words((size + 3) / 4); // as ns-3 writes
    payload->Serialize(reinterpret_cast<uint8_t*>(words.data()), size);
    write(size);
    write.Write(words.data(), size);
}

/// @param read from where WritePayload() wrote @return the payload
Ptr<Packet>
ReadPayload(StateReader& read)
{
    uint32_t size;
    read(size);
    std::vector<uint32_t> words((size + 3) / 4);
    std::memcpy(words.data(), read.Skip(size), size);
    return Create<Packet>(reinterpret_cast<const uint8_t*>(words.data()), size, true);
}

} // namespace

FrameMessage::FrameMessage(size_t mostBytes)
    : m_mostBytes(mostBytes)
{
}

bool
FrameMessage::Add(uint32_t port, const FabricFrame& frame)
{
    const size_t before = m_bytes.size();
    StateWriter write(m_bytes);
    write(FrameHead{port, frame.switchHeader != nullptr, frame.payload != nullptr});
    m_bytes.resize(m_bytes.size() + FabricFrame::STATE_BYTES);
    frame.SaveState(m_bytes.data() + m_bytes.size() - FabricFrame::STATE_BYTES);
    if (frame.switchHeader)
    {
        WriteSwitchHeader(*frame.switchHeader, write);
    }
    if (frame.payload)
    {
        WritePayload(frame.payload, write);
    }
    if (m_bytes.size() <= m_mostBytes)
    {
        return true;
    }
    NS_ABORT_MSG_IF(before == 0,
                    "A frame with " << (frame.payload ? frame.payload->GetSize() : 0)
                                    << " bytes of an application takes " << m_bytes.size()
                                    << " bytes between processes, where ns-3's MPI has room for "
                                    << m_mostBytes);
    m_bytes.resize(before);
    return false;
}

void
FrameMessage::Read(const uint8_t* bytes,
                   size_t size,
                   const std::function<void(uint32_t, FramePtr)>& receive)
{
    StateReader read(bytes);
    while (read.Next() < bytes + size)
    {
        FrameHead head;
        read(head);
        FramePtr frame = FabricFrame::FromState(read.Skip(FabricFrame::STATE_BYTES));
        if (head.hasSwitches)
        {
            ReadSwitchHeader(frame->MakeSwitchHeader(), read);
        }
        if (head.hasPayload)
        {
            frame->payload = ReadPayload(read);
        }
        receive(head.port, std::move(frame));
    }
}

} // namespace ns3
