// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-topology.h"

#include "xml-document.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_DEVICES = 1024;

const std::string SWITCH_CLASS = "0x068000";
const std::string CPU_CLASS = "0x068001";

/// A rate of a lane, as Linux writes it.
struct LaneSpeed
{
    const char* name;
    uint32_t generation;
    double gbps; ///< 16 lanes, as NCCL counts: 8 GT/s carry 12 GB/s
};

const std::vector<LaneSpeed> LANE_SPEEDS{
    {"2.5 GT/s", 1, 3},
    {"5 GT/s", 2, 6},
    {"5.0 GT/s", 2, 6},
    {"8 GT/s", 3, 12},
    {"8.0 GT/s", 3, 12},
    {"16 GT/s", 4, 24},
    {"16.0 GT/s", 4, 24},
    {"32 GT/s", 5, 48},
    {"32.0 GT/s", 5, 48},
    {"64 GT/s", 6, 96},
    {"64.0 GT/s", 6, 96},
};

/// A PCIe link, for the tree and for NCCL's sums.
struct TopologyLink
{
    PcieLink link;
    double gbps;
};

/// Reads the elements, then numbers GPUs and ports and builds the tree.
class TopologyReader
{
  public:
    NcclTopology Read(const XmlElement& system)
    {
        if (system.name != "system")
        {
            throw InputError(system.Place(), "<" + system.name + ">", "<system>");
        }
        system.RejectOtherChildren({"cpu"});
        for (const XmlElement& child : system.children)
        {
            ReadCpu(child);
        }
        if (m_topology.gpus.empty())
        {
            throw InputError(system.Place(), "there is no <gpu>", "at least one");
        }
        SortDevices();
        CheckLinks();
        BuildTree();
        return std::move(m_topology);
    }

  private:
    /// A bridge, GPU or port, and what it hangs at.
    struct Device
    {
        std::string parent; ///< name in the tree
        TopologyLink link;
        PcieNodeKind kind;
        size_t index; ///< of a GPU or port in m_topology; of a bridge in m_bridges
    };

    void ReadCpu(const XmlElement& cpu)
    {
        cpu.RejectOtherChildren({"pci", "nic"});
        const std::string* vendor = cpu.Find("vendor");
        m_topology.cpus.push_back(
            {cpu.GetInteger("numaid", -1, 1 << 20), cpu.Get("arch"), vendor ? *vendor : ""});
        std::string name = "cpu" + std::to_string(m_topology.cpus.size() - 1);
        for (const XmlElement& child : cpu.children)
        {
            if (child.name == "pci")
            {
                ReadPci(child, name);
            }
            else
            {
                // A NIC that the kernel shows without a PCI device: as one with 16 lanes.
                ReadNic(child, name, {{5, 16}, 48});
            }
        }
    }

    static TopologyLink ReadLink(const XmlElement& pci)
    {
        int64_t lanes = 16;
        const std::string* width = pci.Find("link_width");
        if (width && !width->empty())
        {
            lanes = pci.GetInteger("link_width", 0, 32);
            lanes = lanes == 0 ? 16 : lanes; // not shown in a virtual machine
        }
        const std::string* speed = pci.Find("link_speed");
        uint32_t generation = 3; // likewise, as NCCL has it
        double gbps = 12;
        if (speed && !speed->empty() && speed->rfind("Unknown", 0) != 0)
        {
            std::string name = *speed;
            size_t suffix = name.find(" PCIe");
            name.erase(std::min(suffix, name.size()));
            auto same = [&name](const LaneSpeed& s) { return name == s.name; };
            auto found = std::find_if(LANE_SPEEDS.begin(), LANE_SPEEDS.end(), same);
            if (found == LANE_SPEEDS.end())
            {
                throw InputError(pci.Place("link_speed"),
                                 "\"" + *speed + "\" is not a rate of a PCIe lane",
                                 "one such as \"32.0 GT/s PCIe\"");
            }
            generation = found->generation;
            gbps = found->gbps;
        }
        PcieLink link{generation, static_cast<uint32_t>(lanes)};
        if (std::string error = link.Check(); !error.empty())
        {
            throw InputError(pci.Place("link_width"), error);
        }
        return {link, gbps * static_cast<double>(lanes) / 16};
    }

