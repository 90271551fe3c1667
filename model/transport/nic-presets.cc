// SPDX-License-Identifier: GPL-2.0-only
#include "nic-presets.h"

#include "rdma-host-interface.h"

#include "ns3/string.h"

namespace ns3
{

namespace
{

const std::vector<NicPreset>&
Presets()
{
    static const std::vector<NicPreset> presets{
        {"ideal", "the host side takes no time and has no bounds", DataRate(0), {}},
        {"connectx-6-hdr",
         "ConnectX-6, 200 Gb/s, PCIe 4.0 x16, in a virtual machine of a cloud",
         DataRate("200Gbps"),
         {
             {"PcieGeneration", "4", "product brief"},
             {"PcieLanes", "16", "product brief"},
             {"LinkLayerShare", "0.0978", "pcie-bench: 8/168 + 8/168 + 4/1538, x16, 256 B"},
             {"MaxPayload", "256", "usual for servers; not measured"},
             {"MaxReadRequest", "4096", "usual for this NIC; not measured"},
             {"ReadCredits", "16", "assumed: no bound at 200 Gb/s"},
             {"BlueFlameBytes", "256", "perftest: 220 B inline are 36 less, for a WRITE"},
             {"WqeBytes", "32", "mlx5: control and remote address segment"},
             {"SgeBytes", "16", "mlx5: data segment"},
             {"InlineHeaderBytes", "4", "mlx5: inline data segment"},
             {"CompletionBytes", "64", "mlx5"},
             {"DoorbellLatency", "250ns", "fitted: latency of 2 B (the sum of the four)"},
             {"SendProcessing", "250ns", "likewise"},
             {"ReceiveProcessing", "250ns", "likewise"},
             {"WriteLatency", "250ns", "likewise"},
             {"ReadLatency", "930ns", "fitted: step of the latency from inline to DMA at 256 B"},
             {"QpMessageInterval", "386ns", "fitted: 2.59 M messages a second of one pair"},
             {"Turnaround", "90ns", "fitted: bandwidth of 8 to 128 KiB of one pair"},
             {"NicMessageInterval", "4.65ns", "product brief: 215 M messages a second"},
         }},
    };
    return presets;
}

} // namespace

std::vector<std::string>
GetNicPresetNames()
{
    std::vector<std::string> names;
    for (const NicPreset& preset : Presets())
    {
        names.push_back(preset.name);
    }
    return names;
}

const NicPreset*
FindNicPreset(const std::string& name)
{
    for (const NicPreset& preset : Presets())
    {
        if (preset.name == name)
        {
            return &preset;
        }
    }
    return nullptr;
}

std::string
ApplyNicPreset(const std::string& name, ObjectFactory& hostInterface)
{
    const NicPreset* preset = FindNicPreset(name);
    if (!preset)
    {
        std::string names;
        for (const std::string& known : GetNicPresetNames())
        {
            names += (names.empty() ? "" : ", ") + known;
        }
        return "no NIC preset is called \"" + name + "\"; there are " + names;
    }
    hostInterface = ObjectFactory();
    if (preset->settings.empty())
    {
        return "";
    }
    hostInterface.SetTypeId(RdmaHostInterface::GetTypeId());
    for (const NicSetting& setting : preset->settings)
    {
        hostInterface.Set(setting.attribute, StringValue(setting.value));
    }
    return "";
}

} // namespace ns3
