// SPDX-License-Identifier: GPL-2.0-only
#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/coarse-frame.h"
#include "ns3/congestion-presets.h"
#include "ns3/nic-presets.h"

namespace ns3
{

namespace
{

CongestionControlConfig
ReadCongestionControl(const JsonValue& value)
{
    const std::string path = "network.congestionControl";
    CongestionControlConfig config;
    JsonValue object = AsObject(value, path, "name");
    JsonReader reader(object, path);
    reader.Get("name");
    reader.ReadName("name", config.name, GetScenarioNames("congestion-controls"));
    const std::vector<std::string> presets = GetCongestionPresetNames(config.name);
    config.preset = presets.front();
    reader.ReadName("preset", config.preset, presets);
    config.parameters = ReadParameters(reader.Find("parameters"),
                                       path + ".parameters",
                                       GetCongestionControlType(config.name));
    reader.ReadName("scope", config.scope, GetScenarioNames("congestion-scopes"));
    reader.RejectUnknownKeys();
    return config;
}

WireConfig
ReadWire(const JsonValue& value)
{
    JsonReader reader(value, "network.wire");
    WireConfig wire;
    reader.Read("dataOverhead", wire.dataOverhead, 0, 1024);
    reader.Read("controlFrame", wire.controlFrame, 0, 1024);
    reader.Read("preamble", wire.preamble, 0, 255);
    reader.Read("interFrameGap", wire.interFrameGap, 0, 255);
    reader.RejectUnknownKeys();
    return wire;
}

} // namespace

NetworkConfig
ReadNetwork(const JsonValue& value, const std::string& scenarioFile)
{
    JsonReader reader(value, "network");
    NetworkConfig network;
    const std::vector<std::string> technologies = GetScenarioNames("technologies");
    RefuseLater(reader, "technology", {"infiniband"}, technologies);
    reader.ReadName("technology", network.technology, technologies);
    if (const JsonValue* control = reader.Find("congestionControl"))
    {
        network.congestionControl = ReadCongestionControl(*control);
    }
    if (const JsonValue* pfc = reader.Find("pfc"))
    {
        network.pfc = ReadPfc(*pfc);
    }
    reader.Read("mtu", network.mtu, 64, 9000);
    reader.Read("segmentsPerFrame", network.segmentsPerFrame, 1, MOST_SEGMENTS_PER_FRAME);
    if (const JsonValue* selection = reader.Find("pathSelection"))
    {
        network.pathSelection = ReadPathSelection(*selection);
    }
    if (const JsonValue* routing = reader.Find("routing"))
    {
        network.routing = ReadRouting(*routing, scenarioFile);
    }
    reader.ReadName("deadlockCheck", network.deadlockCheck, {"warn", "refuse", "off"});
    network.ackInterval = GetCongestionAckInterval(network.congestionControl.name);
    reader.Read("ackInterval", network.ackInterval, 1, 1 << 20);
    reader.Read("timeout", network.timeout, 0, 31);
    const JsonValue* retries = reader.Find("retryCount");
    network.retryForever = retries && retries->text == "unlimited";
    if (!network.retryForever)
    {
        reader.Read("retryCount", network.retryCount, 0, 7);
    }
    reader.ReadName("reliability", network.reliability, GetScenarioNames("reliabilities"));
    reader.Read("ipVersion", network.ipVersion, 4, 6);
    if (network.ipVersion == 5)
    {
        throw InputError(reader.Place("ipVersion"), "there is no IP version 5 here", "4 or 6");
    }
    reader.Read("vlan", network.vlan, 0, 4094);
    reader.ReadBytes("window", network.windowBytes, 0, MOST_BYTES);
    if (const JsonValue* ecn = reader.Find("ecn"))
    {
        network.ecn = ReadEcn(*ecn, network.markAt);
    }
    if (const JsonValue* buffer = reader.Find("buffer"))
    {
        network.buffer = ReadBuffer(*buffer);
    }
    if (reader.Find("bufferAlpha"))
    {
        if (network.buffer.alpha)
        {
            throw InputError(reader.Place("bufferAlpha"),
                             "network.buffer.alpha is there as well",
                             "one of them");
        }
        network.buffer.alpha = 0;
        reader.Read("bufferAlpha", *network.buffer.alpha, 1e-6, 64);
    }
    if (const JsonValue* scheduling = reader.Find("scheduling"))
    {
        network.scheduling = ReadScheduling(*scheduling);
    }
    if (const JsonValue* telemetry = reader.Find("telemetry"))
    {
        network.telemetry = ReadTelemetry(*telemetry);
    }
    if (reader.Find("cnpInterval"))
    {
        network.cnpInterval = Time();
        reader.Read("cnpInterval", *network.cnpInterval);
    }
    if (reader.Find("baseRtt"))
    {
        network.baseRtt = Time();
        reader.Read("baseRtt", *network.baseRtt);
    }
    reader.Read("timestampResolution", network.timestampResolution);
    if (const JsonValue* wire = reader.Find("wire"))
    {
        network.wire = ReadWire(*wire);
    }
    reader.ReadName("nic", network.nic, GetNicPresetNames());
    reader.RejectUnknownKeys();
    return network;
}

CongestionPreset
GetMarkingPreset(const CongestionControlConfig& control, DataRate rate)
{
    CongestionPreset preset = GetCongestionPreset(control.name, control.preset, rate);
    return preset.marking ? preset : GetCongestionPreset("dcqcn", "", rate);
}

void
CheckEcn(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value)
{
    for (const EcnConfig& ecn : network.ecn)
    {
        if (!ecn.kminBytes == !ecn.kmaxBytes)
        {
            continue; // both were given and compared, or both are the preset's
        }
        for (const FabricGraph::Edge& edge : graph.GetEdges())
        {
            CongestionPreset preset = GetMarkingPreset(network.congestionControl, edge.rate);
            uint64_t kmin = ecn.kminBytes.value_or(preset.marking->kminBytes);
            uint64_t kmax = ecn.kmaxBytes.value_or(preset.marking->kmaxBytes);
            if (kmin > kmax)
            {
                throw InputError(PlaceOf(*value.Find("ecn"), "network.ecn"),
                                 "kmin is " + std::to_string(kmin) + " B and kmax is " +
                                     std::to_string(kmax) + " B at " + FormatDataRate(edge.rate) +
                                     ", one of them by the preset \"" + preset.name + "\"",
                                 "kmin at most kmax: give both");
            }
        }
    }
}

} // namespace ns3
