// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-flows.h"

#include "line-reader.h"
#include "quantity.h"

#include <limits>

namespace ns3
{

namespace
{

constexpr uint64_t MOST_FLOWS = 1U << 30;

uint32_t
ReadHost(const LineReader& reader,
         const std::string& key,
         size_t word,
         const std::vector<bool>& isHost)
{
    const std::string& text = reader.GetWords()[word];
    uint64_t id = ParseUnsigned(text, reader.Place(key), 0, isHost.size() - 1);
    if (!isHost[id])
    {
        throw InputError(reader.Place(key), "node " + text + " is a switch", "the id of a host");
    }
    return static_cast<uint32_t>(id);
}

HpccFlow
ReadFlow(const LineReader& reader, const std::vector<bool>& isHost)
{
    const std::vector<std::string>& words = reader.GetWords();
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    HpccFlow flow;
    flow.source = ReadHost(reader, "source", 0, isHost);
    flow.destination = ReadHost(reader, "destination", 1, isHost);
    if (flow.source == flow.destination)
    {
        throw InputError(reader.Place("destination"),
                         words[1] + " is the source as well",
                         "another host");
    }
    flow.priorityGroup =
        static_cast<uint8_t>(ParseUnsigned(words[2], reader.Place("priority-group"), 0, 7));
    flow.destinationPort =
        static_cast<uint16_t>(ParseUnsigned(words[3], reader.Place("destination-port"), 0, 65535));
    flow.bytes = ParseUnsigned(words[4], reader.Place("bytes"), 1, most);
    int64_t start = ParseCountPs(words[5], reader.Place("start"), PS_PER_S);
    if (start > MOST_PS)
    {
        throw InputError(reader.Place("start"), words[5] + " s is too late", "at most 1000000 s");
    }
    flow.start = PicoSeconds(static_cast<uint64_t>(start));
    return flow;
}

} // namespace

std::vector<HpccFlow>
ReadHpccFlows(const std::string& path, const std::vector<bool>& isHost)
{
    LineReader reader(path, "a flow file");
    reader.Need("the number of flows", 1);
    uint64_t count = ParseUnsigned(reader.GetWords()[0], reader.Place("flows"), 0, MOST_FLOWS);
    std::vector<HpccFlow> flows;
    for (uint64_t flow = 1; flow <= count; flow++)
    {
        reader.Need("flow " + std::to_string(flow) + " of " + std::to_string(count) +
                        ", as \"source destination priority-group destination-port bytes start\"",
                    6);
        flows.push_back(ReadFlow(reader, isHost));
    }
    return flows;
}

} // namespace ns3
