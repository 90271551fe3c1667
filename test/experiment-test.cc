// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Experiments of papers: their files, what is measured of results, verdicts, plots. The
 * figures that are expected are computed by hand.
 */

#include "ns3/experiment-report.h"
#include "ns3/experiment.h"
#include "ns3/input-error.h"
#include "ns3/plot.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <unistd.h>

using namespace ns3;

namespace
{

namespace fs = std::filesystem;

/// A folder that is gone at the end.
class ExperimentTest : public testing::Test
{
  protected:
    ExperimentTest()
        : m_folder(fs::temp_directory_path() / ("ai-fabric-experiment-" + std::to_string(getpid())))
    {
        fs::create_directories(m_folder);
    }

    ~ExperimentTest() override
    {
        fs::remove_all(m_folder);
    }

    std::string Write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((m_folder / name).parent_path());
        std::ofstream(m_folder / name) << text;
        return (m_folder / name).string();
    }

    fs::path m_folder;
};

const char* const WHOLE = R"({
  "topology": { "type": "star", "hosts": 2 },
  "experiment": {
    "title": "a title",
    "paper": "a paper",
    "figure": "a figure",
    "compares": "two things",
    "wallTime": "1 s",
    "axes": {
      "control": { "a": { "network.mtu": 1024 }, "b": { "network.mtu": 4096 } },
      "size": { "1": {}, "2": { "jobs.0.workload.flows": [ { "bytes": "1MB", "source": 0 } ] } }
    },
    "short": { "seeds": 2, "set": { "stop": "1ms" }, "keep": { "size": "2" } },
    "full": { "seeds": 3 },
    "measures": {
      "pauses": { "label": "pauses", "file": "summary.json", "column": "fabric.pauses" },
      "curve": { "label": "y", "file": "t.csv", "column": "y", "by": "x" }
    },
    "plots": [ { "title": "One plot", "measure": "pauses", "axis": "control" } ],
    "expect": [
      { "claim": "few", "source": "here", "measure": "pauses", "of": "a/*", "max": 10 },
      { "claim": "more", "source": "here", "measure": "pauses", "of": "b/*", "over": "a/=", "min": 2 },
      { "claim": "sorted", "source": "here", "measure": "pauses", "order": [ "a/2", "b/2" ] }
    ]
  }
}
)";

