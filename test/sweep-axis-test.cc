// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What --vary says: values, labels, combinations, numbers; and how a summary becomes a row.
 */

#include "ns3/input-error.h"
#include "ns3/sweep-axis.h"
#include "ns3/sweep-report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ns3;

namespace
{

using Words = std::vector<std::string>;

/// @return labels of axes with these paths
Words
LabelsOf(const Words& paths)
{
    std::vector<SweepAxis> axes;
    for (const std::string& path : paths)
    {
        axes.push_back({path, "", {"1"}});
    }
    LabelSweepAxes(axes);
    Words labels;
    for (const SweepAxis& axis : axes)
    {
        labels.push_back(axis.label);
    }
    return labels;
}

std::optional<std::vector<double>>
NumbersOf(const Words& values)
{
    return GetSweepNumbers({"x", "x", values});
}

} // namespace

TEST(SweepAxis, CommasInQuotesAndBracketsBelongToAValue)
{
    EXPECT_EQ(ParseSweepAxis("network.mtu=1024,4096").path, "network.mtu");
    EXPECT_EQ(ParseSweepAxis("a=1, 2 ,3").values, (Words{"1", "2", "3"}));
    EXPECT_EQ(ParseSweepAxis("a=[1,2],[3,[4,5]]").values, (Words{"[1,2]", "[3,[4,5]]"}));
    EXPECT_EQ(ParseSweepAxis(R"(a={"x":1,"y":"},{"},none)").values,
              (Words{R"({"x":1,"y":"},{"})", "none"}));
    EXPECT_EQ(ParseSweepAxis(R"(a="x, \"y\"",z)").values, (Words{R"("x, \"y\"")", "z"}));
    EXPECT_EQ(ParseSweepAxis("a=1MiB:64MiB:4").values, (Words{"1MiB:64MiB:4"}));
    EXPECT_EQ(ParseSweepAxis(R"(a="")").values, (Words{R"("")"}));
    for (const char* text :
         {"a", "=1", "a=", "a=1,,2", "a=1,1", "a=[1", "a=1]", "a=\"x", "a={x:1}", "a=[1 2]"})
    {
        EXPECT_THROW(ParseSweepAxis(text), InputError) << text;
    }
}

TEST(SweepAxis, LabelsAreTheShortestThatTellApart)
{
    EXPECT_EQ(LabelsOf({"network.mtu", "seed"}), (Words{"mtu", "seed"}));
    EXPECT_EQ(LabelsOf({"jobs.0.workload.sizes", "jobs.1.workload.sizes"}),
              (Words{"jobs.0.workload.sizes", "jobs.1.workload.sizes"}));
    EXPECT_EQ(LabelsOf({"jobs[0].start", "faults[0].start"}),
              (Words{"jobs[0].start", "faults[0].start"}));
    EXPECT_EQ(LabelsOf({"attributes.ns3::DcqcnCongestionOps::RateAi"}), (Words{"RateAi"}));
    EXPECT_EQ(LabelsOf({"network.pfc.classes.0"}), (Words{"classes.0"}));
    EXPECT_THROW(LabelsOf({"seed", "seed"}), InputError);
}

TEST(SweepAxis, PointsAreTheProduct)
{
    const std::vector<SweepAxis> axes{{"a", "a", {"1", "2"}}, {"b", "b", {"x", "y", "z"}}};
    const std::vector<SweepPoint> points = GetSweepPoints(axes);
    ASSERT_EQ(points.size(), 6U);
    EXPECT_EQ(points[0], (Words{"1", "x"}));
    EXPECT_EQ(points[1], (Words{"1", "y"}));
    EXPECT_EQ(points[5], (Words{"2", "z"}));
    EXPECT_EQ(GetSweepPoints({}), std::vector<SweepPoint>{{}});
}

TEST(SweepAxis, QuantitiesOfOneUnitAreNumbers)
{
    EXPECT_EQ(NumbersOf({"1", "2.5"}), (std::vector<double>{1, 2.5}));
    EXPECT_EQ(NumbersOf({"64KiB", "1MiB", "2MB"}), (std::vector<double>{65536, 1048576, 2e6}));
    EXPECT_EQ(NumbersOf({"100Gbps", "1Tbps"}), (std::vector<double>{100e9, 1e12}));
    const auto times = NumbersOf({"5us", "1ms"});
    ASSERT_TRUE(times.has_value());
    EXPECT_DOUBLE_EQ(times->at(0), 5e-6);
    EXPECT_DOUBLE_EQ(times->at(1), 1e-3);
    EXPECT_FALSE(NumbersOf({"1us", "1MB"}).has_value());
    EXPECT_FALSE(NumbersOf({"dcqcn", "none"}).has_value());
    EXPECT_FALSE(NumbersOf({"inf", "nan"}).has_value());
    EXPECT_FALSE(NumbersOf({"1MiB:4MiB:2"}).has_value());
}

TEST(SweepReport, FlattensASummary)
{
    const auto summary = nlohmann::ordered_json::parse(R"({
        "name": "s",
        "collectives": [
            { "job": "a", "op": "all-reduce", "bytes": 8, "time_us": 1.5, "algorithm": "ring" },
            { "job": "a", "op": "all-reduce", "bytes": 16, "time_us": 2.5, "algorithm": "tree" },
            { "job": "a", "op": "all-reduce", "bytes": 16, "time_us": 2.25, "algorithm": "ring" } ],
        "flows": { "completed": 3, "completion_us": { "p50": 7 } },
        "blocked": [ "a line" ] })");
    std::map<std::string, nlohmann::ordered_json> figures;
    for (const auto& [name, value] : FlattenSummary(summary))
    {
        EXPECT_TRUE(figures.emplace(name, value).second) << name << " is there twice";
    }
    EXPECT_EQ(figures.at("name"), "s");
    EXPECT_EQ(figures.at("flows.completion_us.p50"), 7);
    EXPECT_EQ(figures.at("collectives.a all-reduce 8.time_us"), 1.5);
    EXPECT_EQ(figures.at("collectives.a all-reduce 16.time_us"), 2.5);
    EXPECT_EQ(figures.at("collectives.a all-reduce 16 #2.time_us"), 2.25);
    EXPECT_EQ(figures.at("largest_collective.time_us"), 2.25); // the last of the largest
    EXPECT_EQ(figures.at("largest_collective.algorithm"), "ring");
    EXPECT_EQ(figures.count("blocked"), 0U);
}
