// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-flows.h"
#include "hpcc-topology.h"
#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/wire-format.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// What the contract names and this version does not have yet.
const std::vector<std::string> LATER_WORKLOADS{"training",
                                               "inference",
                                               "trace",
                                               "checkpoint",
                                               "dataset"};

FlowConfig
ReadFlow(const JsonValue& value, const std::string& path, uint32_t gpus)
{
    JsonReader reader(value, path);
    FlowConfig flow{};
    flow.trafficClass = 3;
    auto rank = [&](const std::string& key) {
        return static_cast<uint32_t>(GetUnsigned(reader.Get(key), path + "." + key, 0, gpus - 1));
    };
    flow.source = rank("source");
    flow.destination = rank("destination");
    if (flow.source == flow.destination)
    {
        throw InputError(reader.Place("destination"),
                         std::to_string(flow.destination) + " is the source as well",
                         "another rank than the source");
    }
    reader.Get("bytes");
    reader.ReadBytes("bytes", flow.bytes, 1, MOST_BYTES);
    reader.Read("start", flow.start);
    uint32_t trafficClass = flow.trafficClass;
    reader.Read("class", trafficClass, 0, 7);
    flow.trafficClass = static_cast<uint8_t>(trafficClass);
    reader.RejectUnknownKeys();
    return flow;
}

/// Node ids of a file become ranks: those of a topology file's hosts, or the ranks themselves.
std::vector<FlowConfig>
ReadFlowFile(const std::string& file, const TopologyConfig& topology, uint32_t gpus)
{
    std::vector<bool> isHost(gpus, true);
    std::vector<uint32_t> rankOf(gpus);
    for (uint32_t rank = 0; rank < gpus; rank++)
    {
        rankOf[rank] = rank;
    }
    if (const auto* from = std::get_if<TopologyFile>(&topology))
    {
        HpccTopology read = ReadHpccTopology(from->file);
        isHost = read.isHost;
        rankOf.assign(isHost.size(), 0);
        for (uint32_t rank = 0; rank < read.hostIds.size(); rank++)
        {
            rankOf[read.hostIds[rank]] = rank;
        }
    }
    std::vector<FlowConfig> flows;
    for (const HpccFlow& flow : ReadHpccFlows(file, isHost))
    {
        flows.push_back({rankOf[flow.source],
                         rankOf[flow.destination],
                         flow.bytes,
                         flow.start,
                         flow.priorityGroup});
    }
    return flows;
}

FlowsWorkload
ReadFlows(JsonReader& reader, const std::string& path, const Scenario& scenario, uint32_t gpus)
{
    FlowsWorkload workload;
    if (const JsonValue* file = reader.Find("file"))
    {
        std::string format = "hpcc";
        workload.file = FromFolderOf(scenario.file, GetString(*file, path + ".file"));
        reader.ReadName("format", format, {"hpcc"});
        workload.flows = ReadFlowFile(workload.file, scenario.topology, gpus);
        return workload;
    }
    const JsonValue& list = reader.Get("flows");
    const std::vector<JsonValue>& flows = GetArray(list, path + ".flows", "flows");
    for (size_t i = 0; i < flows.size(); i++)
    {
        workload.flows.push_back(ReadFlow(flows[i], ElementPath(path + ".flows", i), gpus));
    }
    if (workload.flows.empty())
    {
        throw InputError(reader.Place("flows"), "is an empty list", "at least one flow");
    }
    return workload;
}

PerftestWorkload
ReadPerftest(JsonReader& reader, const std::string& path, uint32_t mtu, uint32_t gpus)
{
    PerftestWorkload workload;
    PerftestConfig& config = workload.config;
    reader.Get("test");
    reader.ReadName("test", config.test, GetPerftestNames());
    reader.ReadName("connection", config.connection, GetPerftestConnectionNames());
    reader.ReadName("atomic", config.atomic, GetPerftestAtomicNames());
    reader.Read("client", workload.client, 0, gpus - 1);
    reader.Read("server", workload.server, 0, gpus - 1);
    if (workload.client == workload.server)
    {
        throw InputError(reader.Place("server"),
                         std::to_string(workload.server) + " is the client as well",
                         "another rank than the client");
    }
    if (const JsonValue* sizes = reader.Find("sizes"))
    {
        config.sizes = ReadSizes(*sizes, path + ".sizes");
    }
    constexpr uint32_t ANY = std::numeric_limits<uint32_t>::max(); // CheckPerftest has the bounds
    reader.Read("iterations", config.iterations, 1, ANY);
    reader.Read("queuePairs", config.queuePairs, 1, ANY);
    reader.Read("txDepth", config.txDepth, 1, ANY);
    reader.Read("rxDepth", config.rxDepth, 1, ANY);
    reader.Read("cqModeration", config.cqModeration, 1, ANY);
    reader.Read("outstandingReads", config.outstandingReads, 1, ANY);
    reader.Read("bidirectional", config.bidirectional);
    if (reader.Find("inline"))
    {
        config.inlineBytes = 0;
        reader.Read("inline", *config.inlineBytes, 0, ANY);
    }
    config = CompletePerftest(config);
    PerftestObjection objection = CheckPerftest(config, mtu);
    if (!objection.key.empty())
    {
        throw InputError(reader.Place(objection.key), objection.found, objection.expected);
    }
    return workload;
}

