// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-constants.h"

#include <cstdio>

namespace ns3
{

namespace
{

/// 2.18, and what has never changed since.
NcclConstants
MakeNccl218()
{
    NcclConstants c{};
    c.since = MakeNcclVersion(2, 18, 0);

    //                 LL   LL128  Simple
    c.baseLatency = {{{6.8, 14.0, 0},    // tree
                      {6.6, 14.0, 8.4},  // ring
                      {0, 0, 23.0},      // NVLS
                      {0, 0, 23.0},      // NVLS tree
                      {8.0, 8.0, 8.0}}}; // PAT
    c.nvlinkLatency = {{{.6, 1.25, 4.0}, {.6, 1.9, 3.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4.0}}};
    c.pcieLatency = {{{1.0, 1.9, 6.0}, {1.0, 2.5, 5.7}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4.0}}};
    c.netLatency = {{{5.0, 8.5, 14}, {2.7, 4.0, 14.0}, {0, 0, 18}, {0, 0, 19}, {0, 0, 14}}};

    c.llMost = {{{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}}};
    c.ringLl128Most = {
        {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {36.7, 36.7, 36.7}}};
    c.treeLl128Most = {
        {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {36.7, 36.7, 29.0}}};
    c.treeMost = {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {38.7, 41.4, 36.0}}};
    c.discountsSingleLl128 = true;
    c.scalesAllGather = true;

    c.nvlinkHopper = 20.0;
    c.nvlinkBlackwell = 20.0;
    c.intraSpeeds = {{{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
                      {60, 40, 30, 24, 20, 15, 12, 6, 3},
                      {60, 40, 30, 24, 20, 15, 12, 6, 3}}};
    std::vector<double> slow{6, 3, 2.4, 1.2, .24, .12};
    std::vector<double> hopper{48, 45, 42, 40, 30, 24, 20, 17.5, 15, 12};
    hopper.insert(hopper.end(), slow.begin(), slow.end());
    c.interSpeeds = {{{48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12},
                      hopper,
                      hopper}};
    c.mostChannels = 32;
    c.mostToDouble = 16;
    c.followsNvls = true;
    c.nvlsArity = 8;
    c.nvlsLeastGpus = 3;
    c.nvlsAcrossNodes = true;
    c.nvlsChannels = {16, 16, 16};
    c.treeChunksByDepth = true;

    c.p2pChannelsPerNetPeer = 2;
    c.p2pSmallPartsEverywhere = true;
    c.p2pLlRule = NcclConstants::LlRule::PART;
    return c;
}

/// @param latencies to change @param algorithm of them @param simple the latency of Simple
void
SetSimple(NcclLatencies& latencies, NcclAlgorithm algorithm, double simple)
{
    latencies[static_cast<uint32_t>(algorithm)][2] = simple;
}

NcclConstants
MakeNccl219(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 19, 0);
    SetSimple(c.baseLatency, NcclAlgorithm::NVLS, 0);
    SetSimple(c.baseLatency, NcclAlgorithm::NVLS_TREE, 0);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::NVLS, 23);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::NVLS_TREE, 23);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::TREE, 28);
    SetSimple(c.pcieLatency, NcclAlgorithm::TREE, 28);
    SetSimple(c.netLatency, NcclAlgorithm::TREE, 28);
    SetSimple(c.netLatency, NcclAlgorithm::NVLS_TREE, 14);
    c.addsNvlsLatency = true;
    c.intraSpeeds[1] = c.intraSpeeds[2] = {60, 50, 40, 30, 24, 20, 15, 12, 6, 3};
    c.interSpeeds[1] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
    c.interSpeeds[2] = c.interSpeeds[1];
    c.doublesBeforeRaising = true;
    c.nvlsGathers = true;
    c.nvlsLimitsTreeChunk = true;
    return c;
}

NcclConstants
MakeNccl220(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 20, 0);
    c.nvlinkHopper = c.nvlinkBlackwell = 20.6;
    c.nvlsAcrossNodes = false;
    c.mostToDouble = 15;
    c.sharesAligned = true;
    c.treeChunksByDepth = false;
    c.p2pChannelsPerNetPeer = -1;
    c.p2pSmallPartsEverywhere = false;
    return c;
}

NcclConstants
MakeNccl221(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 21, 0);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::NVLS, 25);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::NVLS_TREE, 25);
    c.llMost[2] = c.llMost[3] = {141.0, 45.0, 35.0};
    c.halvesRingLl = true;
    c.intraSpeeds[1] = c.intraSpeeds[2] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
    c.nvlsArity = 32;
    c.nvlsAcrossNodes = true;
    c.nvlsTreeOwnChunk = true;
    return c;
}

NcclConstants
MakeNccl222(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 22, 0);
    c.leastTraffic = 512;
    c.sharesAligned = false;
    c.p2pLlRule = NcclConstants::LlRule::ALL_PARTS;
    return c;
}

