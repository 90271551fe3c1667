// SPDX-License-Identifier: GPL-2.0-only
#include "pcie-presets.h"

namespace ns3
{

namespace
{

/// How a server's tree is laid out.
struct PciePreset
{
    const char* name;
    uint32_t sockets;
    uint32_t switches; ///< 0: each device at a root port
    uint32_t generation;
};

constexpr PciePreset PCIE_PRESETS[]{{"dgx-h100-like", 2, 8, 5},
                                    {"a100-4-switches", 2, 4, 4},
                                    {"flat", 1, 0, 5}};

std::string
Numbered(const std::string& name, uint32_t number)
{
    return name + std::to_string(number);
}

void
AddSockets(PcieTree& tree, uint32_t sockets)
{
    for (uint32_t s = 0; s < sockets; ++s)
    {
        tree.AddNode(Numbered("cpu", s), PcieNodeKind::HOST_BRIDGE);
    }
    for (uint32_t s = 1; s < sockets; ++s)
    {
        tree.ConnectSockets(Numbered("cpu", s - 1), Numbered("cpu", s));
    }
}

/// Deals out devices evenly over the switches, or to root ports of the socket.
void
AddDevices(PcieTree& tree,
           const PciePreset& preset,
           const std::string& name,
           PcieNodeKind kind,
           uint32_t count)
{
    for (uint32_t d = 0; d < count; ++d)
    {
        std::string upper;
        if (preset.switches > 0)
        {
            upper =
                Numbered("switch", static_cast<uint32_t>(uint64_t{d} * preset.switches / count));
        }
        else
        {
            upper = Numbered("root-" + name, d);
            tree.AddNode(upper, PcieNodeKind::ROOT_PORT);
            tree.Connect("cpu0", upper, {preset.generation, 16});
        }
        tree.AddNode(Numbered(name, d), kind);
        tree.Connect(upper, Numbered(name, d), {preset.generation, 16});
    }
}

} // namespace

std::vector<std::string>
GetPciePresetNames()
{
    std::vector<std::string> names;
    for (const PciePreset& preset : PCIE_PRESETS)
    {
        names.emplace_back(preset.name);
    }
    return names;
}

Ptr<PcieTree>
MakePcieTree(const std::string& preset, uint32_t gpus, uint32_t nics, std::string& error)
{
    for (const PciePreset& known : PCIE_PRESETS)
    {
        if (preset != known.name)
        {
            continue;
        }
        auto tree = CreateObject<PcieTree>();
        AddSockets(*tree, known.sockets);
        for (uint32_t s = 0; s < known.switches; ++s)
        {
            tree->AddNode(Numbered("switch", s), PcieNodeKind::SWITCH);
            tree->Connect(Numbered("cpu", s * known.sockets / known.switches),
                          Numbered("switch", s),
                          {known.generation, 16});
        }
        AddDevices(*tree, known, "gpu", PcieNodeKind::GPU, gpus);
        AddDevices(*tree, known, "nic", PcieNodeKind::NIC, nics);
        error.clear();
        return tree;
    }
    error = "no PCIe preset \"" + preset + "\"; known are";
    for (const std::string& name : GetPciePresetNames())
    {
        error += " " + name;
    }
    return nullptr;
}

} // namespace ns3
