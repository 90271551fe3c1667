// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Verbs as a program uses them: register memory, connect, SEND and RECV, WRITE, READ,
 * atomic.
 *
 *     client ----- switch ----- server
 *
 * Each work request is posted when the one before is complete, and each completion is printed with
 * the time at which it came.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint64_t MEMORY_BYTES = 65536;

/// A program on a host: its queue pair, and memory whose bytes are kept.
struct Side
{
    Side(const char* sideName, const FabricNetwork& network, uint32_t host)
        : name(sideName)
    {
        auto stack = network.nodes.Get(host)->GetObject<RdmaStack>();
        qp = stack->CreateQueuePair(network.ports[host][0], completions);
        domain = stack->GetNics()[0]->CreateProtectionDomain();
        memory = domain->Register(0x10000000 * (host + 1), MEMORY_BYTES, ALL_ACCESS);
        memory->Back();
        qp->SetProtectionDomain(domain);
    }

    /// @param offset in the memory @param bytes length @return that piece of it
    ScatterGatherElement Piece(uint64_t offset, uint64_t bytes) const
    {
        return {memory->GetAddress() + offset, bytes, memory->GetLocalKey()};
    }

    const char* name;
    Ptr<CompletionQueue> completions{CreateObject<CompletionQueue>()};
    Ptr<QueuePair> qp;
    Ptr<ProtectionDomain> domain;
    Ptr<MemoryRegion> memory;
};

/// @param side whose completions @param wc the completion
void
Print(const Side& side, const WorkCompletion& wc)
{
    static const char* const OPCODES[] =
        {"SEND", "WRITE", "READ", "COMPARE_SWAP", "FETCH_ADD", "RECV", "RECV_WRITE_IMM"};
    std::cout << Simulator::Now().As(Time::US) << "  " << side.name << "  "
              << OPCODES[static_cast<size_t>(wc.opcode)] << "  " << ToString(wc.status) << "  "
              << wc.bytes << " bytes" << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);

    FabricNetwork network = FabricHelper().Install(MakeStar({2}));
    RdmaHelper().Install(network.hosts);
    Side client("client", network, 0);
    Side server("server", network, 1);
    QueuePair::Connect(client.qp, server.qp);

    // What the client does, one after the other; the server only offers room for the SEND.
    std::vector<SendWorkRequest> work;
    for (RdmaOperation operation :
         {RdmaOperation::SEND, RdmaOperation::WRITE, RdmaOperation::READ, RdmaOperation::FETCH_ADD})
    {
        SendWorkRequest request;
        request.operation = operation;
        request.bytes = IsAtomic(operation) ? 8 : 10000;
        request.pieces = {client.Piece(0, request.bytes)};
        request.remoteAddress = server.memory->GetAddress();
        request.remoteKey = server.memory->GetRemoteKey();
        request.swapOrAdd = 1;
        work.push_back(request);
    }
    size_t next = 0;
    auto post = [&] {
        PostResult result = client.qp->PostSend(work[next++]);
        NS_ABORT_MSG_IF(result != PostResult::POSTED, client.qp->Explain(result));
    };
    client.completions->SetCallback(
        Callback<void, const WorkCompletion&>([&](const WorkCompletion& wc) {
            Print(client, wc);
            if (next < work.size())
            {
                post();
            }
        }));
    server.completions->SetCallback(Callback<void, const WorkCompletion&>(
        [&](const WorkCompletion& wc) { Print(server, wc); }));
    PostResult result = server.qp->PostReceive({0, 10000, server.Piece(0, 10000)});
    NS_ABORT_MSG_IF(result != PostResult::POSTED, server.qp->Explain(result));
    post();
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