/// @param text some @param from part of it @param to what it becomes @return the whole
std::string
Replaced(std::string text, const std::string& from, const std::string& to)
{
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace

TEST(ReductionTest, ComesToWhatIsDefined)
{
    EXPECT_DOUBLE_EQ(Reduce("mean", {1, 2, 3, 4}), 2.5);
    EXPECT_DOUBLE_EQ(Reduce("sum", {1, 2, 3, 4}), 10);
    EXPECT_DOUBLE_EQ(Reduce("min", {3, 1, 2}), 1);
    EXPECT_DOUBLE_EQ(Reduce("max", {3, 1, 2}), 3);
    EXPECT_DOUBLE_EQ(Reduce("count", {3, 1, 2}), 3);
    EXPECT_DOUBLE_EQ(Reduce("spread", {3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(Reduce("deviation", {2, 4, 4, 4, 5, 5, 7, 9}), 2);
    EXPECT_DOUBLE_EQ(Reduce("jain", {5, 5, 5, 5}), 1);
    EXPECT_DOUBLE_EQ(Reduce("jain", {7, 0, 0, 0}), 0.25);
    EXPECT_DOUBLE_EQ(Reduce("jain", {1, 3}), 16.0 / 20);
    std::vector<double> hundred(100);
    std::iota(hundred.begin(), hundred.end(), 1);
    EXPECT_DOUBLE_EQ(Reduce("p50", hundred), 50);
    EXPECT_DOUBLE_EQ(Reduce("p95", hundred), 95);
    EXPECT_DOUBLE_EQ(Reduce("p99", hundred), 99);
    EXPECT_DOUBLE_EQ(Reduce("p99.9", hundred), 100);
    EXPECT_DOUBLE_EQ(Reduce("p50", {4}), 4);
}

TEST_F(ExperimentTest, IsReadWhole)
{
    const Experiment experiment = ReadExperiment(Write("one.json", WHOLE));
    EXPECT_EQ(experiment.name, "one");
    EXPECT_EQ(experiment.paper, "a paper");
    ASSERT_EQ(experiment.axes.size(), 2U);
    ASSERT_EQ(experiment.measures.size(), 2U);
    EXPECT_EQ(experiment.plots.front().kind, "bars");

    const std::vector<ExperimentVariant> brief = GetVariants(experiment, experiment.brief);
    ASSERT_EQ(brief.size(), 2U);
    EXPECT_EQ(brief[0].name, "a/2");
    EXPECT_EQ(brief[1].name, "b/2");
    const std::vector<std::string> settings{
        "stop=\"1ms\"",
        "network.mtu=1024",
        R"(jobs.0.workload.flows=[{"bytes":"1MB","source":0}])"};
    EXPECT_EQ(brief[0].settings, settings);

    const std::vector<ExperimentVariant> full = GetVariants(experiment, experiment.full);
    ASSERT_EQ(full.size(), 4U);
    EXPECT_EQ(full[1].name, "a/2");
    EXPECT_TRUE(FitsVariant("*/2", full[1]));
    EXPECT_FALSE(FitsVariant("b/*", full[1]));
    EXPECT_TRUE(FitsVariant("*", full[1]));
    EXPECT_FALSE(FitsVariant("a", full[1]));
    EXPECT_EQ(ResolvePattern("b/=", full[1]), "b/2");
}

TEST_F(ExperimentTest, IsRefusedWhereItIsWrong)
{
    struct Fault
    {
        const char* from;
        const char* to;
        const char* message; ///< part of it: the place, and what is wrong
    };

    const std::vector<Fault> faults{
        {"\"experiment\"", "\"experimental\"", "bad.json: experiment: is not there"},
        {"\"title\": \"a title\",", "", "bad.json:3: experiment.title:"},
        {"\"a figure\"", "\"\"", "bad.json:6: experiment.figure: \"\" is empty"},
        {"\"wallTime\"", "\"walltime\"", "experiment.wallTime:"},
        {"\"seeds\": 2", "\"seeds\": 0", "bad.json:13: experiment.short.seeds:"},
        {"\"size\": \"2\"", "\"size\": \"3\"", "the axis has no value \"3\""},
        {"\"keep\": { \"size\"", "\"keep\": { \"length\"", "experiment.short.keep.length:"},
        {"\"a\": {", "\"a/b\": {", "\"a/b\" is no name of a value"},
        {"summary.json", "summary.txt", "\"summary.txt\" has no table"},
        {"\"by\": \"x\"", "\"reduce\": \"median\"", "experiment.measures.curve.reduce:"},
        {"\"by\": \"x\"", "\"curves\": \"x\"", "has edges or curves, and no points"},
        {"\"by\": \"x\"", "\"by\": \"x\", \"edges\": [ 2, 1 ]", "are no bins"},
        {"\"measure\": \"pauses\", \"axis\"",
         "\"measure\": \"pause\", \"axis\"",
         "experiment.plots[0].measure:"},
        {"\"axis\": \"control\"", "\"axis\": \"contol\"", "experiment.plots[0].axis:"},
        {"\"of\": \"a/*\"", "\"of\": \"c/*\"", "\"c/*\" fits no variant"},
        {"\"over\": \"a/=\"", "\"over\": \"a/3\"", "\"a/3\" fits no variant"},
        {"\"max\": 10", "\"slack\": 0.1", "expects nothing that can be checked"},
        {"\"max\": 10", "\"mox\": 10", "experiment.expect[0].mox:"},
        {"\"measure\": \"pauses\", \"order\"",
         "\"measure\": \"curve\", \"order\"",
         "experiment.expect[2].measure:"},
        {"\"source\": \"here\", \"measure\": \"pauses\", \"of\": \"a/*\"",
         "\"measure\": \"pauses\", \"of\": \"a/*\"",
         "experiment.expect[0].source:"},
    };
    for (const Fault& fault : faults)
    {
        const std::string path = Write("bad.json", Replaced(WHOLE, fault.from, fault.to));
        try
        {
            ReadExperiment(path);
            ADD_FAILURE() << fault.to << " was not refused";
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find(fault.message), std::string::npos)
                << fault.message << " is not in: " << error.what();
        }
    }
}

TEST_F(ExperimentTest, MeasuresRowsThatFit)
{
    Write("t.csv",
          "time_us,flow,port,y\n"
          "1,0,a,10\n"
          "1,1,a,30\n"
          "2,0,a,20\n"
          "2,1,a,40\n"
          "3,0,b,70\n");
    ExperimentMeasure measure;
    measure.name = "m";
    measure.file = "t.csv";
    measure.column = "y";
    auto figure = [&] {
        return Measure(measure, m_folder.string(), "e.json").at(0).points.at(0).second;
    };
    EXPECT_DOUBLE_EQ(figure(), 34); // (10 + 30 + 20 + 40 + 70) / 5
    measure.where = {{"port", {"a"}}};
    EXPECT_DOUBLE_EQ(figure(), 25);
    measure.where = {{"time_us", {}, 2, 2}};
    EXPECT_DOUBLE_EQ(figure(), 30);
    measure.where = {{"port", {"a"}}};
    measure.each = "flow"; // means 15 and 35
    measure.reduce = "jain";
    EXPECT_DOUBLE_EQ(figure(), 50.0 * 50 / (2 * (225 + 1225)));
    measure.each = "time_us"; // sums 40 and 60
    measure.eachReduce = "sum";
    measure.reduce = "mean";
    measure.scale = 0.1;
    EXPECT_DOUBLE_EQ(figure(), 5);

    measure = {};
    measure.name = "m";
    measure.file = "t.csv";
    measure.column = "y";
    measure.by = "time_us";
    measure.curves = "flow";
    std::vector<MeasuredCurve> curves = Measure(measure, m_folder.string(), "e.json");
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_EQ(curves[1].name, "1");
    const std::vector<std::pair<double, double>> second{{1, 30}, {2, 40}};
    EXPECT_EQ(curves[1].points, second);

    measure.curves.clear();
    measure.edges = {0, 1, 3}; // (0, 1] and (1, 3]
    curves = Measure(measure, m_folder.string(), "e.json");
    const std::vector<std::pair<double, double>> bins{{1, 20}, {3, 130.0 / 3}};
    EXPECT_EQ(curves.at(0).points, bins);
}

TEST_F(ExperimentTest, SaysWhatResultsLack)
{
    Write("t.csv", "x,y\n1,2\n1,many\n");
    ExperimentMeasure measure;
    measure.name = "m";
    measure.file = "t.csv";
    auto message = [&](const char* column) -> std::string {
        measure.column = column;
        try
        {
            Measure(measure, m_folder.string(), "e.json");
        }
        catch (const InputError& error)
        {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message("z").find("has no column \"z\"; expected one of x, y"), std::string::npos);
    EXPECT_NE(message("y").find("\"many\" in column y"), std::string::npos);
    measure.where = {{"x", {"7"}}};
    EXPECT_NE(message("x").find("no row that the conditions let through"), std::string::npos);
    measure.none = 0;
    EXPECT_EQ(message("x"), "");
    measure.file = "u.csv";
    EXPECT_NE(message("x").find("was not written"), std::string::npos);
}

TEST_F(ExperimentTest, TakesTheMeanOfRuns)
{
    const std::vector<MeasuredCurve> mean =
        MeanOfRuns({{{"f", {{1, 10}, {2, 20}}}}, {{"f", {{1, 30}}}, {"g", {{5, 1}}}}});
    ASSERT_EQ(mean.size(), 2U);
    const std::vector<std::pair<double, double>> f{{1, 20}, {2, 20}};
    EXPECT_EQ(mean[0].points, f);
    EXPECT_EQ(mean[1].name, "g");
}

TEST_F(ExperimentTest, GivesVerdicts)
{
    const Experiment experiment = ReadExperiment(
        Write("one.json",
              Replaced(WHOLE,
                       ",\n      \"curve\": { \"label\": \"y\", \"file\": \"t.csv\", "
                       "\"column\": \"y\", \"by\": \"x\" }",
                       "")));
    const std::vector<ExperimentVariant> variants = GetVariants(experiment, experiment.brief);
    auto run = [this](const std::string& name, int pauses) {
        Write(name + "/summary.json",
              "{ \"fabric\": { \"pauses\": " + std::to_string(pauses) + " } }");
        return (m_folder / name).string();
    };
    const std::vector<std::string> a{run("a1", 6), run("a2", 10)}; // mean 8: at most 10
    ExperimentReport good(experiment, "short", variants, {a, {run("b1", 16), run("b2", 16)}});
    EXPECT_TRUE(good.AllHold());
    EXPECT_EQ(good.GetOutcomes()[1].found, "b/2 2"); // 16 / 8, at least 2
    ExperimentReport bad(experiment, "short", variants, {a, {run("b3", 15), run("b4", 16)}});
    EXPECT_FALSE(bad.AllHold());
    EXPECT_TRUE(bad.GetOutcomes()[0].holds);
    EXPECT_FALSE(bad.GetOutcomes()[1].holds);
    EXPECT_TRUE(bad.GetOutcomes()[2].holds);

    bad.Write(ResultsFolder((m_folder / "out").string()), "a command");
    for (const char* file : {"data.csv", "expectations.csv", "one-plot.svg", "report.html"})
    {
        EXPECT_GT(fs::file_size(m_folder / "out" / file), 0U) << file;
    }
    std::ostringstream table;
    bad.Print(table);
    EXPECT_NE(table.str().find("2 of 3 expectations hold"), std::string::npos);
}

TEST(PlotTest, PutsPointsWhereTheyBelong)
{
    // The frame is 74 to 620 from left to right, 324 to 40 from the foot up.
    std::ostringstream linear;
    WriteSvg(linear,
             LinePlot{"t", {"x", false}, {"y", false}, {{"c", {{0, 0}, {5, 50}, {10, 100}}}}});
    EXPECT_NE(linear.str().find("M74.0 324.0L347.0 182.0L620.0 40.0"), std::string::npos);
    std::ostringstream logarithmic;
    WriteSvg(
        logarithmic,
        LinePlot{"t", {"x", true}, {"y", true}, {{"c", {{1, 1}, {0, 7}, {10, 10}, {100, 100}}}}});
    EXPECT_NE(logarithmic.str().find("M74.0 324.0L347.0 182.0L620.0 40.0"), std::string::npos);
    std::ostringstream bars; // 0 to 10; groups of 273, bars of 60
    WriteSvg(bars, BarPlot{"t", {"y", false}, {"g", "h"}, {{"", {10, std::nullopt}}}});
    EXPECT_NE(bars.str().find("x=\"181.0\" y=\"40.0\" width=\"59.0\" height=\"284.0\""),
              std::string::npos);
    std::ostringstream empty;
    WriteSvg(empty, LinePlot{"t", {"x", false}, {"y", true}, {}});
    EXPECT_NE(empty.str().find("</svg>"), std::string::npos);
}

TEST(PlotTest, ShortensNumbers)
{
    EXPECT_EQ(ShortNumber(0), "0");
    EXPECT_EQ(ShortNumber(0.98765), "0.9877");
    EXPECT_EQ(ShortNumber(2000), "2000");
    EXPECT_EQ(ShortNumber(12500), "12.5k");
    EXPECT_EQ(ShortNumber(-3e6), "-3M");
    EXPECT_EQ(ShortNumber(4e9), "4G");
}
