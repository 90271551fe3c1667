// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The map from DSCP to traffic class: what it says, and what it refuses.
 */

#include "ns3/dscp-map.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

DscpMap
Valid(const std::string& text)
{
    std::string error;
    DscpMap map = DscpMap::Parse(text, error);
    EXPECT_EQ(error, "");
    return map;
}

TEST(DscpMap, MapsWhatItsTextSays)
{
    DscpMap map = Valid("46:5,26:3,48-55:6");
    for (uint32_t dscp = 0; dscp < 64; ++dscp)
    {
        uint32_t expected = dscp == 46 ? 5 : dscp == 26 ? 3 : dscp >= 48 && dscp <= 55 ? 6 : 1;
        EXPECT_EQ(map.ClassOf(static_cast<uint8_t>(dscp), 1), expected) << dscp;
    }
}

TEST(DscpMap, MayBeEmptyOrWhole)
{
    EXPECT_EQ(Valid("").ClassOf(46, 2), 2);
    EXPECT_EQ(Valid("0-63:7").ClassOf(0, 2), 7);
    EXPECT_EQ(Valid("0-63:7").ClassOf(63, 2), 7);
    EXPECT_EQ(Valid("0:0").ClassOf(0, 2), 0);
}

TEST(DscpMap, GivesATextThatMeansTheSame)
{
    EXPECT_EQ(Valid("48-55:6,46:5,26:3").ToString(), "26:3,46:5,48-55:6");
    EXPECT_EQ(Valid("1:2,2:2,3:3").ToString(), "1-2:2,3:3");
    EXPECT_EQ(Valid("").ToString(), "");
}

struct BadMap
{
    const char* text;
    const char* entry; ///< that is named
    const char* why;
};

class DscpMapRefuses : public testing::TestWithParam<BadMap>
{
};

TEST_P(DscpMapRefuses, WithTextEntryAndReason)
{
    std::string error;
    DscpMap map = DscpMap::Parse(GetParam().text, error);
    EXPECT_NE(error.find('"' + std::string(GetParam().text) + '"'), std::string::npos) << error;
    EXPECT_NE(error.find('"' + std::string(GetParam().entry) + '"'), std::string::npos) << error;
    EXPECT_NE(error.find(GetParam().why), std::string::npos) << error;
    EXPECT_EQ(map.ToString(), "") << "nothing of it is used";
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         DscpMapRefuses,
                         testing::Values(BadMap{"46:5,64:3", "64:3", "0 to 63"},
                                         BadMap{"46:8", "46:8", "0 to 7"},
                                         BadMap{"55-48:6", "55-48:6", "not above its last"},
                                         BadMap{"40-46:5,46:3", "46:3", "already has class 5"},
                                         BadMap{"46", "46", "DSCP:CLASS"},
                                         BadMap{"46:5,", "", "DSCP:CLASS"},
                                         BadMap{"46:5, 26:3", " 26:3", "without spaces"},
                                         BadMap{"-1:3", "-1:3", "DSCP:CLASS"},
                                         BadMap{"4x:3", "4x:3", "DSCP:CLASS"},
                                         BadMap{"46:5:6", "46:5:6", "DSCP:CLASS"},
                                         BadMap{"46:99999999999", "46:99999999999", "DSCP:CLASS"}));

} // namespace
