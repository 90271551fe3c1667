// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Every file of test/data/bad-input has one fault. Its message must name the place, the
 * value found and what is allowed: index.txt says which words. (bad-input-test.sh runs the program
 * on them.)
 */

#include "ns3/hpcc-config.h"
#include "ns3/hpcc-flows.h"
#include "ns3/nstime.h"
#include "ns3/scenario.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

const std::string FOLDER = AI_FABRIC_SOURCE_DIR "/test/data/bad-input/";

struct BadInput
{
    std::string file;
    std::vector<std::string> parts;
};

/// @return the lines of index.txt: FILE | PART | PART ...
std::vector<BadInput>
ReadIndex()
{
    std::vector<BadInput> inputs;
    std::ifstream in(FOLDER + "index.txt");
    for (std::string line; std::getline(in, line);)
    {
        BadInput input;
        for (size_t at = 0; line[0] != '#' && at != std::string::npos;)
        {
            size_t bar = line.find(" | ", at);
            std::string part = line.substr(at, bar == std::string::npos ? bar : bar - at);
            if (at == 0)
            {
                input.file = part;
            }
            else
            {
                input.parts.push_back(part);
            }
            at = bar == std::string::npos ? bar : bar + 3;
        }
        if (!input.file.empty())
        {
            inputs.push_back(input);
        }
    }
    return inputs;
}

bool
EndsWith(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Reads an input and all that it names, as a run does. @return the complaint; empty: none
std::string
Complaint(const std::string& file)
{
    try
    {
        if (!EndsWith(file, ".config.txt"))
        {
            ReadScenario(FOLDER + file);
            return "";
        }
        HpccConfig config = ReadHpccConfig(FOLDER + file);
        HpccTopology topology = ReadHpccTopology(FindHpccFile(config, "TOPOLOGY_FILE"));
        CheckHpccThresholds(config, topology);
        ReadHpccFlows(FindHpccFile(config, "FLOW_FILE"), topology.isHost);
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

class BadInputTest : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        Time::SetResolution(Time::PS);
    }
};

TEST_F(BadInputTest, EveryFaultIsNamed)
{
    std::vector<BadInput> inputs = ReadIndex();
    EXPECT_GE(inputs.size(), 45U);
    for (const BadInput& input : inputs)
    {
        SCOPED_TRACE(input.file);
        std::string complaint = Complaint(input.file);
        EXPECT_FALSE(complaint.empty()) << "was accepted";
        EXPECT_FALSE(input.parts.empty());
        EXPECT_EQ(complaint.find('\n'), std::string::npos) << "more than one line";
        for (const std::string& part : input.parts)
        {
            EXPECT_NE(complaint.find(part), std::string::npos)
                << "no \"" << part << "\" in: " << complaint;
        }
    }
}

TEST_F(BadInputTest, FilesThatAreMissing)
{
    EXPECT_NE(
        Complaint("no-such-file.json").find("no-such-file.json: cannot be read: No such file"),
        std::string::npos);
    EXPECT_NE(Complaint("no-such-file.config.txt").find("no-such-file.config.txt: cannot be read"),
              std::string::npos);
}
