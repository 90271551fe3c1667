// SPDX-License-Identifier: GPL-2.0-only
#ifndef EXPERIMENT_REPORT_H
#define EXPERIMENT_REPORT_H

#include "measurement.h"
#include "results-folder.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// What came of an expectation.
struct ExpectationOutcome
{
    const ExperimentExpectation* expectation;
    std::string expected; ///< such as "at least 0.98"
    std::string found;    ///< figures, by variant
    bool isChecked{true}; ///< false: this form has none of its variants
    bool holds{true};
};

/**
 * @ingroup ai-fabric
 * @brief What an experiment found: data.csv, expectations.csv, a picture for each plot,
 * report.html, and a table for the terminal.
 */
class ExperimentReport
{
  public:
    /**
     * Measures.
     * @param experiment the experiment
     * @param form "short" or "full"
     * @param variants that were run
     * @param runs by variant and seed: folders of results
     */
    ExperimentReport(const Experiment& experiment,
                     const std::string& form,
                     const std::vector<ExperimentVariant>& variants,
                     const std::vector<std::vector<std::string>>& runs);

    /// @return all expectations that could be checked hold
    bool AllHold() const;

    /// @return one for each expectation
    const std::vector<ExpectationOutcome>& GetOutcomes() const
    {
        return m_outcomes;
    }

    /// @param folder where to @param command that ran this, for the page
    void Write(const ResultsFolder& folder, const std::string& command) const;

    /// @param out where to: the table of expectations
    void Print(std::ostream& out) const;

  private:
    /// Curves of a measure, by variant.
    using Curves = std::vector<std::vector<MeasuredCurve>>;

    const Curves& CurvesOf(const std::string& measure) const;
    std::optional<double> FigureOf(const std::string& measure, const std::string& variant) const;
    ExpectationOutcome CheckBand(const ExperimentExpectation& expectation) const;
    ExpectationOutcome CheckOrder(const ExperimentExpectation& expectation) const;
    std::vector<size_t> VariantsOf(const std::vector<std::string>& patterns) const;
    void WriteData(const ResultsFolder& folder) const;
    void WriteExpectations(const ResultsFolder& folder) const;
    void WritePage(std::ostream& out, const std::string& command) const;
    void WriteFigures(std::ostream& out) const;
    void Draw(std::ostream& out, const ExperimentPlot& plot) const;
    void DrawCurves(std::ostream& out, const ExperimentPlot& plot) const;
    void DrawAxis(std::ostream& out, const ExperimentPlot& plot) const;
    void DrawBars(std::ostream& out, const ExperimentPlot& plot) const;
    size_t AxisNumber(const std::string& name) const;
    std::string WithoutAxis(size_t variant, size_t axis) const;

    const Experiment& m_experiment;
    std::string m_form;
    std::vector<ExperimentVariant> m_variants;
    std::vector<Curves> m_curves; ///< by measure
    std::vector<ExpectationOutcome> m_outcomes;
};

} // namespace ns3

#endif // EXPERIMENT_REPORT_H
