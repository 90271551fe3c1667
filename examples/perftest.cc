// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief linux-rdma/perftest in a simulation: two hosts, a cable or some switches, one test.
 *
 *     host 0 ----- switch ----- ... ----- switch ----- host 1
 *
 * The options are perftest's, where they make sense here; the table is perftest's, too.
 *
 *     perftest --test write-lat -a --nic connectx-6-hdr --switches 3
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int BAD_INPUT = 2;
constexpr int FAILED = 3;

/// What the command line says.
struct Arguments
{
    PerftestConfig perftest;
    uint32_t mtu{4096};
    std::string nic{"ideal"};
    DataRate rate{"200Gbps"};
    Time delay{NanoSeconds(100)};
    uint32_t switches{1};
    Time switchLatency{NanoSeconds(130)};
    uint32_t dataOverhead{0};
    std::string csv;
    bool help{false};
};

const char* const HELP =
    "usage: perftest [OPTION]...\n"
    "  --test NAME             write-bw, write-lat, send-bw, send-lat, read-bw, read-lat,\n"
    "                          atomic-bw, atomic-lat (default write-bw)\n"
    "  -c, --connection TYPE   RC, UC or UD (default RC)\n"
    "  -s, --size BYTES        length of a message (default 65536; latency 2; atomics 8)\n"
    "  -a, --all               2 B to 8 MiB; UD: to the MTU\n"
    "  -n, --iters N           messages of each pair (default 1000; write-bw 5000)\n"
    "  -q, --qp N              queue pairs (default 1)\n"
    "  -t, --tx-depth N        messages outstanding of each pair (default 128)\n"
    "  -r, --rx-depth N        receives posted of each pair (default 512)\n"
    "  -Q, --cq-mod N          each N-th message has a completion (default 100; 1 for one size\n"
    "                          above 8 KiB)\n"
    "  -I, --inline_size B     longest inline message (default 0; latency: WRITE 220, SEND 236,\n"
    "                          UD 188)\n"
    "  -o, --outs N            READs and atomics under way of each pair (default 16)\n"
    "  -A, --atomic_type TYPE  fetch-and-add or compare-and-swap\n"
    "  -b, --bidirectional     both sides send\n"
    "  -m, --mtu BYTES         payload of a full frame (default 4096)\n"
    "      --nic PRESET        ideal, connectx-6-hdr, ... (default ideal)\n"
    "      --rate RATE         of all links (default 200Gbps)\n"
    "      --delay TIME        of each link (default 100ns)\n"
    "      --switches N        in a row between the hosts; 0: one cable (default 1)\n"
    "      --switch-latency T  of each switch (default 130ns)\n"
    "      --data-overhead B   bytes of a data frame besides its payload, instead of RoCEv2's 62\n"
    "      --csv FILE          also writes the rows there\n";

/// An option, what it is called, and what it does with its value.
struct Option
{
    std::string letter; ///< may be empty
    std::string name;
    bool hasValue;
    std::function<void(const std::string& value, const InputPlace& place)> set;
};

uint32_t
Number(const std::string& text, const InputPlace& place)
{
    return static_cast<uint32_t>(ParseUnsigned(text, place, 0, 1'000'000'000));
}

std::vector<Option>
MakeOptions(Arguments& arguments)
{
    PerftestConfig& test = arguments.perftest;
    using Text = const std::string&;
    using Place = const InputPlace&;
    return {
        {"", "--test", true, [&](Text v, Place) { test.test = v; }},
        {"-c", "--connection", true, [&](Text v, Place) { test.connection = v; }},
        {"-s", "--size", true, [&](Text v, Place p) { test.sizes = ParseSizes(v, p); }},
        {"-a", "--all", false, [&](Text, Place) { test.sizes = {0}; }},
        {"-n", "--iters", true, [&](Text v, Place p) { test.iterations = Number(v, p); }},
        {"-q", "--qp", true, [&](Text v, Place p) { test.queuePairs = Number(v, p); }},
        {"-t", "--tx-depth", true, [&](Text v, Place p) { test.txDepth = Number(v, p); }},
        {"-r", "--rx-depth", true, [&](Text v, Place p) { test.rxDepth = Number(v, p); }},
        {"-Q", "--cq-mod", true, [&](Text v, Place p) { test.cqModeration = Number(v, p); }},
        {"-I", "--inline_size", true, [&](Text v, Place p) { test.inlineBytes = Number(v, p); }},
        {"-o", "--outs", true, [&](Text v, Place p) { test.outstandingReads = Number(v, p); }},
        {"-A", "--atomic_type", true, [&](Text v, Place) { test.atomic = v; }},
        {"-b", "--bidirectional", false, [&](Text, Place) { test.bidirectional = true; }},
        {"-m", "--mtu", true, [&](Text v, Place p) { arguments.mtu = Number(v, p); }},
        {"", "--nic", true, [&](Text v, Place) { arguments.nic = v; }},
        {"", "--rate", true, [&](Text v, Place p) { arguments.rate = ParseLinkRate(v, p); }},
        {"", "--delay", true, [&](Text v, Place p) { arguments.delay = ParseTime(v, p); }},
        {"", "--switches", true, [&](Text v, Place p) { arguments.switches = Number(v, p); }},
        {"",
         "--switch-latency",
         true,
         [&](Text v, Place p) { arguments.switchLatency = ParseTime(v, p); }},
        {"",
         "--data-overhead",
         true,
         [&](Text v, Place p) { arguments.dataOverhead = Number(v, p); }},
        {"", "--csv", true, [&](Text v, Place) { arguments.csv = v; }},
        {"-h", "--help", false, [&](Text, Place) { arguments.help = true; }},
    };
}

Arguments
Parse(const std::vector<std::string>& words)
{
    Arguments arguments;
    std::vector<Option> options = MakeOptions(arguments);
    for (size_t i = 0; i < words.size(); ++i)
    {
        size_t equals = words[i].find('=');
        bool joined = words[i].substr(0, 2) == "--" && equals != std::string::npos;
        std::string name = joined ? words[i].substr(0, equals) : words[i];
        InputPlace place{"perftest", 0, name};
        auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) {
            return name == o.name || (name == o.letter && !o.letter.empty());
        });
        if (option == options.end())
        {
            throw InputError(place, "is no option", "one of perftest --help");
        }
        if (joined && !option->hasValue)
        {
            throw InputError(place, "takes no value");
        }
        if (option->hasValue && !joined && ++i == words.size())
        {
            throw InputError(place, "has no value");
        }
        option->set(!option->hasValue ? ""
                    : joined          ? words[i].substr(equals + 1)
                                      : words[i],
                    place);
    }
    return arguments;
}

