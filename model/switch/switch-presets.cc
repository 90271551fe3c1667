// SPDX-License-Identifier: GPL-2.0-only
#include "switch-presets.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

constexpr uint64_t MB = 1 << 20; // vendors' MB of memory are binary
constexpr uint64_t GBPS = 1000000000;

/// A preset, as plain data.
struct Entry
{
    const char* name;
    const char* chip;
    uint64_t bufferBytes;
    uint32_t ports;
    uint64_t gbps; ///< of a port
    uint32_t cellBytes;
    const char* note;
};

// "SONiC tests" are the QoS parameters of sonic-net/sonic-mgmt (tests/qos/files), which state the
// cell size of each chip; "SONiC platform" are the buffer tables of sonic-net/sonic-buildimage.
const Entry PRESETS[] = {
    // Memory, ports: Arista 7050X data sheet; DCQCN (SIGCOMM 2015), section 4. Cell: SONiC tests,
    // qos_params.td2.yaml.
    {"trident2", "Broadcom Trident II (BCM56850)", 12 * MB, 32, 40, 208, ""},
    // Memory, ports: announcement of 2014, J. Warner's list of packet buffers (UC Santa Cruz).
    // Cell: SONiC tests, qos_params.th.yaml.
    {"tomahawk",
     "Broadcom Tomahawk (BCM56960)",
     16 * MB,
     32,
     100,
     208,
     "the chip has four memories of 4 MB, each for some of the ports; here it is one"},
    // Memory, ports: the packet buffer reference at port-buffers.forwardingplane.net, concepts/
    // broadcom-tomahawk2. Cell: SONiC tests, qos_params.th2.yaml.
    {"tomahawk2",
     "Broadcom Tomahawk 2 (BCM56970)",
     42 * MB,
     64,
     100,
     208,
     "the chip's memory is in parts, each for some of the ports; here it is one"},
    // Memory: Arista 7060X4 data sheet. Ports: Linley newsletter of 2017-12-26. Cell: SONiC tests,
    // qos_params.th3.yaml.
    {"tomahawk3", "Broadcom Tomahawk 3 (BCM56980)", 64 * MB, 32, 400, 254, ""},
    // Memory: Arista 7060X5 data sheet (114 MB; others say 113). Ports: Linley newsletter of
    // 2019-12-17. Cell: not public.
    {"tomahawk4", "Broadcom Tomahawk 4 (BCM56990)", 113 * MB, 64, 400, 0, ""},
    // Memory: 659,632 cells of 254 B, the bound in SONiC platform, x86_64-arista_7060x6_64pe,
    // buffers_defaults_t0.j2. Ports: announcement of 2022-08.
    {"tomahawk5", "Broadcom Tomahawk 5 (BCM78900)", 659632ULL * 254, 64, 800, 254, ""},
    // Memory, ports: SN2700 data sheet; J. Warner's list of packet buffers (UC Santa Cruz). Cell:
    // SONiC tests, mellanox/qos_param_generator.py, as for the next ones.
    {"spectrum", "NVIDIA (Mellanox) Spectrum", 16 * MB, 32, 100, 96, ""},
    // Memory: SN3700 data sheet. Ports: Linley newsletter of 2017-07-31.
    {"spectrum2", "NVIDIA (Mellanox) Spectrum-2", 42 * MB, 32, 200, 144, ""},
    // Memory: SN4700 data sheet. Ports: announcement of 2020-03.
    {"spectrum3", "NVIDIA (Mellanox) Spectrum-3", 64 * MB, 32, 400, 144, ""},
    // Memory: SN5600 data sheet. (SONiC platform, x86_64-nvidia_sn5600-r0, has pools of 158,229,504
    // B of it.) Ports: announcement of 2022-03.
    {"spectrum4", "NVIDIA Spectrum-4", 160 * MB, 64, 800, 192, ""},
    // Memory: 8 GB of HBM a chip, J. Warner's list of packet buffers, page 7280R3. Ports: Linley
    // newsletter of 2018-03-13.
    {"jericho2",
     "Broadcom Jericho2 (BCM88690)",
     8192 * MB,
     12,
     400,
     0,
     "the chip has virtual output queues with credits, and a small memory before the large one; "
     "here it is a shared-memory switch with deep buffers"},
};

} // namespace

std::vector<std::string>
GetSwitchPresetNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : PRESETS)
    {
        names.emplace_back(entry.name);
    }
    return names;
}

SwitchPreset
GetSwitchPreset(const std::string& name)
{
    std::string known;
    for (const Entry& entry : PRESETS)
    {
        if (name == entry.name)
        {
            return {entry.name,
                    entry.chip,
                    entry.bufferBytes,
                    entry.ports,
                    DataRate(entry.gbps * GBPS),
                    entry.cellBytes,
                    entry.note};
        }
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    NS_ABORT_MSG("no switch preset is called \"" << name << "\"; there are " << known);
    return {};
}

} // namespace ns3