void
AddRanks(const JsonValue& value,
         const std::string& path,
         uint32_t gpus,
         std::vector<uint32_t>& ranks)
{
    InputPlace place = PlaceOf(value, path);
    if (value.kind == JsonValue::Kind::NUMBER)
    {
        ranks.push_back(static_cast<uint32_t>(GetUnsigned(value, path, 0, gpus - 1)));
        return;
    }
    std::string text = GetString(value, path);
    size_t dash = text.find('-');
    if (dash == std::string::npos || dash == 0)
    {
        throw InputError(place,
                         "\"" + text + "\" names no ranks",
                         "\"all\", a range like \"0-7\", or a list like [0, 1, \"8-15\"]");
    }
    uint64_t first = ParseUnsigned(text.substr(0, dash), place, 0, gpus - 1);
    uint64_t last = ParseUnsigned(text.substr(dash + 1), place, first, gpus - 1);
    for (uint64_t rank = first; rank <= last; rank++)
    {
        ranks.push_back(static_cast<uint32_t>(rank));
    }
}

std::vector<uint32_t>
ReadRanks(const JsonValue* value, const std::string& path, uint32_t gpus)
{
    std::vector<uint32_t> ranks;
    if (!value || (value->kind == JsonValue::Kind::STRING && value->text == "all"))
    {
        for (uint32_t rank = 0; rank < gpus; rank++)
        {
            ranks.push_back(rank);
        }
        return ranks;
    }
    if (value->kind == JsonValue::Kind::ARRAY)
    {
        for (size_t i = 0; i < value->elements.size(); i++)
        {
            AddRanks(value->elements[i], ElementPath(path, i), gpus, ranks);
        }
    }
    else
    {
        AddRanks(*value, path, gpus, ranks);
    }
    std::vector<uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        throw InputError(PlaceOf(*value, path),
                         "rank " + std::to_string(*twice) + " is there twice",
                         "each rank once");
    }
    return ranks;
}

/// Reads who does collectives, and which.
void
ReadCollectiveJob(JobConfig& job,
                  const std::string& type,
                  JsonReader& reader,
                  JsonReader& workload,
                  const std::string& path,
                  const Scenario& scenario,
                  uint32_t gpus)
{
    job.ranks = ReadRanks(reader.Find("ranks"), path + ".ranks", gpus);
    if (job.ranks.size() < 2)
    {
        throw InputError(reader.Place("ranks"),
                         std::to_string(job.ranks.size()) + " ranks communicate with nobody",
                         "at least 2 ranks");
    }
    reader.ReadName("placement", job.placement, {"packed"});
    auto ranks = static_cast<uint32_t>(job.ranks.size());
    if (type == "nccl-tests")
    {
        job.workload =
            ReadNcclTests(workload, {path + ".workload", scenario.file, ranks, scenario.nccl});
        return;
    }
    job.split = ReadSplit(reader.Find("split"), path + ".split", ranks);
    job.workload = ReadCollective(workload,
                                  {path + ".workload",
                                   scenario.file,
                                   job.split.size > 0 ? job.split.size : ranks,
                                   scenario.nccl});
}

JobConfig
ReadJob(const JsonValue& value, const std::string& path, const Scenario& scenario, uint32_t gpus)
{
    JsonReader reader(value, path);
    JobConfig job;
    job.name = path;
    reader.Read("name", job.name);
    reader.Read("start", job.start);
    job.ranks = ReadRanks(nullptr, "", gpus);

    const std::string workloadPath = path + ".workload";
    JsonReader workload(reader.Get("workload"), workloadPath);
    std::string type;
    workload.Get("type");
    const std::vector<std::string> types = GetScenarioNames("workloads");
    RefuseLater(workload, "type", LATER_WORKLOADS, types);
    workload.ReadName("type", type, types);
    if (type == "collective" || type == "nccl-tests")
    {
        ReadCollectiveJob(job, type, reader, workload, path, scenario, gpus);
    }
    else if (type == "perftest")
    {
        job.workload = ReadPerftest(workload, workloadPath, scenario.network.mtu, gpus);
    }
    else if (workload.Find("sizes") || workload.Find("incast"))
    {
        job.workload = ReadGeneratedFlows(workload, workloadPath, scenario.file, gpus);
    }
    else
    {
        job.workload = ReadFlows(workload, workloadPath, scenario, gpus);
    }
    workload.RejectUnknownKeys();
    reader.RejectUnknownKeys();
    return job;
}

} // namespace

std::vector<JobConfig>
ReadJobs(const JsonValue& value, const Scenario& scenario, uint32_t gpus)
{
    std::vector<JobConfig> jobs;
    const std::vector<JsonValue>& elements = GetArray(value, "jobs", "jobs");
    for (size_t i = 0; i < elements.size(); i++)
    {
        std::string path = ElementPath("jobs", i);
        jobs.push_back(ReadJob(elements[i], path, scenario, gpus));
        for (size_t j = 0; j < i; j++)
        {
            if (jobs[j].name == jobs[i].name)
            {
                throw InputError(PlaceOf(elements[i], path + ".name"),
                                 "\"" + jobs[i].name + "\" is " + ElementPath("jobs", j) +
                                     "'s name as well",
                                 "a name for each job");
            }
        }
    }
    if (jobs.empty())
    {
        throw InputError(PlaceOf(value, "jobs"), "is an empty list", "at least one job");
    }
    return jobs;
}

} // namespace ns3
