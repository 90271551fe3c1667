// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief RandomStream against ns-3's own RngStream and UniformRandomVariable: the same numbers, bit
 * for bit.
 */

#include "ns3/random-stream.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/rng-stream.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr uint64_t FIRST_CHOSEN = uint64_t{1} << 63;

TEST(RandomStream, HasTheNumbersOfNs3)
{
    for (uint32_t seed : {1U, 12345U, 4294944442U}) // the greatest one that is valid
    {
        for (uint64_t run : {uint64_t{1}, uint64_t{77}, uint64_t{1} << 40})
        {
            for (int64_t chosen : {int64_t{0}, int64_t{1}, int64_t{123456789012}, INT64_MAX})
            {
                RngSeedManager::SetSeed(seed);
                RngSeedManager::SetRun(run);
                RngStream theirs(seed, FIRST_CHOSEN + static_cast<uint64_t>(chosen), run);
                RandomStream ours;
                ours.Assign(chosen);
                for (int i = 0; i < 1000; ++i)
                {
                    ASSERT_EQ(ours.Draw(), theirs.RandU01()) << seed << " " << run << " " << chosen;
                }
            }
        }
    }
}

TEST(RandomStream, TakesItsTurnAmongAutomaticStreams)
{
    const uint64_t before = RngSeedManager::GetNextStreamIndex();
    RandomStream first;
    auto second = CreateObject<UniformRandomVariable>();
    RandomStream third;
    RngStream expected(RngSeedManager::GetSeed(), before + 1, RngSeedManager::GetRun());
    RngStream expectedThird(RngSeedManager::GetSeed(), before + 3, RngSeedManager::GetRun());
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(first.Draw(), expected.RandU01());
        EXPECT_EQ(third.Draw(), expectedThird.RandU01());
    }
}

TEST(RandomStream, StaysBetweenZeroAndOneWithTheRightMean)
{
    RandomStream stream;
    stream.Assign(5);
    constexpr int COUNT = 100000;
    double sum = 0;
    for (int i = 0; i < COUNT; ++i)
    {
        const double value = stream.Draw();
        ASSERT_GT(value, 0);
        ASSERT_LT(value, 1);
        sum += value;
    }
    EXPECT_NEAR(sum / COUNT, 0.5, 4 * 0.2887 / 316); // four standard errors of the mean
}

} // namespace
