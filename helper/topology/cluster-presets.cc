// SPDX-License-Identifier: GPL-2.0-only
#include "cluster-presets.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint64_t GBPS = 1'000'000'000;

const char* const CABLES =
    "cable lengths: 5 m to the first switch, then 50 m, 100 m or 200 m as the builder's defaults";

ThreeTierPodParameters
MetaRoce24k()
{
    ThreeTierPodParameters p;
    p.pods = 8;
    p.leavesPerPod = 192;
    p.hostsPerLeaf = 2;
    p.gpusPerServer = 8;
    p.spinesPerPod = 16;
    p.coresPerSpine = 4;
    p.linksPerCore = 7;
    return p;
}

ThreeTierPodParameters
Hpcc320()
{
    ThreeTierPodParameters p;
    p.pods = 5;
    p.leavesPerPod = 4;
    p.hostsPerLeaf = 16;
    p.spinesPerPod = 4;
    p.coresPerSpine = 4;
    p.linkRate = DataRate(100 * GBPS);
    p.spineRate = DataRate(400 * GBPS);
    p.linkDelay = p.spineDelay = p.coreDelay = MicroSeconds(1);
    return p;
}

DualPlaneParameters
Hpn(uint32_t segments)
{
    DualPlaneParameters p;
    p.segments = segments;
    p.serversPerSegment = 128;
    p.aggregationsPerPlane = 60;
    return p;
}

RailOptimizedParameters
SuperPod(uint32_t units)
{
    RailOptimizedParameters p;
    p.servers = 32 * units;
    p.serversPerPod = 32;
    p.spines = 4 * units;
    p.linksPerSpine = 8 / units;
    return p;
}

RailOptimizedParameters
MegaScaleTorSet()
{
    RailOptimizedParameters p;
    p.servers = 64;
    p.spines = 32;
    p.linkRate = DataRate(200 * GBPS);
    p.spineRate = DataRate(400 * GBPS);
    return p;
}

LeafSpineParameters
ConWeaveLeafSpine()
{
    LeafSpineParameters p;
    p.leaves = 8;
    p.hostsPerLeaf = 16;
    p.spines = 8;
    p.linkRate = p.uplinkRate = DataRate(100 * GBPS);
    p.linkDelay = p.uplinkDelay = MicroSeconds(1);
    return p;
}

FatTreeParameters
ConWeaveFatTree()
{
    FatTreeParameters p;
    p.k = 8;
    p.hostsPerEdge = 8;
    p.linkRate = DataRate(100 * GBPS);
    p.linkDelay = p.uplinkDelay = MicroSeconds(1);
    return p;
}

FatTreeParameters
Irn54()
{
    FatTreeParameters p;
    p.k = 6;
    p.linkRate = DataRate(40 * GBPS);
    p.linkDelay = p.uplinkDelay = MicroSeconds(2);
    return p;
}