    void ReadPci(const XmlElement& pci, const std::string& parent)
    {
        pci.RejectOtherChildren({"pci", "gpu", "nic", "pcilink"});
        const std::string& busId = pci.Get("busid");
        if (!m_busIds.insert(busId).second)
        {
            throw InputError(pci.Place("busid"), "\"" + busId + "\" for a second time");
        }
        TopologyLink link = ReadLink(pci);
        auto child = [&pci](const char* name) -> const XmlElement* {
            for (const XmlElement& element : pci.children)
            {
                if (element.name == name)
                {
                    return &element;
                }
            }
            return nullptr;
        };
        if (const XmlElement* gpu = child("gpu"))
        {
            ReadGpu(*gpu, busId, parent, link);
        }
        else if (const XmlElement* nic = child("nic"))
        {
            ReadNic(*nic, parent, link);
        }
        else if (const std::string* kind = pci.Find("class"); kind && *kind == SWITCH_CLASS)
        {
            // An NVSwitch's own PCIe function carries no data.
        }
        else
        {
            m_bridges.push_back(busId);
            m_devices.push_back({parent, link, PcieNodeKind::SWITCH, m_bridges.size() - 1});
            for (const XmlElement& element : pci.children)
            {
                if (element.name == "pci")
                {
                    ReadPci(element, busId);
                }
            }
        }
    }

    void ReadGpu(const XmlElement& element,
                 const std::string& busId,
                 const std::string& parent,
                 const TopologyLink& link)
    {
        element.RejectOtherChildren({"nvlink", "c2c"});
        NcclTopology::Gpu gpu{busId,
                              static_cast<uint32_t>(element.GetInteger("dev", 0, MOST_DEVICES)),
                              static_cast<uint32_t>(element.GetInteger("sm", 30, 999)),
                              link.gbps,
                              {}};
        for (const XmlElement& child : element.children)
        {
            if (child.name == "nvlink")
            {
                const std::string* kind = child.Find("tclass");
                bool toSwitch = kind && (*kind == SWITCH_CLASS || *kind == CPU_CLASS);
                gpu.links.push_back(
                    {child.Get("target"),
                     static_cast<uint32_t>(child.GetInteger("count", 1, MOST_DEVICES)),
                     toSwitch});
                m_linkPlaces.push_back({m_topology.gpus.size(), child.Place("target")});
            }
        }
        m_topology.gpus.push_back(gpu);
        m_gpuPlaces.push_back(element.Place("dev"));
        m_devices.push_back({parent, link, PcieNodeKind::GPU, m_topology.gpus.size() - 1});
    }

    void ReadNic(const XmlElement& nic, const std::string& parent, const TopologyLink& link)
    {
        nic.RejectOtherChildren({"net"});
        std::string above = parent;
        if (nic.children.size() > 1)
        {
            // Ports of one card share its link: a node for the card, and one for each port.
            m_bridges.push_back("card" + std::to_string(m_bridges.size()));
            above = m_bridges.back();
            m_devices.push_back({parent, link, PcieNodeKind::SWITCH, m_bridges.size() - 1});
        }
        for (const XmlElement& net : nic.children)
        {
            if (!net.Find("dev"))
            {
                continue; // one that NCCL has not chosen
            }
            constexpr double MOST_MBPS = 1e8;
            double mbps = net.GetNumber("speed", -1, MOST_MBPS, 0);
            mbps = mbps <= 0 ? 10000 : mbps; // unknown: NCCL takes 10 Gb/s
            m_topology.nets.push_back(
                {net.Get("name"),
                 static_cast<uint32_t>(net.GetInteger("dev", 0, MOST_DEVICES)),
                 mbps / 8000,
                 net.GetNumber("latency", 0, 1e6, 0),
                 net.GetInteger("gdr", 0, 1, 0) == 1});
            m_netPlaces.push_back(net.Place("dev"));
            m_devices.push_back({above, link, PcieNodeKind::NIC, m_topology.nets.size() - 1});
        }
    }

