// SPDX-License-Identifier: GPL-2.0-only
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The section "experiment" of a scenario file: what a paper's figure compares, what is
 * measured, and what is expected. doc/reproduce.rst has the table of keys.
 */

/// How an experiment's scenario is run: quickly, or as the paper did.
struct ExperimentForm
{
    uint32_t seeds{1};                 ///< runs of each variant, with seeds 1, 2, ...
    std::vector<std::string> settings; ///< PATH=VALUE, for all variants
    std::vector<std::pair<std::string, std::vector<std::string>>> keep; ///< axis: values it has
};

/// A value of an axis.
struct ExperimentValue
{
    std::string name;
    std::vector<std::string> settings; ///< PATH=VALUE
};

/// What differs between variants.
struct ExperimentAxis
{
    std::string name;
    std::vector<ExperimentValue> values; ///< at least one
};

/// One combination of values, one of each axis.
struct ExperimentVariant
{
    std::string name;                  ///< the values' names, with '/' between them
    std::vector<std::string> values;   ///< by axis
    std::vector<std::string> settings; ///< PATH=VALUE, the form's first
};

/// Rows of a result file that a measure takes.
struct MeasureCondition
{
    std::string column;
    std::vector<std::string> words; ///< one of these; empty: a number from least to most
    double least{-std::numeric_limits<double>::infinity()};
    double most{std::numeric_limits<double>::infinity()};
};

/// A figure, or a curve, that is taken from each run's results.
struct ExperimentMeasure
{
    std::string name;
    std::string label;                   ///< with unit, for axes and tables
    std::string file;                    ///< of the results folder: NAME.csv, or summary.json
    std::string column;                  ///< of a csv; of summary.json keys with points between
    std::vector<MeasureCondition> where; ///< all hold
    std::string each;                    ///< column: rows that have its value become their mean
    std::string eachReduce{"mean"};      ///< or this
    std::string reduce{"mean"};          ///< of what is left; one of GetReductionNames()
    std::string by;                      ///< column: a point of a curve for each of its values
    std::vector<double> edges;           ///< of bins of `by`, ascending; empty: each value
    std::string curves;                  ///< column: a curve for each of its values
    double scale{1};                     ///< the result is multiplied by it
    std::optional<double> none;          ///< the result where there are no rows; else an error
};

/// A picture of a measure.
struct ExperimentPlot
{
    std::string title;
    std::string measure;
    std::vector<std::string> of; ///< patterns of variants; empty: all
    std::string axis;            ///< a measure without `by`: this axis is the x axis
    std::string kind;            ///< "lines" or "bars"
    std::string xLabel;
    bool xLog{false};
    bool yLog{false};
};

/// What a paper says of a measure.
struct ExperimentExpectation
{
    std::string claim;
    std::string source;          ///< paper and place; "recalled" where nobody has looked it up
    std::string measure;         ///< without `by`
    std::vector<std::string> of; ///< patterns: it holds for each variant that fits
    std::string over;            ///< the variant it is divided by; '=' takes its own value
    std::string overMeasure;     ///< the measure it is divided by
    std::optional<double> min;
    std::optional<double> max;
    std::vector<std::string> order; ///< instead of the above: variants from least to most
    double slack{0};                ///< share by which the order may be wrong
    std::string form;               ///< "short" or "full" alone; empty: both
};

/// The section, complete.
struct Experiment
{
    std::string file; ///< the scenario
    std::string name;
    std::string title;
    std::string paper;
    std::string figure;
    std::string compares;
    std::string wallTime; ///< of the full form, with the machine
    std::vector<ExperimentAxis> axes;
    ExperimentForm brief; ///< "short"
    ExperimentForm full;
    std::vector<ExperimentMeasure> measures;
    std::vector<ExperimentPlot> plots;
    std::vector<ExperimentExpectation> expectations;
};

/**
 * Reads the section of a scenario file; the rest of it is for ReadScenario().
 * @param path of the file
 * @return it, checked; InputError tells what is wrong
 */
Experiment ReadExperiment(const std::string& path);

/// @param experiment some @param form of it @return all combinations that the form keeps
std::vector<ExperimentVariant> GetVariants(const Experiment& experiment,
                                           const ExperimentForm& form);

/// @param pattern values with '/' between them, each a name or '*'; or '*' alone, which fits all
/// @param variant some @return it fits
bool FitsVariant(const std::string& pattern, const ExperimentVariant& variant);

/**
 * @param pattern a variant's name where '=' stands for any value
 * @param variant some
 * @return the name, with the variant's own values in those places
 */
std::string ResolvePattern(const std::string& pattern, const ExperimentVariant& variant);

/// @param experiment some @param name of a measure @return it; it must be there
const ExperimentMeasure& FindMeasure(const Experiment& experiment, const std::string& name);

/// @return mean, sum, min, max, count, p50, ..., jain, ...: what Reduce() knows
std::vector<std::string> GetReductionNames();

/**
 * @param name of GetReductionNames()
 * @param values at least one
 * @return what they come to. A percentile is the nearest rank's: the least value that at least that
 * share does not exceed.
 */
double Reduce(const std::string& name, std::vector<double> values);

} // namespace ns3

#endif // EXPERIMENT_H
