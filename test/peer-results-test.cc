// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Congestion controls of the HPCC family, run on its own configurations, beside what another
 * simulator of that family found: slowdowns by flow size.
 *
 * The peer is astra-sim/astra-network-ns3 at 8fd3604, compiled with -O3. Slowdowns of both sides
 * are over the same ideal time, the family's own formula; frame sizes are the peer's. What the two
 * do differently, and what the numbers say: doc/peer-comparison.rst.
 */

#include "program-run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <sstream>

using namespace test;

namespace
{

/// Source, destination, source port.
using FlowKey = std::vector<int>;

struct Flow
{
    double bytes;
    double durationNs;
};

using Flows = std::map<FlowKey, Flow>;

/// All links of these scenarios: 100 Gb/s and 1 us.
constexpr double NS_PER_BYTE = 0.08;
constexpr double DELAY_NS = 1000;
constexpr double PAYLOAD_BYTES = 1000;

int
NodeOf(const std::string& text)
{
    bool address = text.size() == 8; // ours are 0b000001 + 256 n, the peer's are n
    return address ? static_cast<int>((std::stoul(text, nullptr, 16) - 0x0b000001) / 256)
                   : std::stoi(text);
}

Flows
ReadFlows(const std::string& path)
{
    Flows flows;
    for (const auto& words : ReadWords(path))
    {
        flows[{NodeOf(words.at(0)), NodeOf(words.at(1)), std::stoi(words.at(2))}] = {
            std::stod(words.at(4)),
            std::stod(words.at(6))};
    }
    return flows;
}

/// @return the family's ideal: 2 x propagation, a payload on each link, all bytes on one of them
double
IdealNs(double bytes, int links)
{
    return links * (2 * DELAY_NS + PAYLOAD_BYTES * NS_PER_BYTE) +
           (bytes - PAYLOAD_BYTES) * NS_PER_BYTE;
}

struct Summary
{
    size_t flows;
    double mean;
    double p99;
};

/// Slowdowns of the flows of some sizes. @param links that each flow passes
Summary
Summarize(const Flows& flows, double from, double below, int links)
{
    std::vector<double> slowdowns;
    for (const auto& [key, flow] : flows)
    {
        if (flow.bytes >= from && flow.bytes < below)
        {
            slowdowns.push_back(flow.durationNs / IdealNs(flow.bytes, links));
        }
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    auto count = static_cast<double>(slowdowns.size());
    size_t rank = std::min(slowdowns.size() - 1, static_cast<size_t>(0.99 * count));
    return {slowdowns.size(),
            std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) / count,
            slowdowns[rank]};
}

/// How the peer's frames are: bytes of headers, of an acknowledgement, no preamble, no gap.
std::string
WireOf(const std::string& algorithm)
{
    return algorithm == "hpcc" ? "@HPCCWIRE@" : "36,48,0,0";
}

Flows
RunOurs(const std::string& config, const std::string& algorithm)
{
    TemporaryFolder folder;
    // The peer's switches put acknowledgements into the class of the data whatever ACK_HIGH_PRIO
    // says: its program never tells them.
    ProgramResult run = RunProgram("run --hpcc " + config + " --set ACK_HIGH_PRIO=0 --wire " +
                                   WireOf(algorithm) + " --quiet --out " + folder.PathOf("r"));
    EXPECT_EQ(run.status, 0) << run.output;
    return run.status == 0 ? ReadFlows(folder.PathOf("r/fct.txt")) : Flows{};
}

} // namespace
