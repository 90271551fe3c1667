// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Rules of NCCL's example of a tuner plugin: how its file is read (as ext-tuner/example in
 * NCCL 2.28 describes it), and that a rule comes before the cost model.
 */

#include "program-run.h"

#include "ns3/input-error.h"
#include "ns3/nccl-tuner-file.h"
#include "ns3/nccl-tuner.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace test;

namespace
{

constexpr uint64_t KIB = 1 << 10;
constexpr uint64_t MIB = 1 << 20;

/// A file of rules that goes with the test.
class TunerFile : public testing::Test
{
  protected:
    NcclTunerTable Read(const std::string& text)
    {
        folder.Write("tuner.csv", text);
        return ReadNcclTunerFile(path);
    }

    void ExpectRefusal(const std::string& text, const std::vector<std::string>& parts)
    {
        try
        {
            Read(text);
            FAIL() << "no refusal of " << text;
        }
        catch (const InputError& error)
        {
            for (const std::string& part : parts)
            {
                EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                    << part << " in: " << error.what();
            }
        }
    }

    TemporaryFolder folder;
    const std::string path = folder.PathOf("tuner.csv");
};

CollectiveRequest
AllReduce(uint64_t bytes)
{
    CollectiveRequest request;
    request.operation = CollectiveOperation::ALL_REDUCE;
    request.typeBytes = 4;
    request.count = bytes / 4;
    return request;
}

/// Two nodes of 8 H100 with 8 NICs of 400 Gb/s.
struct TwoNodes
{
    TwoNodes()
        : layout(RankLayout::Regular(2, 8))
    {
        platform.computeCapability = 90;
        platform.scaleUpGBps = 450;
        platform.scaleUpLinks = 18;
        platform.nicGBps = 50;
        platform.nicsPerGroup = 8;
        platform.cpuVendor = "intel";
    }

    CollectivePlan Choose(const NcclTunerTable& table, uint64_t bytes) const
    {
        auto tuner = CreateObject<NcclTuner>();
        tuner->SetTable(table);
        std::string error;
        CollectivePlan plan = tuner->Choose(AllReduce(bytes), layout, platform, error);
        EXPECT_EQ(error, "");
        return plan;
    }

    CollectivePlatform platform;
    RankLayout layout;
};

} // namespace

// ---------------------------------------------------------------- the file