const std::vector<ClusterPreset>&
Presets()
{
    static const std::vector<ClusterPreset> presets{
        {"meta-roce-24k",
         "Meta's RoCE cluster for Llama 3: 24,576 GPUs, racks of 16, 8 pods of 3,072",
         "Llama Team, \"The Llama 3 Herd of Models\", arXiv 2407.21783, section 3.3.1",
         std::string("16 cluster switches a pod, and 28 cables of 400G of each upwards: 192 : 28 "
                     "for the published 7 : 1; ") +
             CABLES,
         MetaRoce24k()},
        {"alibaba-hpn-segment",
         "a segment of Alibaba HPN 7.0: 1,024 GPUs, dual ToR, dual plane",
         "Qian et al., \"Alibaba HPN\", SIGCOMM 2024, section 4 to 6",
         std::string("the 8 backup servers of a segment and the core tier are left out; ") + CABLES,
         Hpn(1)},
        {"alibaba-hpn-pod",
         "a pod of Alibaba HPN 7.0: 15 segments, 15,360 GPUs",
         "Qian et al., \"Alibaba HPN\", SIGCOMM 2024, section 4 to 6",
         std::string("the 8 backup servers of a segment and the core tier are left out; ") + CABLES,
         Hpn(15)},
        {"dgx-h100-superpod-su",
         "a scalable unit of an NVIDIA DGX H100 SuperPOD: 32 nodes, 8 rail leaves, 4 spines",
         "NVIDIA, \"DGX SuperPOD: Next Generation Scalable Infrastructure for AI Leadership, "
         "Reference Architecture Featuring DGX H100\", compute fabric",
         std::string("the place of the management node holds a server; ") + CABLES,
         SuperPod(1)},
        {"dgx-h100-superpod-4su",
         "four scalable units of an NVIDIA DGX H100 SuperPOD: 128 nodes, 32 leaves, 16 spines",
         "NVIDIA, \"DGX SuperPOD: Next Generation Scalable Infrastructure for AI Leadership, "
         "Reference Architecture Featuring DGX H100\", compute fabric",
         std::string("the place of the management node holds a server; ") + CABLES,
         SuperPod(4)},
        {"megascale-tor-set",
         "ByteDance MegaScale: 64 servers under a set of 8 rail ToRs, 1 : 1",
         "Jiang et al., \"MegaScale\", NSDI 2024, section 3.6",
         std::string("each ToR's 32 uplinks go to 32 switches; the third tier is left out; ") +
             CABLES,
         MegaScaleTorSet()},
        {"hpcc-320",
         "HPCC's fat tree: 320 hosts of 100G, 20 ToRs, 20 aggregations, 16 cores of 400G",
         "Li et al., \"HPCC: High Precision Congestion Control\", SIGCOMM 2019, section 5.1",
         "none: the published simulator's topology, cable by cable",
         Hpcc320()},
        {"conweave-leaf-spine-128",
         "ConWeave's leaf-spine: 128 hosts of 100G, 8 leaves, 8 spines, 2 : 1",
         "Song et al., \"Network Load Balancing with In-network Reordering Support for RDMA\", "
         "SIGCOMM 2023, section 4.1",
         "none: the published simulator's topology, cable by cable",
         ConWeaveLeafSpine()},
        {"conweave-fat-tree-256",
         "ConWeave's fat tree: 256 hosts of 100G, k = 8, 2 : 1 at the edge",
         "Song et al., \"Network Load Balancing with In-network Reordering Support for RDMA\", "
         "SIGCOMM 2023, section 4.1",
         "none: the published simulator's topology, cable by cable",
         ConWeaveFatTree()},
        {"irn-54",
         "IRN's fat tree: 54 hosts of 40G, 45 switches of 6 ports",
         "Mittal et al., \"Revisiting Network Support for RDMA\", SIGCOMM 2018, section 4.1",
         "none",
         Irn54()},
    };
    return presets;
}

/// @param count of units @param share of them @return as many, at least 1
uint32_t
ShareOf(uint32_t count, double share)
{
    const double exact = count * share;
    // What a decimal share means exactly must not be rounded up for its last binary digit.
    auto whole = static_cast<uint32_t>(std::ceil(exact * (1 - 1e-12)));
    return std::clamp(whole, 1U, count);
}

} // namespace

std::vector<std::string>
GetClusterPresetNames()
{
    std::vector<std::string> names;
    for (const ClusterPreset& preset : Presets())
    {
        names.push_back(preset.name);
    }
    return names;
}

std::optional<ClusterPreset>
FindClusterPreset(const std::string& name)
{
    for (const ClusterPreset& preset : Presets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

std::string
CutCluster(const ClusterPreset::Parameters& whole, double share, ClusterPreset::Parameters& part)
{
    part = whole;
    if (share == 1)
    {
        return "";
    }
    if (auto* rail = std::get_if<RailOptimizedParameters>(&part))
    {
        const uint32_t pod = rail->Resolved().serversPerPod;
        const uint32_t servers = ShareOf(rail->servers, share);
        const bool one = servers <= pod;
        rail->servers = one ? servers : (servers + pod - 1) / pod * pod;
        rail->serversPerPod = one ? servers : pod;
        return "";
    }
    if (auto* leafSpine = std::get_if<LeafSpineParameters>(&part))
    {
        leafSpine->leaves = ShareOf(leafSpine->leaves, share);
        return "";
    }
    if (auto* pods = std::get_if<ThreeTierPodParameters>(&part))
    {
        const uint32_t leaves = ShareOf(pods->pods * pods->leavesPerPod, share);
        const bool one = leaves <= pods->leavesPerPod;
        pods->pods = (leaves + pods->leavesPerPod - 1) / pods->leavesPerPod;
        pods->leavesPerPod = one ? leaves : pods->leavesPerPod;
        pods->coresPerSpine = one ? 0 : pods->coresPerSpine;
        return "";
    }
    if (auto* planes = std::get_if<DualPlaneParameters>(&part))
    {
        const uint32_t servers = ShareOf(planes->segments * planes->serversPerSegment, share);
        const bool one = servers <= planes->serversPerSegment;
        planes->segments = (servers + planes->serversPerSegment - 1) / planes->serversPerSegment;
        planes->serversPerSegment = one ? servers : planes->serversPerSegment;
        return "";
    }
    return "a fat tree has k pods, and cannot be cut; expected 1";
}

} // namespace ns3
