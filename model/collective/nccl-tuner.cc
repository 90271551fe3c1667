// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-tuner.h"

#include "nccl-cost-model.h"

#include "ns3/abort.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NcclTuner);

namespace
{

/// @param operation an operation @return whether NCCL has algorithms for it
bool
IsNcclCollective(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
    case CollectiveOperation::BARRIER:
        return true;
    default:
        return false;
    }
}

/// @param request a request @return it; a barrier as the all-reduce that it is
CollectiveRequest
AsNcclCollective(CollectiveRequest request)
{
    if (request.operation == CollectiveOperation::BARRIER)
    {
        request.operation = CollectiveOperation::ALL_REDUCE;
    }
    return request;
}

std::string
ListCandidates(const std::vector<NcclCandidate>& candidates)
{
    std::string text;
    for (const NcclCandidate& candidate : candidates)
    {
        char time[32];
        std::snprintf(time, sizeof(time), "%.1f", candidate.timeUs);
        text += (text.empty() ? "" : "; ") + std::string(ToString(candidate.algorithm)) + " " +
                ToString(candidate.protocol) + " " + time;
        text += text.find(" us") == std::string::npos ? " us" : "";
    }
    return text;
}

} // namespace

TypeId
NcclTuner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NcclTuner")
            .SetParent<CollectiveTuner>()
            .SetGroupName("AiFabric")
            .AddConstructor<NcclTuner>()
            .AddAttribute("Version",
                          "Version of NCCL whose constants and rules are taken: 2.18 or later, "
                          "such as 2.26.2. One that is newer than 2.30 is taken as 2.30.",
                          StringValue("2.26.2"),
                          MakeStringAccessor(&NcclTuner::SetVersion, &NcclTuner::GetVersion),
                          MakeStringChecker())
            .AddAttribute("Environment",
                          "NCCL's variables, NAME=VALUE, separated by blanks, such as "
                          "NCCL_ALGO=ring NCCL_MIN_NCHANNELS=4. An unknown one is an error.",
                          StringValue(""),
                          MakeStringAccessor(&NcclTuner::SetVariables, &NcclTuner::GetVariables),
                          MakeStringChecker())
            .AddAttribute("NicPath",
                          "The longest path from a GPU to a NIC that it uses, as NCCL calls "
                          "them: pix, pxb, pxn, phb or sys. LL128 between nodes depends on it. "
                          "auto: pxb up to A100, whose servers have NICs at the PCIe switch of "
                          "each pair of GPUs; from H100 on pxn, or phb where PXN is off.",
                          StringValue("auto"),
                          MakeStringAccessor(&NcclTuner::SetNicPath, &NcclTuner::GetNicPathName),
                          MakeStringChecker());
    return tid;
}

NcclTuner::NcclTuner()
{
    SetVersion("2.26.2");
}

std::string
NcclTuner::GetName() const
{
    return "nccl";
}

CollectivePlan
NcclTuner::Choose(const CollectiveRequest& request,
                  const RankLayout& layout,
                  const CollectivePlatform& platform,
                  std::string& error) const
{
    error.clear();
    if (!m_table && !m_environment.GetText("NCCL_TUNER_CONFIG_FILE").empty())
    {
        error = "NCCL_TUNER_CONFIG_FILE is set, but nobody has read the file: call "
                "SetTable(ReadNcclTunerFile(path)) of the tuner";
        return {};
    }
    NcclCommunicator communicator{GetNcclConstants(m_versionNumber),
                                  m_environment,
                                  platform,
                                  FindGraphs(layout, platform),
                                  layout.GetSize()};
    if (!IsNcclCollective(request.operation))
    {
        return PlanNcclPointToPoint(communicator, request);
    }
    CollectiveRequest collective = AsNcclCollective(request);
    std::vector<NcclCandidate> candidates = Compare(collective, layout, platform);
    if (candidates.empty())
    {
        error = ExplainNothing(collective);
        return {};
    }
    const std::string all = ListCandidates(candidates);
    std::string rule;
    std::optional<uint32_t> channels = ApplyTable(collective, layout, candidates, rule);
    const NcclCandidate& best = candidates.front();
    CollectivePlan plan =
        PlanNcclCollective(communicator, collective, best.algorithm, best.protocol, channels);
    plan.predictedUs = best.timeUs;
    plan.why = rule + all;
    return plan;
}

/// Brings what the first rule that applies wants to the front. @return its channels
std::optional<uint32_t>
NcclTuner::ApplyTable(const CollectiveRequest& request,
                      const RankLayout& layout,
                      std::vector<NcclCandidate>& candidates,
                      std::string& rule) const
{
    if (!m_table)
    {
        return std::nullopt;
    }
    const auto nodes = static_cast<uint32_t>(layout.GetGroups().size());
    for (const NcclTunerRule& each : *m_table)
    {
        auto wanted = std::find_if(candidates.begin(), candidates.end(), [&each](const auto& c) {
            return c.algorithm == each.algorithm && c.protocol == each.protocol;
        });
        if (wanted != candidates.end() &&
            each.Matches(request.operation, request.GetBytes(), nodes, layout.GetSize()))
        {
            std::rotate(candidates.begin(), wanted, wanted + 1);
            rule = each.name + "; ";
            return each.channels;
        }
    }
    return std::nullopt;
}

