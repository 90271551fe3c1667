// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A collective written by hand, step by step, beside algorithms of the module.
 *
 *     GPU 0 ---\
 *     GPU 1 ---- switch
 *     ...   ---/
 *
 * All-reduce by recursive doubling: in each of log2(n) rounds a rank exchanges its whole sum with
 * the one at distance 1, 2, 4, ... and adds what it gets. That is fewer rounds than a ring has, and
 * more bytes: log2(n) S in place of 2 (n - 1) / n S. The program is executed on symbols first,
 * which proves that every rank ends with the contribution of every rank exactly once, and then run.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t FLOAT_BYTES = 4;

/// @return the request: a sum of so many bytes
CollectiveRequest
MakeRequest(uint64_t bytes)
{
    CollectiveRequest request;
    request.operation = CollectiveOperation::ALL_REDUCE;
    request.count = bytes / FLOAT_BYTES;
    request.typeBytes = FLOAT_BYTES;
    return request;
}

/**
 * Writes the program: of each rank, thread 0 sends and thread 1 receives.
 * @param ranks a power of two
 * @param bytes of data
 * @param piece most bytes of a message
 */
std::shared_ptr<const CollectiveProgram>
MakeDoubling(uint32_t ranks, uint64_t bytes, uint64_t piece)
{
    ProgramBuilder program(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        ThreadBuilder& sends = program.Thread(rank, 0);
        ThreadBuilder& receives = program.Thread(rank, 1);
        uint64_t pieces = (bytes + piece - 1) / piece;
        for (uint32_t distance = 1; distance < ranks; distance *= 2)
        {
            bool first = distance == 1;
            uint32_t partner = rank ^ distance;
            for (uint64_t offset = 0; offset < bytes; offset += piece)
            {
                // The first round begins with the input, the others with the sum so far: a piece of
                // it is sent when it is there, and added to when it has been sent.
                ProgramOperand sum = first ? InputAt(offset) : OutputAt(offset);
                uint64_t length = std::min(piece, bytes - offset);
                if (!first)
                {
                    sends.After(1, sends.GetSize() - pieces);
                }
                sends.Send(partner, sum, length);
                receives.After(0, sends.GetSize() - 1)
                    .ReceiveReduceCopy(partner, sum, OutputAt(offset), length);
            }
        }
    }
    return program.Build();
}

/// Runs one all-reduce on a star of its own. @return its time
Time
Run(const CollectiveRequest& request,
    Ptr<CollectiveAlgorithm> algorithm,
    uint32_t ranks,
    DataRate rate,
    Time delay)
{
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t r = 0; r < ranks; ++r)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(r)), center, rate, delay});
    }
    FabricNetwork network = FabricHelper().Install(graph);
    RdmaHelper().Install(network.hosts);
    GpuCluster cluster = GpuClusterHelper().Install(network);

    Ptr<Communicator> communicator = CreateObject<Communicator>();
    communicator->SetRanks("world", cluster.gpus);
    Ptr<CollectiveExecutor> executor = CreateObject<CollectiveExecutor>();
    executor->SetCommunicator(communicator);
    Time time;
    executor->Launch(request, algorithm, [&time](const CollectiveRecord& record) {
        NS_ABORT_MSG_UNLESS(record.error.empty(), record.error);
        time = record.end - record.start;
    });
    Simulator::Run();
    NS_ABORT_MSG_IF(executor->GetOutstanding() > 0, executor->DescribeBlocked().front());
    Simulator::Destroy();
    return time;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    uint32_t ranks = 4;
    uint64_t piece = 64 * 1024;
    DataRate rate("400Gbps");
    Time delay = MicroSeconds(1);
    CommandLine cmd(__FILE__);
    cmd.AddValue("ranks", "number of GPUs, a power of two", ranks);
    cmd.AddValue("piece", "most bytes of a message of the program", piece);
    cmd.AddValue("rate", "of all links", rate);
    cmd.AddValue("delay", "of each link, one way", delay);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_IF(ranks < 2 || (ranks & (ranks - 1)) != 0, "ranks must be a power of two");
    NS_ABORT_MSG_IF(piece == 0 || piece % FLOAT_BYTES != 0, "piece must be whole floats");

    std::cout << "us, all-reduce of " << ranks << " GPUs\n"
              << std::setw(12) << "bytes" << std::setw(12) << "mine" << std::setw(12) << "ring"
              << std::setw(18) << "halving-doubling" << std::setw(12) << "direct"
              << "\n"
              << std::fixed << std::setprecision(2);
    RankLayout layout = RankLayout::Regular(ranks, 1);
    for (uint64_t bytes : {4096, 65536, 1048576, 16777216})
    {
        CollectiveRequest request = MakeRequest(bytes);
        Ptr<ProgramAlgorithm> mine = CreateObject<ProgramAlgorithm>();
        mine->Set("doubling", request, ranks, MakeDoubling(ranks, bytes, piece));
        CollectivePlan plan = mine->MakePlan(request, layout);
        std::string wrong =
            CheckProgram(*mine->Emit(request, layout, plan), request, layout, plan.window);
        NS_ABORT_MSG_UNLESS(wrong.empty(), "the program is wrong: " << wrong);

        std::cout << std::setw(12) << bytes;
        for (const char* name : {"", "ring", "halving-doubling", "direct"})
        {
            Ptr<CollectiveAlgorithm> algorithm = mine;
            if (*name != '\0')
            {
                algorithm = MakeCollectiveAlgorithm(name);
            }
            std::cout << std::setw(std::string(name) == "halving-doubling" ? 18 : 12)
                      << Run(request, algorithm, ranks, rate, delay).GetSeconds() * 1e6;
        }
        std::cout << std::endl;
    }
    return 0;
}
