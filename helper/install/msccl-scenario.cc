// SPDX-License-Identifier: GPL-2.0-only
#include "msccl-scenario.h"

#include "ns3/json-document.h"
#include "ns3/msccl-xml.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr uint64_t LEAST_MSCCL_SIZE = 1 << 10;
constexpr uint64_t MOST_MSCCL_SIZE = 1 << 26;
constexpr uint64_t MSCCL_SIZE_FACTOR = 4;
constexpr uint32_t FLOAT_BYTES = 4;

/// @return sizes that the program is for
std::vector<uint64_t>
SizesOf(const MscclAlgorithm& algorithm)
{
    const MscclProgram& program = algorithm.GetProgram();
    std::vector<uint64_t> sizes;
    for (uint64_t size = LEAST_MSCCL_SIZE; size <= MOST_MSCCL_SIZE; size *= MSCCL_SIZE_FACTOR)
    {
        const uint64_t rounded = algorithm.RoundUp(size, FLOAT_BYTES);
        if (rounded >= program.minBytes && rounded <= program.maxBytes &&
            (sizes.empty() || rounded != sizes.back()))
        {
            sizes.push_back(rounded);
        }
    }
    if (sizes.empty()) // a program for larger or few sizes: its smallest one
    {
        sizes.push_back(algorithm.RoundUp(std::max<uint64_t>(program.minBytes, 1), FLOAT_BYTES));
    }
    return sizes;
}

} // namespace

Scenario
MakeMscclScenario(const std::string& file,
                  const std::string& scenarioFile,
                  const std::vector<std::string>& overrides)
{
    const Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(file);
    const MscclProgram& program = algorithm->GetProgram();
    const std::filesystem::path base =
        std::filesystem::path(scenarioFile.empty() ? file : scenarioFile).parent_path();
    nlohmann::ordered_json job;
    job["name"] = program.name;
    job["workload"]["type"] = "collective";
    job["workload"]["op"] = ToString(program.operation);
    job["workload"]["sizes"] = SizesOf(*algorithm);
    if (program.inPlace)
    {
        job["workload"]["inPlace"] = true;
    }
    job["workload"]["algorithm"]["msccl"] =
        std::filesystem::proximate(file, base.empty() ? "." : base).string();
    nlohmann::ordered_json star;
    star["name"] = program.name;
    star["topology"]["type"] = "star";
    star["topology"]["hosts"] = program.gpus.size();
    star["topology"]["linkRate"] = "400Gbps";
    JsonDocument document =
        scenarioFile.empty() ? ParseJson(star.dump(), file) : ReadJson(scenarioFile);
    ApplyOverride(document, "jobs=[" + job.dump() + "]");
    for (const std::string& assignment : overrides)
    {
        ApplyOverride(document, assignment);
    }
    return ReadScenario(std::move(document));
}

} // namespace ns3