NcclConstants
MakeNccl223(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 23, 0);
    SetSimple(c.baseLatency, NcclAlgorithm::TREE, 8.4);
    SetSimple(c.nvlinkLatency, NcclAlgorithm::TREE, 4);
    SetSimple(c.pcieLatency, NcclAlgorithm::TREE, 4);
    SetSimple(c.netLatency, NcclAlgorithm::TREE, 14);
    c.exposesNetLatency = true;
    c.closesRing = true;
    c.discountsSingleLl128 = false;
    c.scalesAllGather = false;
    c.patShare = .85;
    c.leastTraffic = 16 << 10;
    return c;
}

NcclConstants
MakeNccl224(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 24, 0);
    c.patShare = .75;
    return c;
}

NcclConstants
MakeNccl225(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 25, 0);
    for (NcclRates* rates : {&c.llMost, &c.ringLl128Most, &c.treeLl128Most, &c.treeMost})
    {
        for (uint32_t i = 0; i < 3; i++)
        {
            (*rates)[3][i] = 2 * (*rates)[2][i];
        }
    }
    c.nvlinkBlackwell = 40.0;
    c.intraSpeeds[2] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19};
    c.mostChannels = 64;
    c.doublesNewer = true;
    c.nvlsChannels = {16, 32, 32};
    return c;
}

NcclConstants
MakeNccl227(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 27, 0);
    c.nvlsGatherShare = .9;
    c.nvlinkBlackwell = 40.1;
    c.intraSpeeds[2] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
    c.interSpeeds[2] =
        {96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
    c.nvlsChannels = {16, 24, 32};
    return c;
}

NcclConstants
MakeNccl228(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 28, 0);
    SetSimple(c.netLatency, NcclAlgorithm::NVLS_TREE, 20.9);
    c.ringLl128Most[3] = {73.4, 34.6, 73.4};
    c.treeLl128Most[3] = {55.6, 31.67, 20.0};
    c.treeMost[3] = {70.0, 42.8, 24.0};
    c.nvlsTreeMost = {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96.0, 43.8}}};
    c.nvlsEfficiency = {0, 0, .85, .74};
    c.nvlsLeastGpus = 2;
    c.followsNvls = false;
    return c;
}

NcclConstants
MakeNccl229(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 29, 0);
    c.ringLl128Most[3] = {40.0, 40.0, 40.0};
    c.nvlsTreeCorrected = true;
    c.intraSpeeds[2] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
    c.interSpeeds[2] =
        {96, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
    c.leastTraffic = 32 << 10;
    c.p2pChannelsPerNetPeer = -2;
    c.p2pLlRule = NcclConstants::LlRule::USED_PARTS;
    c.p2pDoublesArmChunk = true;
    return c;
}

NcclConstants
MakeNccl230(NcclConstants c)
{
    c.since = MakeNcclVersion(2, 30, 0);
    c.nvlsTreeMost[3] = {0, 96.0, 80.0};
    c.interSpeeds[2] = {96, 86,   80, 48, 45.1, 42, 40,  30,  24,  22,
                        20, 17.5, 15, 12, 6,    3,  2.4, 1.2, .24, .12};
    c.tunesNvlsTree = true;
    return c;
}

std::vector<NcclConstants>
MakeAllNccl()
{
    std::vector<NcclConstants> all{MakeNccl218()};
    for (auto next : {MakeNccl219,
                      MakeNccl220,
                      MakeNccl221,
                      MakeNccl222,
                      MakeNccl223,
                      MakeNccl224,
                      MakeNccl225,
                      MakeNccl227,
                      MakeNccl228,
                      MakeNccl229,
                      MakeNccl230})
    {
        all.push_back(next(all.back()));
    }
    return all;
}

} // namespace

const char*
ToString(NcclAlgorithm algorithm)
{
    static constexpr std::array<const char*, NCCL_ALGORITHMS> names{"tree",
                                                                    "ring",
                                                                    "nvls",
                                                                    "nvls-tree",
                                                                    "pat"};
    return names[static_cast<uint32_t>(algorithm)];
}

std::string
ParseNcclVersion(const std::string& text, uint32_t& version)
{
    uint32_t major = 0;
    uint32_t minor = 0;
    uint32_t patch = 0;
    int end = 0;
    int numbers = std::sscanf(text.c_str(), "%2u.%2u%n.%2u%n", &major, &minor, &end, &patch, &end);
    if (numbers < 2 || text.size() != static_cast<size_t>(end))
    {
        return "\"" + text + "\" is not a version of NCCL; expected one such as 2.26.2";
    }
    version = MakeNcclVersion(major, minor, patch);
    if (version < MakeNcclVersion(2, 18, 0) || major > 2)
    {
        return "NCCL " + text + " is not known; expected 2.18 to 2.30 or later 2.x";
    }
    return "";
}

const NcclConstants&
GetNcclConstants(uint32_t version)
{
    static const std::vector<NcclConstants> all = MakeAllNccl();
    size_t i = all.size() - 1;
    while (i > 0 && all[i].since > version)
    {
        i--;
    }
    return all[i];
}

} // namespace ns3