    /// Puts GPUs and ports in the order of their numbers.
    void SortDevices()
    {
        m_gpuRank = SortByDevice(m_topology.gpus, m_gpuPlaces);
        m_netRank = SortByDevice(m_topology.nets, m_netPlaces);
    }

    /// @return new place by old place
    template <typename T>
    static std::vector<size_t> SortByDevice(std::vector<T>& all,
                                            const std::vector<InputPlace>& places)
    {
        std::map<uint32_t, size_t> byDevice;
        for (size_t i = 0; i < all.size(); i++)
        {
            if (!byDevice.emplace(all[i].device, i).second)
            {
                throw InputError(places[i],
                                 "\"" + std::to_string(all[i].device) + "\" for a second time");
            }
        }
        std::vector<T> sorted;
        std::vector<size_t> rank(all.size());
        for (const auto& [device, i] : byDevice)
        {
            rank[i] = sorted.size();
            sorted.push_back(all[i]);
        }
        all = std::move(sorted);
        return rank;
    }

    void CheckLinks() const
    {
        std::map<size_t, size_t> next;
        for (const auto& [fileIndex, place] : m_linkPlaces)
        {
            const NcclTopology::Gpu& gpu = m_topology.gpus[m_gpuRank[fileIndex]];
            const NcclTopology::NvLinks& links = gpu.links[next[fileIndex]++];
            bool known = std::any_of(m_topology.gpus.begin(),
                                     m_topology.gpus.end(),
                                     [&](const auto& g) { return g.busId == links.target; });
            if (!links.toSwitch && !known)
            {
                throw InputError(place,
                                 "\"" + links.target + "\" is not the bus id of a GPU",
                                 "one, or tclass=\"" + SWITCH_CLASS + "\" for a switch");
            }
        }
    }

    void BuildTree()
    {
        auto tree = CreateObject<PcieTree>();
        for (size_t i = 0; i < m_topology.cpus.size(); i++)
        {
            tree->AddNode("cpu" + std::to_string(i), PcieNodeKind::HOST_BRIDGE);
        }
        // GPUs and NICs are numbered in the order in which they are added.
        for (PcieNodeKind kind : {PcieNodeKind::SWITCH, PcieNodeKind::GPU, PcieNodeKind::NIC})
        {
            std::map<size_t, std::string> names;
            for (const Device& device : m_devices)
            {
                if (device.kind == kind)
                {
                    names[RankOf(device)] = NameOf(device);
                }
            }
            for (const auto& [rank, name] : names)
            {
                tree->AddNode(name, kind);
            }
        }
        for (const Device& device : m_devices)
        {
            tree->Connect(device.parent, NameOf(device), device.link.link);
        }
        for (size_t i = 0; i < m_topology.cpus.size(); i++)
        {
            for (size_t j = 0; j < i; j++)
            {
                tree->ConnectSockets("cpu" + std::to_string(j), "cpu" + std::to_string(i));
            }
        }
        m_topology.tree = tree;
    }

    size_t RankOf(const Device& device) const
    {
        return device.kind == PcieNodeKind::GPU   ? m_gpuRank[device.index]
               : device.kind == PcieNodeKind::NIC ? m_netRank[device.index]
                                                  : device.index;
    }

    std::string NameOf(const Device& device) const
    {
        std::string rank = std::to_string(RankOf(device));
        return device.kind == PcieNodeKind::GPU   ? "gpu" + rank
               : device.kind == PcieNodeKind::NIC ? "nic" + rank
                                                  : m_bridges[device.index];
    }

    NcclTopology m_topology;
    std::vector<Device> m_devices;
    std::vector<std::string> m_bridges;
    std::set<std::string> m_busIds;
    std::vector<InputPlace> m_gpuPlaces;
    std::vector<InputPlace> m_netPlaces;
    std::vector<std::pair<size_t, InputPlace>> m_linkPlaces; ///< GPU in file order, and where
    std::vector<size_t> m_gpuRank;                           ///< by place in the file
    std::vector<size_t> m_netRank;
};