TEST_F(TunerFile, HasARuleALine)
{
    NcclTunerTable table =
        Read("# collective_type,...\n"
             "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n"
             "\n"
             "allreduce, 0, 65536, tree, simple, 2, 1, -1, -1, 1   # registered buffers only\n"
             "broadcast,32769,4294967295,ring,ll128,-1,-1,16,1,0\n"
             "allgather,0,18446744073709551615,nvls_tree,ll,-1,2,-1\n");
    ASSERT_EQ(table.size(), 3u);
    EXPECT_EQ(table[0].operation, CollectiveOperation::ALL_REDUCE);
    EXPECT_EQ(table[0].mostBytes, 65536u);
    EXPECT_EQ(table[0].algorithm, NcclAlgorithm::TREE);
    EXPECT_EQ(table[0].protocol, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(table[0].channels, 2u);
    EXPECT_EQ(table[0].nodes, 1u);
    EXPECT_FALSE(table[0].ranks);
    EXPECT_FALSE(table[0].pipelineOps);
    EXPECT_EQ(table[0].registered, true);
    EXPECT_EQ(table[0].name, "tuner.csv:4");
    EXPECT_EQ(table[1].leastBytes, 32769u);
    EXPECT_EQ(table[1].protocol, CollectiveProtocol::LL128);
    EXPECT_FALSE(table[1].channels);
    EXPECT_EQ(table[1].ranks, 16u);
    EXPECT_EQ(table[1].pipelineOps, 1u);
    EXPECT_EQ(table[1].registered, false);
    EXPECT_EQ(table[2].mostBytes, UINT64_MAX);
    EXPECT_EQ(table[2].algorithm, NcclAlgorithm::NVLS_TREE);
    EXPECT_FALSE(table[2].registered);
}

TEST_F(TunerFile, NamesLineFieldAndWhatIsAllowed)
{
    ExpectRefusal("# none\nallreduce,0,1,ring,ll,-1,-1\n", {"tuner.csv:2", "7 words", "8 to 10"});
    ExpectRefusal("alltoall,0,1,ring,ll,-1,-1,-1\n",
                  {"tuner.csv:1", "collective_type", "\"alltoall\"", "allreduce", "reducescatter"});
    ExpectRefusal("allreduce,0,1,collnet_direct,ll,-1,-1,-1\n",
                  {"algorithm", "is not simulated", "nvls_tree"});
    ExpectRefusal("allreduce,0,1,ring,LL64,-1,-1,-1\n", {"protocol", "\"LL64\"", "ll128"});
    ExpectRefusal("allreduce,2,1,ring,ll,-1,-1,-1\n", {"max_bytes", "1"});
    ExpectRefusal("allreduce,-1,1,ring,ll,-1,-1,-1\n", {"min_bytes", "-1"});
    ExpectRefusal("allreduce,0,1,ring,ll,0,-1,-1\n", {"channels", "0", "64"});
    ExpectRefusal("allreduce,0,1,ring,ll,-1,-1,-1,-1,2\n", {"regBuff", "2"});
    EXPECT_THROW(ReadNcclTunerFile(folder.PathOf("none.csv")), InputError);
}

// ---------------------------------------------------------------- what it does

TEST_F(TunerFile, ComesBeforeTheCostModel)
{
    TwoNodes cluster;
    const NcclTunerTable table = Read("allreduce,1048576,2097152,ring,simple,-1,2,16\n"
                                      "allreduce,1048576,2097152,tree,ll,-1,-1,-1\n");
    const CollectivePlan own = cluster.Choose({}, MIB);
    EXPECT_EQ(own.algorithm + " " + ToString(own.protocol), "tree LL128");
    const CollectivePlan plan = cluster.Choose(table, MIB);
    EXPECT_EQ(plan.algorithm + " " + ToString(plan.protocol), "ring Simple");
    EXPECT_EQ(plan.why, "tuner.csv:1; " + own.why);
    EXPECT_GT(plan.predictedUs, own.predictedUs);
    for (uint64_t bytes : {MIB - 4, 2 * MIB + 4})
    {
        EXPECT_EQ(cluster.Choose(table, bytes).why, cluster.Choose({}, bytes).why);
    }
}

TEST_F(TunerFile, ItsFirstRuleThatCanBeFollowedCounts)
{
    // No switch adds up here, there are 16 ranks on 2 nodes, buffers are not registered, and
    // collectives come one by one.
    TwoNodes cluster;
    const NcclTunerTable table = Read("allreduce,0,4194304,nvls,simple,-1,-1,-1\n"
                                      "allreduce,0,4194304,ring,ll,-1,4,-1\n"
                                      "allreduce,0,4194304,ring,ll,-1,-1,32\n"
                                      "allreduce,0,4194304,ring,ll,-1,-1,-1,4\n"
                                      "allreduce,0,4194304,ring,ll,-1,-1,-1,-1,1\n"
                                      "reduce,0,4194304,ring,ll,-1,-1,-1\n"
                                      "allreduce,0,4194304,ring,ll128,3,2,16,1,0\n");
    const CollectivePlan plan = cluster.Choose(table, 4 * MIB);
    EXPECT_EQ(plan.algorithm + " " + ToString(plan.protocol), "ring LL128");
    EXPECT_EQ(plan.channels, 3u);
    EXPECT_EQ(plan.why.substr(0, 13), "tuner.csv:7; ");
}

TEST_F(TunerFile, ThatNobodyHasReadIsAnError)
{
    TwoNodes cluster;
    auto tuner = CreateObject<NcclTuner>();
    tuner->SetAttribute("Environment", StringValue("NCCL_TUNER_CONFIG_FILE=tuner.csv"));
    std::string error;
    tuner->Choose(AllReduce(64 * KIB), cluster.layout, cluster.platform, error);
    EXPECT_NE(error.find("ReadNcclTunerFile"), std::string::npos) << error;
}

TEST_F(TunerFile, IsNamedByAScenario)
{
    // Beside the scenario; the example that comes with the module has ring LL128 up to 1 MiB.
    const std::string source = AI_FABRIC_SOURCE_DIR;
    const std::string scenario = "run " + source +
                                 "/examples/scenarios/quickstart.json --quiet "
                                 "--set nccl.NCCL_TUNER_CONFIG_FILE=../nccl/tuner.csv "
                                 "--set jobs[0].workload.algorithm=auto ";
    ProgramResult run =
        RunProgram(scenario + "--set jobs[0].workload.sizes=128KiB --out " + folder.PathOf("ok"));
    ASSERT_EQ(run.status, 0) << run.output;
    const std::string collectives = ReadBytes(folder.PathOf("ok/collectives.csv"));
    EXPECT_NE(collectives.find("tuner.csv:5; "), std::string::npos) << collectives;
    folder.Write("tuner.csv", "allreduce,0,1,ring,ll,0,-1,-1\n");
    run = RunProgram(scenario + "--set nccl.NCCL_TUNER_CONFIG_FILE=" + path + " --out " +
                     folder.PathOf("bad"));
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("tuner.csv:1: channels"), std::string::npos) << run.output;
}
