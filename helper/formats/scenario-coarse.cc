// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-sections.h"

#include "ns3/congestion-presets.h"
#include "ns3/rdma-congestion-ops.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// Refuses a setting beside coarse packets.
class CoarseRefusal
{
  public:
    explicit CoarseRefusal(const JsonValue& root)
        : m_root(root)
    {
    }

    /// @param wrong the setting is there @param path of it @param found what it is and why it
    /// cannot be @param expected what can
    void If(bool wrong,
            const std::string& path,
            const std::string& found,
            const char* expected) const
    {
        if (wrong)
        {
            throw InputError(PlaceOf(Deepest(path), path),
                             found + ", and network.segmentsPerFrame is above 1",
                             std::string(expected) + ", or segmentsPerFrame 1");
        }
    }

  private:
    /// @param path of a field @return it, or what is there on the way to it
    const JsonValue& Deepest(const std::string& path) const
    {
        const JsonValue* at = &m_root;
        size_t from = 0;
        while (from < path.size())
        {
            const size_t end = std::min(path.find('.', from), path.size());
            const JsonValue* next = at->Find(path.substr(from, end - from));
            if (!next)
            {
                break;
            }
            at = next;
            from = end + 1;
        }
        return *at;
    }

    const JsonValue& m_root;
};

/// Congestion controls that look at marks or at nothing. The others measure the delay of frames, or
/// each frame carries something for them.
const std::set<std::string> COARSE_CONTROLS{"none", "static", "dcqcn", "dctcp"};

} // namespace

void
CheckCoarsePackets(const Scenario& scenario, const JsonValue& root)
{
    const NetworkConfig& network = scenario.network;
    if (network.segmentsPerFrame == 1)
    {
        return;
    }
    const CoarseRefusal refuse(root);
    refuse.If(COARSE_CONTROLS.count(network.congestionControl.name) == 0,
              "network.congestionControl",
              "\"" + network.congestionControl.name +
                  "\" goes by the delay, the telemetry or the credit of single frames",
              "none, static, dcqcn or dctcp");
    refuse.If(network.telemetry.intFormat != "none",
              "network.telemetry.int",
              "each frame would carry its own telemetry",
              "none");
    refuse.If(network.telemetry.trimming.has_value(),
              "network.telemetry.trimming",
              "switches would trim single frames",
              "false");
    refuse.If(network.telemetry.dropMirror.has_value(),
              "network.telemetry.dropMirror",
              "each dropped frame would be mirrored",
              "none");
    refuse.If(network.reliability != "go-back-n",
              "network.reliability",
              "\"" + network.reliability + "\" repeats single frames",
              "go-back-n");
    refuse.If(PathSelectorReorders(network.pathSelection.name) ||
                  network.pathSelection.name == "conweave",
              "network.pathSelection",
              "\"" + network.pathSelection.name + "\" sends frames of a flow over several paths",
              "a selector that keeps a flow on its path");
    refuse.If(network.vlan > 0, "network.vlan", "each frame would have its own tag", "0");
    refuse.If(network.nic != "ideal",
              "network.nic",
              "\"" + network.nic + "\" spends time on each frame",
              "ideal");
    refuse.If(!scenario.output.pcap.empty(),
              "output.pcap",
              "a capture would show frames that are not on the wire",
              "no capture");
    for (const FaultConfig& fault : scenario.faults)
    {
        using Kind = FaultConfig::Kind;
        refuse.If(fault.kind == Kind::LOSS || fault.kind == Kind::BIT_ERRORS ||
                      fault.kind == Kind::SLOW_RECEIVER,
                  "faults",
                  "\"" + GetFaultName(fault.kind) + "\" is about single frames",
                  "other faults");
    }
    for (const JobConfig& job : scenario.jobs)
    {
        const auto* perftest = std::get_if<PerftestWorkload>(&job.workload);
        refuse.If(perftest && perftest->config.connection != "RC",
                  "jobs",
                  "job " + job.name + " does not use reliable connections",
                  "connection RC");
    }
}

} // namespace ns3
