// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/config.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace
{

/// The cases of a program run one after the other in one process: each finds ns-3 as a new process
/// would.
class FreshSimulator : public testing::EmptyTestEventListener
{
    void OnTestEnd(const testing::TestInfo&) override
    {
        ns3::Simulator::Destroy();
        ns3::Config::Reset();
    }
};

} // namespace

int
main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new FreshSimulator);
    return RUN_ALL_TESTS();
}
