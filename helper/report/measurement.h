// SPDX-License-Identifier: GPL-2.0-only
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "ns3/experiment.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Points of a measure. A measure without `by` has one curve with one point, at 0.
struct MeasuredCurve
{
    std::string name; ///< the value of the measure's column `curves`; else empty
    std::vector<std::pair<double, double>> points; ///< ascending
};

/**
 * Takes a measure from the results of a run.
 * @param measure what to take
 * @param folder the run's results
 * @param experiment file to name where a column or file is missing (InputError)
 * @return its curves, in the order in which the file names them
 */
std::vector<MeasuredCurve> Measure(const ExperimentMeasure& measure,
                                   const std::string& folder,
                                   const std::string& experiment);

/**
 * @param seeds curves of runs that differ in their seed
 * @return their mean, point by point, over those runs that have the point
 */
std::vector<MeasuredCurve> MeanOfRuns(const std::vector<std::vector<MeasuredCurve>>& seeds);

} // namespace ns3

#endif // MEASUREMENT_H
