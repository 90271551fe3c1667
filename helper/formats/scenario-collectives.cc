// SPDX-License-Identifier: GPL-2.0-only
#include "line-reader.h"
#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/collective-algorithms.h"
#include "ns3/collective-plan.h"
#include "ns3/nccl-constants.h"
#include "ns3/nccl-environment.h"
#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_CHANNELS = 64;
constexpr uint32_t MOST_COLLECTIVES = 1'000'000;
constexpr double MOST_SKEW = 1e6;

std::vector<std::string>
AutoAnd(std::vector<std::string> names)
{
    names.insert(names.begin(), "auto");
    return names;
}

void
ReadAlgorithm(JsonReader& reader, const CollectiveContext& context, CollectiveChoice& choice)
{
    const JsonValue* value = reader.Find("algorithm");
    if (value && value->kind == JsonValue::Kind::OBJECT)
    {
        JsonReader msccl(*value, context.path + ".algorithm");
        choice.algorithm = "msccl";
        msccl.Get("msccl");
        msccl.Read("msccl", choice.mscclFile);
        choice.mscclFile = FromFolderOf(context.scenarioFile, choice.mscclFile);
        msccl.RejectUnknownKeys();
        return;
    }
    if (value && value->text.find("::") != std::string::npos) // a study's own
    {
        choice.algorithm = value->text;
        if (!MakeCollectiveAlgorithm(choice.algorithm))
        {
            throw InputError(reader.Place("algorithm"),
                             "\"" + choice.algorithm + "\" is no algorithm",
                             "the TypeId of a subclass of ns3::CollectiveAlgorithm");
        }
        return;
    }
    reader.ReadName("algorithm", choice.algorithm, GetScenarioNames("algorithms"));
}

void
ReadTuner(JsonReader& reader, const CollectiveContext& context, CollectiveChoice& choice)
{
    const JsonValue* value = reader.Find("tuner");
    if (!value)
    {
        return;
    }
    if (choice.algorithm != "auto")
    {
        throw InputError(reader.Place("tuner"),
                         "nobody asks a tuner where the algorithm is \"" + choice.algorithm + "\"",
                         "algorithm \"auto\", or no \"tuner\"");
    }
    const std::string path = context.path + ".tuner";
    const JsonValue object = AsObject(*value, path, "type");
    JsonReader tuner(object, path);
    tuner.Get("type");
    tuner.Read("type", choice.tuner);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(choice.tuner, &type) ||
        !type.IsChildOf(TypeId::LookupByName("ns3::CollectiveTuner")) || !type.HasConstructor())
    {
        throw InputError(tuner.Place("type"),
                         "\"" + choice.tuner + "\" is no tuner",
                         "the TypeId of a subclass of ns3::CollectiveTuner");
    }
    JsonValue attributes = object;
    auto at = std::find(attributes.keys.begin(), attributes.keys.end(), "type");
    attributes.elements.erase(attributes.elements.begin() + (at - attributes.keys.begin()));
    attributes.keys.erase(at);
    choice.tunerParameters = ReadParameters(&attributes, path, choice.tuner);
}

CollectiveChoice
ReadChoice(JsonReader& reader, const CollectiveContext& context)
{
    CollectiveChoice choice;
    ReadAlgorithm(reader, context, choice);
    reader.ReadName("protocol", choice.protocol, AutoAnd(GetCollectiveProtocolNames()));
    reader.Read("channels", choice.channels, 0, MOST_CHANNELS);
    reader.ReadBytes("chunk", choice.chunkBytes, 0, wire::MAX_MESSAGE_BYTES);
    ReadTuner(reader, context, choice);
    choice.nccl = ReadNccl(reader.Find("nccl"), context.path + ".nccl", context.nccl);
    for (const char* key : {"protocol", "channels", "chunk"})
    {
        if (choice.algorithm == "msccl" && reader.Find(key))
        {
            throw InputError(reader.Place(key),
                             "is the program's own business",
                             std::string("no \"") + key + "\" with an MSCCL program");
        }
    }
    return choice;
}

/// Refuses sizes that are no whole elements.
void
CheckWholeElements(uint64_t bytes, const std::string& dataType, const InputPlace& place)
{
    const uint32_t element = GetElementBytes(dataType);
    if (bytes % element != 0)
    {
        throw InputError(place,
                         std::to_string(bytes) + " bytes are no whole number of " + dataType +
                             " elements",
                         "multiples of " + std::to_string(element) + " bytes");
    }
}

