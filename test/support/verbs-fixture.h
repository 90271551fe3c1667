// SPDX-License-Identifier: GPL-2.0-only
#ifndef VERBS_FIXTURE_H
#define VERBS_FIXTURE_H

/**
 * @file
 * @brief Queue pairs with real memory behind them, for tests of what verbs promise.
 */

#include "fabric-fixture.h"

#include "ns3/enum-attribute.h"

#include <memory>

namespace ns3
{

/// Bytes of which no two neighbours, and no two patterns, are equal.
/// @param count how many @param seed which pattern @return them
inline std::vector<uint8_t>
Pattern(uint64_t count, uint32_t seed)
{
    std::vector<uint8_t> bytes(count);
    for (uint64_t i = 0; i < count; ++i)
    {
        bytes[i] = static_cast<uint8_t>(i * 13 + i / 251 + seed * 101 + 1);
    }
    return bytes;
}

/// A queue pair, its completions, and 64 KiB of memory whose bytes are kept.
struct End
{
    /// A completion and when it came.
    struct Done
    {
        WorkCompletion wc;
        Time at;
    };

    static constexpr uint64_t MEMORY_BYTES = 65536;

    Ptr<QueuePair> qp;
    Ptr<CompletionQueue> queue;
    Ptr<ProtectionDomain> domain;
    Ptr<MemoryRegion> memory;
    std::vector<Done> done;

    /// @param offset in the memory @param count bytes @return a piece of it
    ScatterGatherElement Piece(uint64_t offset, uint64_t count) const
    {
        return {memory->GetAddress() + offset, count, memory->GetLocalKey()};
    }

    /// @param id of the work request @param offset in the memory @param count bytes
    /// @return room there
    ReceiveWorkRequest Room(uint64_t id, uint64_t offset, uint64_t count) const
    {
        return {id, count, Piece(offset, count)};
    }

    /// @param offset in the memory @param count bytes @return what is there
    std::vector<uint8_t> Bytes(uint64_t offset, uint64_t count) const
    {
        return memory->Read(memory->GetAddress() + offset, count);
    }

    /// @param offset in the memory @param bytes what is to be there
    void Fill(uint64_t offset, const std::vector<uint8_t>& bytes)
    {
        memory->Write(memory->GetAddress() + offset, bytes);
    }

    /// @return the statuses of all completions so far, in order
    std::vector<WcStatus> Statuses() const
    {
        std::vector<WcStatus> all;
        for (const Done& d : done)
        {
            all.push_back(d.wc.status);
        }
        return all;
    }

    /// @return the ids of all completions so far, in order
    std::vector<uint64_t> Ids() const
    {
        std::vector<uint64_t> all;
        for (const Done& d : done)
        {
            all.push_back(d.wc.id);
        }
        return all;
    }
};

/// Two of them that are connected; the tests send from a to b.
struct Link
{
    std::shared_ptr<End> a;
    std::shared_ptr<End> b;
};

/// A fabric whose queue pairs have memory.
class VerbsFixture : public FabricFixture
{
  public:
    using Configure = std::function<void(Ptr<QueuePair>)>;

    /// Two hosts at one switch: 400 Gb/s, 500 ns a cable. @param mtu of all pairs
    explicit VerbsFixture(uint32_t mtu = 1024)
    {
        rdma.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
    }

    /// @param hosts around a switch
    void Build(uint32_t hosts = 2)
    {
        BuildStar(hosts, "400Gbps", NanoSeconds(500));
    }

    /// @param host number @param type of service @param configure gets the pair
    /// @return a pair in RESET
    std::shared_ptr<End> MakeEnd(uint32_t host,
                                 QpType type = QpType::RC,
                                 const Configure& configure = {})
    {
        auto end = std::make_shared<End>();
        end->queue = CreateObject<CompletionQueue>();
        std::weak_ptr<End> weak = end;
        end->queue->SetCallback(
            Callback<void, const WorkCompletion&>([weak](const WorkCompletion& wc) {
                if (auto strong = weak.lock())
                {
                    strong->done.push_back({wc, Simulator::Now()});
                }
            }));
        auto stack = network.hosts.Get(host)->GetObject<RdmaStack>();
        end->qp = stack->CreateQueuePair(Port(host), end->queue);
        end->qp->SetAttribute("Type", EnumValue(static_cast<int>(type)));
        end->domain = Nic(host)->CreateProtectionDomain();
        // Different addresses on each host, so that a mix-up is seen.
        end->memory =
            end->domain->Register((uint64_t{host} + 1) << 40, End::MEMORY_BYTES, ALL_ACCESS);
        end->memory->Back();
        end->qp->SetProtectionDomain(end->domain);
        if (configure)
        {
            configure(end->qp);
        }
        return end;
    }

    /// @param type RC or UC @param configure gets both pairs before they are connected
    /// @return pairs of hosts 0 and 1
    Link MakeLink(QpType type = QpType::RC, const Configure& configure = {})
    {
        Link link{MakeEnd(0, type, configure), MakeEnd(1, type, configure)};
        QueuePair::Connect(link.a->qp, link.b->qp);
        return link;
    }

    /// @param link two ends @param operation any of a's @param count bytes @param id of the request
    /// @param offset in both memories @return a's work request, in one piece
    static SendWorkRequest Request(const Link& link,
                                   RdmaOperation operation,
                                   uint64_t count,
                                   uint64_t id = 0,
                                   uint64_t offset = 0)
    {
        SendWorkRequest request;
        request.id = id;
        request.operation = operation;
        request.bytes = count;
        request.remoteAddress = link.b->memory->GetAddress() + offset;
        request.remoteKey = link.b->memory->GetRemoteKey();
        if (count > 0)
        {
            request.pieces = {link.a->Piece(offset, count)};
        }
        return request;
    }

    /// Frames that @p host's port sends or receives. @param host number @param trace "FrameTx" or
    /// "FrameRx" @param see called with each RoCE frame
    void Watch(uint32_t host,
               const std::string& trace,
               const std::function<void(const FabricFrame&)>& see)
    {
        Port(host)->TraceConnectWithoutContext(
            trace,
            Callback<void, const FabricFrame&>([see](const FabricFrame& frame) {
                if (frame.kind == FrameKind::ROCE)
                {
                    see(frame);
                }
            }));
    }

    /// Frames on a host's cable, of either direction, for which @p lose says so are lost.
    void Lose(uint32_t host, const std::function<bool(const FabricFrame&)>& lose)
    {
        Cable(host)->SetLossFilter(Callback<bool, const FabricFrame&>(lose));
    }
};

} // namespace ns3

#endif // VERBS_FIXTURE_H