ServerPath
ToServerPath(PcieTree::PathKind kind)
{
    switch (kind)
    {
    case PcieTree::PIX:
        return ServerPath::PIX;
    case PcieTree::PXB:
        return ServerPath::PXB;
    case PcieTree::PHB:
        return ServerPath::PHB;
    default:
        return ServerPath::SYS;
    }
}

} // namespace

uint32_t
NcclTopology::Gpu::CountLinks() const
{
    uint32_t count = 0;
    for (const NvLinks& one : links)
    {
        count += one.count;
    }
    return count;
}

CollectivePlatform
NcclTopology::MakePlatform() const
{
    CollectivePlatform platform;
    platform.hasSwitch = false;
    platform.hasInSwitchReduction = false;
    platform.scaleUpLinks = UINT32_MAX;
    platform.computeCapability = UINT32_MAX;
    platform.pcieGBps = 0;
    for (const Gpu& gpu : gpus)
    {
        platform.computeCapability = std::min(platform.computeCapability, gpu.computeCapability);
        platform.scaleUpLinks = std::min(platform.scaleUpLinks, gpu.CountLinks());
        double pcie = platform.pcieGBps;
        platform.pcieGBps = pcie > 0 ? std::min(pcie, gpu.pcieGBps) : gpu.pcieGBps;
        for (const NvLinks& links : gpu.links)
        {
            platform.hasSwitch = platform.hasSwitch || links.toSwitch;
        }
    }
    // A link each way: 25 GB/s for NVLink 3 and 4, 50 for NVLink 5.
    platform.scaleUpGBps = platform.scaleUpLinks * (platform.computeCapability >= 100 ? 50. : 25.);
    platform.hasInSwitchReduction = platform.hasSwitch && platform.computeCapability >= 90;
    platform.nicsPerGroup = static_cast<uint32_t>(nets.size());
    for (const Net& net : nets)
    {
        platform.nicGBps = platform.nicGBps > 0 ? std::min(platform.nicGBps, net.gbps) : net.gbps;
        platform.nicLatencyUs = std::max(platform.nicLatencyUs, net.latencyUs);
    }
    const Cpu& cpu = cpus.front();
    platform.cpuVendor = cpu.architecture == "arm64"    ? "arm"
                         : cpu.vendor == "AuthenticAMD" ? "amd"
                                                        : "intel";
    return platform;
}

ServerGraph
NcclTopology::MakeServerGraph() const
{
    ServerGraph graph;
    graph.switched = MakePlatform().hasSwitch;
    for (uint32_t a = 0; a < gpus.size(); a++)
    {
        graph.gpuPaths.emplace_back();
        graph.gpuGBps.emplace_back();
        graph.nicPaths.emplace_back();
        for (uint32_t b = 0; b < gpus.size(); b++)
        {
            uint32_t links = 0;
            for (const NvLinks& one : gpus[a].links)
            {
                bool toPeer =
                    one.target == gpus[b].busId || (one.toSwitch && !gpus[b].links.empty());
                links += toPeer ? one.count : 0;
            }
            double ofLink = gpus[a].computeCapability >= 100 ? 50 : 25;
            bool nvlink = a == b || links > 0;
            graph.gpuPaths.back().push_back(
                nvlink ? ServerPath::NVL
                       : ToServerPath(tree->GetPathKind(tree->GetGpu(a), tree->GetGpu(b))));
            graph.gpuGBps.back().push_back(nvlink ? links * ofLink : gpus[a].pcieGBps);
        }
        for (uint32_t n = 0; n < nets.size(); n++)
        {
            graph.nicPaths.back().push_back(
                ToServerPath(tree->GetPathKind(tree->GetGpu(a), tree->GetNic(n))));
        }
    }
    return graph;
}

NcclTopology
ReadNcclTopology(const std::string& path)
{
    return TopologyReader().Read(ReadXml(path));
}

NcclTopology
ParseNcclTopology(const std::string& text, const std::string& file)
{
    return TopologyReader().Read(ParseXml(text, file));
}

} // namespace ns3