/// @param file with a line of bytes for each rank @return its entries that are not 0
std::vector<TransferConfig>
ReadTransferMatrix(const std::string& file, uint32_t ranks, const std::string& dataType)
{
    LineReader reader(file, "a matrix of bytes");
    std::vector<TransferConfig> list;
    for (uint32_t source = 0; source < ranks; ++source)
    {
        reader.Need("row " + std::to_string(source + 1) + " of " + std::to_string(ranks), ranks);
        for (uint32_t destination = 0; destination < ranks; ++destination)
        {
            const uint64_t bytes =
                ParseBytes(reader.GetWords()[destination], reader.Place("bytes"));
            CheckWholeElements(bytes, dataType, reader.Place("bytes"));
            if (bytes > 0)
            {
                list.push_back({source, destination, bytes});
            }
        }
    }
    if (reader.Next())
    {
        throw InputError(reader.Place("row"),
                         "is one row too many",
                         std::to_string(ranks) + " rows, one for each rank");
    }
    return list;
}

std::vector<TransferConfig>
ReadTransferList(const JsonValue& value,
                 const std::string& path,
                 uint32_t ranks,
                 const std::string& dataType)
{
    std::vector<TransferConfig> list;
    for (size_t i = 0; i < value.elements.size(); ++i)
    {
        JsonReader reader(value.elements[i], ElementPath(path, i));
        TransferConfig transfer{};
        for (const char* key : {"source", "destination", "bytes"})
        {
            reader.Get(key);
        }
        reader.Read("source", transfer.source, 0, ranks - 1);
        reader.Read("destination", transfer.destination, 0, ranks - 1);
        reader.ReadBytes("bytes", transfer.bytes, 0, MOST_BYTES);
        CheckWholeElements(transfer.bytes, dataType, reader.Place("bytes"));
        reader.RejectUnknownKeys();
        list.push_back(transfer);
    }
    return list;
}

/// Refuses what goes from a rank to another one twice, where an operation cannot have that.
void
CheckPairsOnce(const std::vector<TransferConfig>& list, const InputPlace& place)
{
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (const TransferConfig& transfer : list)
    {
        pairs.emplace_back(transfer.source, transfer.destination);
    }
    std::sort(pairs.begin(), pairs.end());
    auto twice = std::adjacent_find(pairs.begin(), pairs.end());
    if (twice != pairs.end())
    {
        throw InputError(place,
                         "rank " + std::to_string(twice->first) + " sends to rank " +
                             std::to_string(twice->second) + " twice",
                         "each pair of ranks once, or op \"point-to-point\"");
    }
}

TransfersConfig
ReadTransfers(const JsonValue& value, const CollectiveContext& context, const std::string& dataType)
{
    const std::string path = context.path + ".transfers";
    TransfersConfig transfers;
    if (value.kind == JsonValue::Kind::ARRAY)
    {
        transfers.kind = "list";
        transfers.list = ReadTransferList(value, path, context.ranks, dataType);
        return transfers;
    }
    JsonReader reader(value, path);
    if (reader.Find("file"))
    {
        transfers.kind = "file";
        reader.Read("file", transfers.file);
        transfers.file = FromFolderOf(context.scenarioFile, transfers.file);
        transfers.list = ReadTransferMatrix(transfers.file, context.ranks, dataType);
    }
    else
    {
        reader.Get("generator");
        reader.ReadName("generator", transfers.kind, GetScenarioNames("transfer-generators"));
        if (transfers.kind == "hot")
        {
            reader.Read("ranks", transfers.hotRanks, 1, context.ranks);
            reader.Read("factor", transfers.factor, 1 / MOST_SKEW, MOST_SKEW);
        }
        else
        {
            reader.Read("exponent", transfers.exponent, 0, 16);
        }
    }
    reader.RejectUnknownKeys();
    return transfers;
}

bool
HasTransfers(const std::string& op)
{
    return op == ToString(CollectiveOperation::ALL_TO_ALL_V) ||
           op == ToString(CollectiveOperation::POINT_TO_POINT);
}

/// Reads what an operation with transfers has in place of sizes, or beside them.
void
ReadCollectiveTransfers(JsonReader& reader,
                        const CollectiveContext& context,
                        CollectiveWorkload& workload)
{
    const JsonValue* transfers = reader.Find("transfers");
    if (!HasTransfers(workload.op))
    {
        if (transfers)
        {
            throw InputError(reader.Place("transfers"),
                             "goes with op \"all-to-all-v\" or \"point-to-point\"",
                             "no \"transfers\" with op \"" + workload.op + "\"");
        }
        return;
    }
    workload.transfers =
        ReadTransfers(transfers ? *transfers : reader.Get("transfers"), context, workload.dataType);
    if (workload.op == ToString(CollectiveOperation::ALL_TO_ALL_V))
    {
        CheckPairsOnce(workload.transfers.list, reader.Place("transfers"));
    }
}

