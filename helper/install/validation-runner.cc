// SPDX-License-Identifier: GPL-2.0-only
#include "validation-runner.h"

#include "ns3/scenario.h"
#include "ns3/validation-report.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3
{

namespace
{

/// Up to here iterations are repeated: what one leaves behind for the next one counts.
constexpr uint64_t MOST_REPEATED_BYTES = 16U << 20;
constexpr uint64_t MOST_QUICK_BYTES = 1U << 30;
constexpr size_t FEW_ROWS = 8; ///< a table of so many is quick as it is

/// @return about how long it takes to simulate: bytes that all ranks move
double
CostOf(const MeasuredTable& table)
{
    return std::accumulate(table.rows.begin(),
                           table.rows.end(),
                           0.0,
                           [&table](double sum, const MeasuredRow& row) {
                               return sum +
                                      static_cast<double>(row.bytes) * table.ranks * table.groups;
                           });
}

} // namespace

std::string
MakeValidationScenario(const MeasuredTable& table, bool quick)
{
    std::vector<uint64_t> sizes;
    for (size_t i = 0; i < table.rows.size(); ++i)
    {
        const uint64_t bytes = table.rows[i].bytes;
        const bool isLeftOut =
            quick && table.rows.size() > FEW_ROWS && (i % 2 == 1 || bytes > MOST_QUICK_BYTES);
        if (!isLeftOut)
        {
            sizes.push_back(bytes);
        }
    }
    auto scenario = nlohmann::ordered_json::parse(table.scenario);
    scenario["name"] = table.name;
    scenario["platform"] = table.platform;
    if (!table.ncclVersion.empty())
    {
        scenario["nccl"]["version"] = table.ncclVersion;
    }
    // The simulator is deterministic, so of large sizes one iteration says it all.
    const nlohmann::ordered_json workload{{"type", "nccl-tests"},
                                          {"test", table.test},
                                          {"sizes", sizes},
                                          {"dataType", table.dataType},
                                          {"place", table.inPlace ? "in-place" : "out-of-place"},
                                          {"warmUp", 1},
                                          {"iterations", 2},
                                          {"repeatUpTo", MOST_REPEATED_BYTES},
                                          {"check", 0}};
    const nlohmann::ordered_json job{{"name", table.name},
                                     {"ranks", "0-" + std::to_string(table.ranks - 1)},
                                     {"workload", workload}};
    scenario["jobs"] = nlohmann::ordered_json::array({job});
    scenario["output"] = {{"messages", false}, {"links", false}, {"report", false}};
    return scenario.dump(2);
}

ValidationRunner::ValidationRunner(const ValidationOptions& options, std::ostream& out)
    : m_options(options),
      m_out(out),
      m_folder(options.out.empty() ? "results/validate" : options.out),
      m_tables(SelectMeasuredTables(ReadMeasuredTables(options.index), options.names))
{
    // The longest ones first, so that no core idles at the end.
    std::stable_sort(m_tables.begin(), m_tables.end(), [](const auto& a, const auto& b) {
        return CostOf(a) > CostOf(b);
    });
}

std::string
ValidationRunner::WriteScenario(const MeasuredTable& table) const
{
    const std::string name = table.name + ".json";
    m_folder.Create(name) << MakeValidationScenario(table, m_options.quick) << "\n";
    return m_folder.PathOf(name);
}

ProgramCall
ValidationRunner::CallOf(const MeasuredTable& table, const std::string& scenario) const
{
    ProgramCall call{table.name,
                     m_folder.PathOf("runs/" + table.name),
                     {"run", scenario, "--quiet"}};
    if (!m_options.platforms.empty())
    {
        call.words.insert(call.words.end(), {"--platforms", m_options.platforms});
    }
    for (const std::string& override : m_options.overrides)
    {
        call.words.insert(call.words.end(), {"--set", override});
    }
    return call;
}

int
ValidationRunner::Run()
{
    constexpr int ALL_MET = 0;
    constexpr int OFF = 1;
    std::vector<ProgramCall> calls;
    for (const MeasuredTable& table : m_tables)
    {
        const std::string scenario = WriteScenario(table);
        ReadScenario(scenario, m_options.overrides); // a mistake shows before the first run
        calls.push_back(CallOf(table, scenario));
    }
    const auto start = std::chrono::steady_clock::now();
    ProgramPool pool("validate", m_options.jobs, false);
    pool.RunAll(calls);
    std::vector<ValidatedTable> validated;
    for (size_t i = 0; i < calls.size(); ++i)
    {
        if (HasSucceeded(calls[i]))
        {
            validated.push_back(
                ReadValidatedTable(m_tables[i], calls[i].folder + "/nccl-tests.csv"));
            continue;
        }
        validated.push_back(
            {m_tables[i], {}, "failed, " + DescribeFailure(calls[i]) + ": " + calls[i].folder});
        m_out << calls[i].name << " has failed, " << DescribeFailure(calls[i]) << "\n"
              << LastLinesOf(calls[i]);
    }
    std::sort(validated.begin(), validated.end(), [](const auto& a, const auto& b) {
        return a.table.name < b.table.name;
    });
    const ValidationReport report(std::move(validated));
    report.Write(m_folder, m_options.commandLine);
    report.Print(m_out);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    m_out << "\ntime      " << FixedText(wall.count(), 1) << " s, at most " << pool.GetJobs()
          << " runs side by side\nresults   " << m_folder.PathOf("report.html") << std::endl;
    return report.AllMeetLimits() ? ALL_MET : OFF;
}

} // namespace ns3