std::vector<NcclCandidate>
NcclTuner::Compare(const CollectiveRequest& request,
                   const RankLayout& layout,
                   const CollectivePlatform& platform) const
{
    CollectiveRequest collective = AsNcclCollective(request);
    uint32_t ranks = layout.GetSize();
    if (ranks == 1)
    {
        return {{NcclAlgorithm::RING, CollectiveProtocol::SIMPLE, 0, 0, 0}};
    }
    NcclCostModel model(GetNcclConstants(m_versionNumber),
                        m_environment,
                        platform,
                        FindGraphs(layout, platform),
                        ranks,
                        GetNicPath(platform));
    // NVSwitch adds up elements of 2 bytes and more.
    bool nvlsAdds = collective.typeBytes > 1 || !Reduces(collective.operation);
    std::vector<NcclCandidate> candidates;
    for (uint32_t a = 0; a < NCCL_ALGORITHMS; a++)
    {
        for (uint32_t p = 0; p < 3; p++)
        {
            auto algorithm = static_cast<NcclAlgorithm>(a);
            auto protocol = static_cast<CollectiveProtocol>(p);
            bool nvls = algorithm == NcclAlgorithm::NVLS || algorithm == NcclAlgorithm::NVLS_TREE;
            double time =
                model.Predict(collective.operation, algorithm, protocol, collective.GetBytes());
            if (time >= 0 && (nvlsAdds || !nvls))
            {
                NcclCost cost = model.GetCost(collective.operation, algorithm, protocol);
                candidates.push_back(
                    {algorithm, protocol, cost.latencyUs, cost.bandwidthGBps, time});
            }
        }
    }
    // Of equal ones NCCL takes the first that it looks at.
    std::stable_sort(
        candidates.begin(),
        candidates.end(),
        [](const NcclCandidate& x, const NcclCandidate& y) { return x.timeUs < y.timeUs; });
    return candidates;
}

NcclGraphs
NcclTuner::FindGraphs(const RankLayout& layout, const CollectivePlatform& platform) const
{
    auto nodes = static_cast<uint32_t>(layout.GetGroups().size());
    bool even = layout.GetLargestGroup() * nodes == layout.GetSize();
    bool nvls = layout.HasInSwitchReduction() && platform.hasInSwitchReduction &&
                platform.hasSwitch && platform.scaleUpGBps > 0 && even;
    return FindNcclGraphs(GetNcclConstants(m_versionNumber),
                          m_environment,
                          platform,
                          nodes,
                          layout.GetSize(),
                          nvls);
}

void
NcclTuner::SetEnvironment(const NcclEnvironment& environment)
{
    m_environment = environment;
}

void
NcclTuner::SetTable(NcclTunerTable table)
{
    m_table = std::move(table);
}

void
NcclTuner::SetVersion(std::string version)
{
    std::string error = ParseNcclVersion(version, m_versionNumber);
    NS_ABORT_MSG_UNLESS(error.empty(), "ns3::NcclTuner::Version: " << error);
    m_version = version;
}

std::string
NcclTuner::GetVersion() const
{
    return m_version;
}

void
NcclTuner::SetVariables(std::string assignments)
{
    std::string error = m_environment.SetAll(assignments);
    NS_ABORT_MSG_UNLESS(error.empty(), "ns3::NcclTuner::Environment: " << error);
}

std::string
NcclTuner::GetVariables() const
{
    std::string text;
    for (const auto& [name, value] : m_environment.GetSettings())
    {
        text += (text.empty() ? "" : " ") + name + "=" + value;
    }
    return text;
}

void
NcclTuner::SetNicPath(std::string path)
{
    bool known = path == "auto" || path == "pix" || path == "pxb" || path == "pxn" ||
                 path == "phb" || path == "sys";
    NS_ABORT_MSG_UNLESS(known, "ns3::NcclTuner::NicPath: \"" << path << "\" is no such path");
    m_nicPath = path;
}

std::string
NcclTuner::GetNicPathName() const
{
    return m_nicPath;
}

std::string
NcclTuner::GetNicPath(const CollectivePlatform& platform) const
{
    if (m_nicPath != "auto")
    {
        return m_nicPath;
    }
    bool pxn = platform.pxn && m_environment.GetTransport().pxn.value_or(true);
    return platform.computeCapability < 90 ? "pxb" : pxn ? "pxn" : "phb";
}

std::string
NcclTuner::ExplainNothing(const CollectiveRequest& request) const
{
    std::string error = "NCCL " + m_version + " has no algorithm left for " +
                        ToString(request.operation) + " on these GPUs";
    for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"})
    {
        if (std::string value = m_environment.GetText(name); !value.empty())
        {
            error += "; " + std::string(name) + " is \"" + value + "\"";
        }
    }
    return error;
}

} // namespace ns3