/// @return the operation's size is in its list of transfers
bool
HasListedTransfers(const CollectiveWorkload& workload)
{
    return workload.transfers.kind == "list" || workload.transfers.kind == "file";
}

void
CheckInPlace(JsonReader& reader, const CollectiveWorkload& workload)
{
    CollectiveOperation operation = CollectiveOperation::ALL_REDUCE;
    ParseCollectiveOperation(workload.op, operation);
    if (workload.inPlace && !CanBeInPlace(operation))
    {
        throw InputError(reader.Place("inPlace"),
                         workload.op + " is never in place",
                         "no \"inPlace\" with op \"" + workload.op + "\"");
    }
    if (reader.Find("root") && !HasRoot(operation))
    {
        throw InputError(reader.Place("root"),
                         workload.op + " has no root",
                         "no \"root\" with op \"" + workload.op + "\"");
    }
}

// ---------------------------------------------------------------- nccl-tests

void
ReadSizeOption(JsonReader& reader, const std::string& key, uint64_t& bytes)
{
    if (const JsonValue* value = reader.Find(key))
    {
        const InputPlace place = reader.Place(key);
        bytes = ParseNcclSize(GetQuantityText(*value, place.key, "a number of bytes"), place);
    }
}

/// Reads the keys that are the options' long names.
void
ReadTestKeys(JsonReader& reader, NcclTestOptions& options)
{
    reader.ReadName("test", options.test, GetNcclTestNames());
    reader.Read("processes", options.processes, 1, 1U << 20);
    reader.Read("gpus", options.gpus, 1, 1U << 20);
    ReadSizeOption(reader, "minBytes", options.minBytes);
    ReadSizeOption(reader, "maxBytes", options.maxBytes);
    ReadSizeOption(reader, "stepBytes", options.stepBytes);
    reader.Read("stepFactor", options.stepFactor, 1, 1U << 20);
    reader.Read("iterations", options.iterations, 1, MOST_COLLECTIVES);
    reader.Read("warmUp", options.warmUp, 0, MOST_COLLECTIVES);
    reader.ReadBytes("repeatUpTo", options.repeatUpTo, 0, MOST_BYTES);
    reader.Read("check", options.check, 0, MOST_COLLECTIVES);
    reader.Read("average", options.average, 0, 3);
    reader.ReadName("dataType", options.dataType, GetNcclTypeNames());
    reader.ReadName("reduction", options.reduction, GetNcclReductionNames());
    if (const JsonValue* root = reader.Find("root"))
    {
        const InputPlace place = reader.Place("root");
        options.root = root->text == "-1"
                           ? -1
                           : static_cast<int32_t>(GetUnsigned(*root, place.key, 0, INT32_MAX));
    }
    std::string which = "both";
    reader.ReadName("place", which, {"both", "out-of-place", "in-place"});
    options.place = which == "both"       ? NcclTestPlace::BOTH
                    : which == "in-place" ? NcclTestPlace::IN_PLACE
                                          : NcclTestPlace::OUT_OF_PLACE;
}

/// Sets how many ranks of the job take part, and refuses what does not come out even.
void
CheckTestRanks(JsonReader& reader, const CollectiveContext& context, NcclTestOptions& options)
{
    const InputPlace place = reader.Place(reader.Find("args") ? "args" : "gpus");
    if (options.gpus == 0)
    {
        options.gpus = context.ranks;
        options.processes = 1;
        options.threads = 1;
    }
    options.processes = std::max(options.processes, 1U);
    const uint64_t ranks = uint64_t{options.processes} * options.threads * options.gpus;
    if (ranks < 2 || ranks > context.ranks)
    {
        throw InputError(place,
                         std::to_string(options.processes) + " processes with " +
                             std::to_string(options.threads) + " threads of " +
                             std::to_string(options.gpus) + " GPUs are " + std::to_string(ranks) +
                             " ranks, and the job has " + std::to_string(context.ranks),
                         "2 to " + std::to_string(context.ranks) + " ranks");
    }
    if (options.root >= static_cast<int64_t>(ranks))
    {
        throw InputError(place,
                         "root " + std::to_string(options.root) + " is no rank",
                         "0 to " + std::to_string(ranks - 1) + ", or -1: each of them");
    }
}

} // namespace

std::vector<uint64_t>
ReadSizes(const JsonValue& value, const std::string& path)
{
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        return ParseSizes(GetQuantityText(value, path, "a number of bytes"), PlaceOf(value, path));
    }
    std::vector<uint64_t> sizes;
    for (size_t i = 0; i < value.elements.size(); i++)
    {
        std::vector<uint64_t> more = ReadSizes(value.elements[i], ElementPath(path, i));
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    if (sizes.empty())
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "at least one size");
    }
    return sizes;
}