/// The whole sweep of -a, where it was asked for.
void
FillInSizes(Arguments& arguments)
{
    PerftestConfig& test = arguments.perftest;
    if (test.sizes != std::vector<uint64_t>{0})
    {
        return;
    }
    constexpr uint64_t LARGEST = 8 << 20;
    uint64_t last = test.connection == "UD" ? arguments.mtu : LARGEST;
    test.sizes.clear();
    for (uint64_t size = 2; size <= last; size *= 2)
    {
        test.sizes.push_back(size);
    }
}

void
Check(const Arguments& arguments)
{
    PerftestObjection objection =
        CheckPerftest(CompletePerftest(arguments.perftest), arguments.mtu);
    if (!objection.key.empty())
    {
        throw InputError({"perftest", 0, objection.key}, objection.found, objection.expected);
    }
    ObjectFactory unused;
    std::string error = ApplyNicPreset(arguments.nic, unused);
    if (!error.empty())
    {
        throw InputError({"perftest", 0, "--nic"}, error);
    }
}

FabricNetwork
Build(const Arguments& arguments)
{
    FabricGraph graph;
    uint32_t last = graph.AddHost("host0");
    uint32_t other = graph.AddHost("host1");
    for (uint32_t i = 0; i < arguments.switches; ++i)
    {
        uint32_t next = graph.AddSwitch("switch" + std::to_string(i));
        graph.Connect({last, next, arguments.rate, arguments.delay});
        last = next;
    }
    graph.Connect({last, other, arguments.rate, arguments.delay});
    FabricNetwork network = FabricHelper().Install(graph);
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        for (Ptr<FabricNetDevice>& port : network.ports[v])
        {
            if (graph.GetVertices()[v].role == FabricGraph::Role::SWITCH)
            {
                port->SetAttribute("IngressLatency", TimeValue(arguments.switchLatency));
            }
        }
    }
    RdmaHelper rdma;
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(arguments.mtu));
    rdma.SetNicAttribute("DataOverhead", UintegerValue(arguments.dataOverhead));
    ObjectFactory hostInterface;
    ApplyNicPreset(arguments.nic, hostInterface);
    rdma.SetHostInterface(hostInterface);
    rdma.Install(network.hosts);
    return network;
}

int
Run(const Arguments& arguments)
{
    FabricNetwork network = Build(arguments);
    auto test = CreateObject<PerftestApplication>();
    network.hosts.Get(0)->AddApplication(test);
    test->Set(arguments.perftest, network.ports[0][0], network.ports[1][0]);

    std::ofstream csv;
    if (!arguments.csv.empty())
    {
        csv.open(arguments.csv);
        if (!csv)
        {
            throw InputError({"perftest", 0, "--csv"}, arguments.csv + " cannot be written");
        }
        WritePerftestCsvHeader(csv);
    }
    bool failed = false;
    std::function<void(const PerftestResult&)> report = [&](const PerftestResult& result) {
        PrintPerftestRow(std::cout, result);
        failed |= !result.error.empty();
        if (csv.is_open())
        {
            WritePerftestCsv(csv, "perftest", test->GetConfig(), result);
        }
    };
    test->TraceConnectWithoutContext("Result", Callback<void, const PerftestResult&>(report));
    PrintPerftestHeader(std::cout, test->GetConfig(), arguments.mtu);
    Simulator::Run();
    PrintPerftestEnd(std::cout);
    bool done = test->IsDone();
    Simulator::Destroy();
    if (!done)
    {
        std::cerr << "perftest: nothing moves any more, and messages are outstanding\n";
    }
    return done && !failed ? 0 : FAILED;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else: at 200 Gb/s a byte takes 40 ps
    try
    {
        Arguments arguments = Parse({argv + 1, argv + argc});
        if (arguments.help)
        {
            std::cout << HELP;
            return 0;
        }
        FillInSizes(arguments);
        Check(arguments);
        return Run(arguments);
    }
    catch (const InputError& error)
    {
        std::cerr << error.what() << "\n";
        return BAD_INPUT;
    }
}