CollectiveWorkload
ReadCollective(JsonReader& reader, const CollectiveContext& context)
{
    CollectiveWorkload workload;
    reader.Get("op");
    reader.ReadName("op", workload.op, GetScenarioNames("collectives"));
    reader.ReadName("dataType", workload.dataType, GetScenarioNames("data-types"));
    ReadCollectiveTransfers(reader, context, workload);
    const bool isBarrier = workload.op == ToString(CollectiveOperation::BARRIER);
    if (isBarrier || HasListedTransfers(workload))
    {
        if (reader.Find("sizes"))
        {
            throw InputError(reader.Place("sizes"),
                             isBarrier ? "a barrier has no size" : "the transfers have the sizes",
                             "no \"sizes\"");
        }
        workload.sizes = {0};
    }
    else
    {
        workload.sizes = ReadSizes(reader.Get("sizes"), context.path + ".sizes");
    }
    for (uint64_t size : workload.sizes)
    {
        CheckWholeElements(size, workload.dataType, reader.Place("sizes"));
    }
    reader.Read("root", workload.root, 0, context.ranks - 1);
    reader.Read("inPlace", workload.inPlace);
    CheckInPlace(reader, workload);
    workload.choice = ReadChoice(reader, context);
    reader.Read("iterations", workload.iterations, 1, MOST_COLLECTIVES);
    return workload;
}

NcclTestsWorkload
ReadNcclTests(JsonReader& reader, const CollectiveContext& context)
{
    NcclTestsWorkload workload;
    NcclTestOptions& options = workload.options;
    if (!reader.Find("args"))
    {
        reader.Get("test"); // nobody should run another test than meant
    }
    std::string arguments;
    reader.Read("args", arguments);
    ParseNcclTestArguments(arguments, reader.Place("args"), options);
    ReadTestKeys(reader, options);
    if (const JsonValue* sizes = reader.Find("sizes"))
    {
        for (const char* key : {"minBytes", "maxBytes", "stepBytes", "stepFactor"})
        {
            if (reader.Find(key))
            {
                throw InputError(reader.Place(key), "stands beside sizes", "one of the two");
            }
        }
        options.sizes = ReadSizes(*sizes, context.path + ".sizes");
    }
    CheckNcclTestOptions(options, reader.Place(reader.Find("args") ? "args" : "minBytes"));
    CheckTestRanks(reader, context, options);
    workload.choice = ReadChoice(reader, context);
    return workload;
}

SplitConfig
ReadSplit(const JsonValue* value, const std::string& path, uint32_t ranks)
{
    SplitConfig split;
    if (!value)
    {
        return split;
    }
    JsonReader reader(*value, path);
    reader.Get("size");
    reader.Read("size", split.size, 2, ranks);
    reader.ReadName("by", split.by, {"block", "stride"});
    if (ranks % split.size != 0)
    {
        throw InputError(reader.Place("size"),
                         std::to_string(ranks) + " ranks are no communicators of " +
                             std::to_string(split.size),
                         "a divisor of " + std::to_string(ranks));
    }
    reader.RejectUnknownKeys();
    return split;
}

NcclConfig
ReadNccl(const JsonValue* value, const std::string& path, const NcclConfig& general)
{
    NcclConfig nccl = general;
    if (!value)
    {
        return nccl;
    }
    JsonReader reader(*value, path);
    reader.Read("version", nccl.version);
    reader.ReadName("cpu", nccl.cpuVendor, {"intel", "amd", "arm"});
    uint32_t number = 0;
    const std::string wrong = nccl.version.empty() ? "" : ParseNcclVersion(nccl.version, number);
    if (!wrong.empty())
    {
        throw InputError(reader.Place("version"), wrong);
    }
    NcclEnvironment known;
    for (const std::string& key : value->keys)
    {
        if (key == "version" || key == "cpu")
        {
            continue;
        }
        const InputPlace place = reader.Place(key);
        const JsonValue& setting = *reader.Find(key);
        if (setting.text.empty())
        {
            throw InputError(place, Describe(setting) + " is no value", "a string or a number");
        }
        const std::string refusal = known.Set(key, setting.text);
        if (!refusal.empty())
        {
            throw InputError(place, refusal);
        }
        auto same = std::find_if(nccl.environment.begin(),
                                 nccl.environment.end(),
                                 [&key](const auto& pair) { return pair.first == key; });
        if (same == nccl.environment.end())
        {
            nccl.environment.emplace_back(key, setting.text);
        }
        else
        {
            same->second = setting.text;
        }
    }
    return nccl;
}

} // namespace ns3
