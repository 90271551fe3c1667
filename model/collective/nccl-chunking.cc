// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-chunking.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint64_t NCCL_KIB = 1024;
constexpr uint32_t WARP_THREADS = 32;

/// Smallest unit of a chunk, by protocol (ncclProtoGrainSize).
constexpr std::array<uint64_t, 3> GRAIN_BYTES{16, 1920, 512};

uint64_t
NcclDivideUp(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

uint64_t
NcclRoundUp(uint64_t a, uint64_t unit)
{
    return NcclDivideUp(a, unit) * unit;
}

uint32_t
NcclPowerOfTwo(uint32_t number)
{
    uint32_t power = 1;
    while (power < number)
    {
        power *= 2;
    }
    return power;
}

/// @return bytes of a step of a connection's buffer, flags included
uint64_t
GetNcclStepBytes(const NcclEnvironment& environment, CollectiveProtocol protocol)
{
    static constexpr std::array<const char*, 3> names{"NCCL_LL_BUFFSIZE",
                                                      "NCCL_LL128_BUFFSIZE",
                                                      "NCCL_BUFFSIZE"};
    int64_t buffer = environment.Get(names[static_cast<uint32_t>(protocol)],
                                     static_cast<int64_t>(GetProtocolBufferBytes(protocol)));
    return static_cast<uint64_t>(buffer) / PROTOCOL_STEPS;
}

/// @param protocol a protocol @param bytes of a buffer @return bytes of data that it holds
uint64_t
GetNcclDataBytes(CollectiveProtocol protocol, uint64_t bytes)
{
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return bytes / 2;
    case CollectiveProtocol::LL128:
        return bytes / 128 * 120;
    default:
        return bytes;
    }
}

/// One collective of a communicator.
class CollectiveChunker
{
  public:
    CollectiveChunker(const NcclCommunicator& communicator,
                      const CollectiveRequest& request,
                      NcclAlgorithm algorithm,
                      CollectiveProtocol protocol)
        : m_constants(communicator.constants),
          m_environment(communicator.environment),
          m_platform(communicator.platform),
          m_graphs(communicator.graphs),
          m_ranks(communicator.ranks),
          m_operation(request.operation),
          m_typeBytes(request.typeBytes),
          m_bytes(request.GetBytes()),
          m_algorithm(algorithm),
          m_protocol(protocol)
    {
    }

    CollectivePlan MakePlan(std::optional<uint32_t> most)
    {
        CollectivePlan plan;
        plan.algorithm = ToString(m_algorithm);
        plan.protocol = m_protocol;
        DivideOverChannels(most ? std::min(*most, CountChannels()) : CountChannelsByThreads());
        plan.channels = m_channels;
        plan.chunkBytes = GetChunkBytes();
        uint32_t sliceSteps = IsSimpleRing() && !IsPipeline() ? 2 : 1;
        plan.sliceBytes = plan.chunkBytes / sliceSteps;
        plan.window = PROTOCOL_STEPS / sliceSteps;
        return plan;
    }

  private:
    bool IsSimpleRing() const
    {
        return m_algorithm == NcclAlgorithm::RING && m_protocol == CollectiveProtocol::SIMPLE;
    }

    bool IsTree(CollectiveProtocol protocol) const
    {
        return m_algorithm == NcclAlgorithm::TREE && m_protocol == protocol;
    }

    bool IsNvlsKind() const
    {
        return m_algorithm == NcclAlgorithm::NVLS || m_algorithm == NcclAlgorithm::NVLS_TREE;
    }

    /// @return whether the whole goes from rank to rank, not a block of each
    bool IsPipeline() const
    {
        return m_operation == CollectiveOperation::BROADCAST ||
               m_operation == CollectiveOperation::REDUCE;
    }

    uint32_t GetMostThreads() const
    {
        if (m_algorithm == NcclAlgorithm::PAT)
        {
            return 0; // NCCL sets none: all channels
        }
        auto read = [this](const char* name, uint32_t most, uint32_t otherwise) {
            auto wanted = static_cast<uint32_t>(m_environment.Get(name, otherwise));
            return wanted % WARP_THREADS != 0 ? most : std::min(wanted, most);
        };
        if (m_protocol == CollectiveProtocol::LL128)
        {
            return read("NCCL_LL128_NTHREADS", 640, 640);
        }
        constexpr double PCIE_GBPS = 12;
        bool slow = IsSimpleRing() && m_graphs.ring.intraGBps * m_graphs.ring.channels <= PCIE_GBPS;
        return read("NCCL_NTHREADS", 512, slow ? 256 : 512);
    }

    uint64_t GetThreadThreshold() const
    {
        if (auto threshold = m_environment.GetThreadThreshold(m_algorithm, m_protocol))
        {
            return *threshold;
        }
        bool ringLl = m_algorithm == NcclAlgorithm::RING && m_protocol == CollectiveProtocol::LL;
        return m_protocol == CollectiveProtocol::SIMPLE ? 64 : ringLl ? 8ULL * m_ranks : 8;
    }

    uint32_t CountChannels() const
    {
        return IsNvlsKind()                ? m_graphs.nvlsChannels
               : m_constants.sharesAligned ? m_graphs.ringChannels
                                           : m_graphs.channels;
    }

    uint32_t CountChannelsByThreads() const
    {
        if (m_ranks == 1)
        {
            return 1;
        }
        uint32_t channels = CountChannels();
        if (IsNvlsKind())
        {
            return channels;
        }
        uint64_t ofChannel = GetMostThreads() * GetThreadThreshold();
        while (channels > 1 && m_bytes < channels * ofChannel)
        {
            channels--;
        }
        return channels;
    }

    /// Sets how many channels are used, and the share of all but the last.
    void DivideOverChannels(uint32_t most)
    {
        if (m_constants.leastTraffic > 0)
        {
            DivideInCells(most);
            return;
        }
        m_channels = most;
        m_share = NcclDivideUp(m_bytes, most);
        if (m_constants.sharesAligned)
        {
            uint64_t ranks = IsPerRank() ? m_ranks : 1;
            uint64_t work = m_bytes / ranks;
            uint64_t share = NcclRoundUp(NcclRoundUp(NcclDivideUp(work, most), 16), GetAlignment());
            m_channels = share == 0 ? 1 : static_cast<uint32_t>(NcclDivideUp(work, share));
            m_share = share * ranks;
        }
    }

    /// @return whether NCCL's count is that of a rank's block
    bool IsPerRank() const
    {
        return m_operation == CollectiveOperation::ALL_GATHER ||
               m_operation == CollectiveOperation::REDUCE_SCATTER;
    }

    /// What shares are a multiple of in 2.20 and 2.21; with all threads.
    uint64_t GetAlignment() const
    {
        switch (m_protocol)
        {
        case CollectiveProtocol::LL:
            return uint64_t{8} * GetMostThreads();
        case CollectiveProtocol::LL128:
            return uint64_t{480} * GetMostThreads() / WARP_THREADS;
        default:
            return WARP_THREADS * 8 * 16;
        }
    }

    /// Since 2.22: channels get whole cells, and each at least a minimum of traffic.
    void DivideInCells(uint32_t most)
    {
        uint64_t perByte = m_operation == CollectiveOperation::ALL_REDUCE ? 2
                           : IsPerRank()                                  ? m_ranks
                                                                          : 1;
        uint64_t work = IsPerRank() ? m_bytes / m_ranks : m_bytes;
        perByte *= m_protocol == CollectiveProtocol::LL ? 4 : 1;
        uint64_t least = m_constants.leastTraffic;
        uint64_t ofChannel = std::max(least, std::max(least, work * perByte) / most);
        uint64_t cell = NcclRoundUp(NcclDivideUp(least, perByte), 16);
        uint64_t cells = std::max<uint64_t>(1, NcclDivideUp(work, cell));
        uint64_t each = std::min(cells, NcclDivideUp(ofChannel, cell * perByte));
        m_channels = static_cast<uint32_t>(NcclDivideUp(cells, each));
        if (m_channels > most)
        {
            m_channels = most;
            each = NcclDivideUp(cells, most);
        }
        uint64_t share = std::min(each * cell, std::max<uint64_t>(1, work));
        m_share = IsPerRank() ? share * m_ranks : share;
    }

    uint64_t GetChunkBytes() const
    {
        uint64_t chunk = GetNcclStepBytes(m_environment, m_protocol);
        if (IsSimpleRing() && !IsPipeline())
        {
            chunk *= 4;
        }
        chunk = GetNcclDataBytes(m_protocol, chunk);
        switch (m_algorithm)
        {
        case NcclAlgorithm::NVLS:
            chunk = GetNvlsChunk(chunk);
            break;
        case NcclAlgorithm::NVLS_TREE:
            chunk = GetNvlsTreeChunk(chunk);
            break;
        case NcclAlgorithm::PAT: {
            uint64_t chunks = m_operation == CollectiveOperation::ALL_GATHER ? 32 : 16;
            chunk = Halve(chunk, 64 * NCCL_KIB, [&](uint64_t c) { return c * chunks > m_share; });
            break;
        }
        case NcclAlgorithm::TREE:
            chunk = GetTreeChunk(chunk);
            break;
        default:
            break;
        }
        uint64_t grain = GRAIN_BYTES[static_cast<uint32_t>(m_protocol)];
        return std::max(grain, chunk / grain * grain);
    }

    /// Halves a chunk while it is above a least one and a condition holds.
    template <typename Condition>
    static uint64_t Halve(uint64_t chunk, uint64_t least, Condition tooLarge)
    {
        while (chunk > least && tooLarge(chunk))
        {
            chunk /= 2;
        }
        return chunk;
    }

    uint64_t GetTreeChunk(uint64_t chunk) const
    {
        uint32_t nodes = m_graphs.nodes;
        double ofNode = m_graphs.ranksPerNode;
        double logNodes = std::floor(std::log2(nodes));
        if (IsTree(CollectiveProtocol::LL128))
        {
            double steps = 1 + logNodes + .1 * ofNode;
            auto fewer = [&](double least) {
                return [this, least](uint64_t c) { return m_share / c < least; };
            };
            chunk = Halve(chunk, 128 * NCCL_KIB, fewer(steps * 64 / ofNode));
            chunk = Halve(chunk, 32 * NCCL_KIB, fewer(steps * 16 / ofNode));
        }
        else if (IsTree(CollectiveProtocol::SIMPLE) && m_constants.treeChunksByDepth)
        {
            double depth = std::floor(ofNode) - 1 + logNodes;
            auto fewer = [&](double least) {
                return [this, least](uint64_t c) { return m_share / c < least; };
            };
            chunk = Halve(chunk, 128 * NCCL_KIB, fewer(depth * 8));
            chunk = Halve(chunk, 64 * NCCL_KIB, fewer(depth * 4));
            chunk = Halve(chunk, 32 * NCCL_KIB, fewer(depth));
        }
        return chunk;
    }

    uint64_t GetNvlsChunk(uint64_t chunk) const
    {
        chunk = std::min<uint64_t>(chunk, m_environment.Get("NCCL_NVLS_CHUNKSIZE", 128 * NCCL_KIB));
        return Limit(chunk, {{64, 64 * NCCL_KIB}, {8, 32 * NCCL_KIB}, {2, 16 * NCCL_KIB}});
    }

    uint64_t GetNvlsTreeChunk(uint64_t chunk) const
    {
        uint64_t most = 0;
        if (m_constants.nvlsTreeOwnChunk)
        {
            chunk = m_environment.Get("NCCL_NVLS_CHUNKSIZE", 128 * NCCL_KIB);
            TuneNvlsTree(chunk, most);
        }
        if (m_constants.nvlsLimitsTreeChunk && most == 0)
        {
            most = m_graphs.nodes >= 4 ? 64 * NCCL_KIB : chunk;
        }
        most = m_environment.Get("NCCL_NVLSTREE_MAX_CHUNKSIZE", most > 0 ? most : chunk);
        chunk = std::min(chunk, most);
        return Limit(
            chunk,
            {{32, 256 * NCCL_KIB}, {16, 128 * NCCL_KIB}, {4, 64 * NCCL_KIB}, {1, 32 * NCCL_KIB}});
    }

    /// 2.30 on Blackwell: by NIC and GPUs of a node (src/transport/nvls.cc).
    void TuneNvlsTree(uint64_t& chunk, uint64_t& most) const
    {
        if (!m_constants.tunesNvlsTree || m_platform.computeCapability < 100 ||
            m_platform.nicGBps < 48)
        {
            return;
        }
        double ofNode = m_graphs.ranksPerNode;
        uint64_t own = 128 * NCCL_KIB;
        most = 128 * NCCL_KIB;
        if (m_graphs.nodes == 2)
        {
            if (ofNode <= 4)
            {
                own = most = 256 * NCCL_KIB;
            }
            else if (ofNode >= 16 || (ofNode <= 8 && m_platform.nicGBps < 96))
            {
                most = 64 * NCCL_KIB;
            }
        }
        else if (m_platform.nicGBps >= 96)
        {
            if (ofNode <= 8)
            {
                own = most = 256 * NCCL_KIB;
            }
            else if (ofNode >= 32)
            {
                most = 64 * NCCL_KIB;
            }
        }
        else
        {
            most = 64 * NCCL_KIB;
        }
        chunk = m_environment.Get("NCCL_NVLS_CHUNKSIZE", own);
    }

    /// Limits a chunk where a channel's heads would have fewer chunks than a number.
    uint64_t Limit(uint64_t chunk, std::initializer_list<std::pair<uint64_t, uint64_t>> rules) const
    {
        uint64_t heads = std::max(1U, m_graphs.nvls.channels);
        for (auto [chunks, limit] : rules)
        {
            if (chunk > limit && m_share < chunks * heads * chunk)
            {
                chunk = limit;
            }
        }
        return chunk;
    }

    const NcclConstants& m_constants;
    const NcclEnvironment& m_environment;
    const CollectivePlatform& m_platform;
    const NcclGraphs& m_graphs;
    uint32_t m_ranks;
    CollectiveOperation m_operation;
    uint32_t m_typeBytes;
    uint64_t m_bytes;
    NcclAlgorithm m_algorithm;
    CollectiveProtocol m_protocol;
    uint32_t m_channels{1};
    uint64_t m_share{0}; ///< of a channel, of the whole buffer
};

/// The transfers of one communicator.
class TransferChunker
{
  public:
    TransferChunker(const NcclCommunicator& communicator, const CollectiveRequest& request)
        : m_constants(communicator.constants),
          m_environment(communicator.environment),
          m_platform(communicator.platform),
          m_graphs(communicator.graphs),
          m_ranks(communicator.ranks),
          m_bytes(GetLargest(request))
    {
    }

    CollectivePlan MakePlan()
    {
        CountChannels();
        CollectivePlan plan;
        plan.algorithm = "direct";
        uint64_t simpleStep = GetSimpleStep();
        uint64_t step = simpleStep; // what parts are measured by
        bool small = false;
        plan.channels = m_ofPeer;
        plan.workChannels = m_channels;
        uint64_t threshold = m_environment.Get("NCCL_P2P_LL_THRESHOLD", 16 * NCCL_KIB);
        switch (m_constants.p2pLlRule)
        {
        case NcclConstants::LlRule::PART:
            small = NcclDivideUp(m_bytes, CountParts(step)) <= threshold;
            break;
        case NcclConstants::LlRule::ALL_PARTS:
            small = m_bytes <= m_ofPeer * threshold;
            step = small ? GetNcclStepBytes(m_environment, CollectiveProtocol::LL) : step;
            break;
        case NcclConstants::LlRule::USED_PARTS:
            small = m_bytes <= CountParts(step) * threshold;
            break;
        }
        plan.protocol = small ? CollectiveProtocol::LL : CollectiveProtocol::SIMPLE;
        // The network's connections of sends and receives share buffers, of Simple only.
        plan.networkProtocol = CollectiveProtocol::SIMPLE;
        plan.chunkBytes = step;
        plan.sliceBytes = GetChunk(plan.protocol, simpleStep);
        plan.networkSliceBytes = GetChunk(CollectiveProtocol::SIMPLE, simpleStep);
        plan.window = PROTOCOL_STEPS;
        plan.why = std::string("direct ") + ToString(plan.protocol) + ", " +
                   std::to_string(CountParts(step)) + " of " + std::to_string(m_channels) +
                   " channels a transfer (NCCL predicts no time of sends and receives)";
        return plan;
    }

  private:
    /// @return bytes of the largest transfer
    uint64_t GetLargest(const CollectiveRequest& request) const
    {
        switch (request.operation)
        {
        case CollectiveOperation::ALL_TO_ALL:
        case CollectiveOperation::GATHER:
        case CollectiveOperation::SCATTER:
            return NcclDivideUp(request.count, m_ranks) * request.typeBytes;
        case CollectiveOperation::ALL_TO_ALL_V:
        case CollectiveOperation::POINT_TO_POINT: {
            uint64_t most = 0;
            for (const PointToPoint& transfer : *request.transfers)
            {
                most = std::max(most, transfer.count);
            }
            return most * request.typeBytes;
        }
        default:
            return request.GetBytes();
        }
    }

    uint64_t GetSimpleStep() const
    {
        uint64_t step = 0;
        if (m_graphs.nodes > 1)
        {
            bool doubled = m_constants.p2pDoublesArmChunk && m_platform.cpuVendor == "arm" &&
                           m_platform.computeCapability >= 100;
            step = m_environment.Get("NCCL_P2P_NET_CHUNKSIZE", 128 * NCCL_KIB) * (doubled ? 2 : 1);
        }
        else if (m_graphs.nvlink)
        {
            step = m_environment.Get("NCCL_P2P_NVL_CHUNKSIZE", 512 * NCCL_KIB);
        }
        else
        {
            step = m_environment.Get("NCCL_P2P_PCI_CHUNKSIZE", 128 * NCCL_KIB);
        }
        return std::min(step, GetNcclStepBytes(m_environment, CollectiveProtocol::SIMPLE));
    }

    /// Channels of all transfers together, and at most and at least of a peer.
    void CountChannels()
    {
        uint32_t most = m_environment.Get("NCCL_MAX_P2P_NCHANNELS", m_constants.mostChannels);
        uint32_t least = m_environment.Get("NCCL_MIN_P2P_NCHANNELS", 1);
        uint32_t channels = std::max(std::min(m_graphs.channels, most), least);
        uint32_t ofPeer = channels;
        if (m_ranks > m_graphs.nodes) // some peers are in the same node
        {
            uint32_t links = m_platform.hasSwitch ? m_platform.scaleUpLinks
                                                  : m_platform.scaleUpLinks /
                                                        std::max(1U, m_ranks / m_graphs.nodes - 1);
            ofPeer = std::min(ofPeer, 2 * (m_graphs.nvlink ? std::max(1U, links) : 1));
        }
        if (m_graphs.nodes > 1)
        {
            ofPeer = std::min(ofPeer, CountNetChannels(channels));
        }
        m_channels = NcclPowerOfTwo(channels);
        m_ofPeer = std::min(NcclPowerOfTwo(ofPeer), m_channels);
        if (m_constants.p2pChannelsPerNetPeer == -2 && m_graphs.nodes > 1 &&
            !m_environment.Find("NCCL_NCHANNELS_PER_NET_PEER"))
        {
            while (m_ofPeer > 1 && m_ofPeer * NcclDivideUp(m_ranks, 8) > m_channels)
            {
                m_ofPeer /= 2;
            }
        }
        m_leastOfPeer = m_ofPeer;
        if (!m_constants.p2pSmallPartsEverywhere || m_graphs.nodes == 1)
        {
            while (m_leastOfPeer > 1 && m_leastOfPeer * m_ranks > m_channels)
            {
                m_leastOfPeer /= 2;
            }
        }
        if (m_constants.p2pSmallPartsEverywhere && m_graphs.nodes == 1)
        {
            while (m_ofPeer > 1 && m_ofPeer * m_ranks > m_channels * 4)
            {
                m_ofPeer /= 2;
            }
        }
    }

    uint32_t CountNetChannels(uint32_t channels) const
    {
        if (auto wanted = m_environment.Find("NCCL_NCHANNELS_PER_NET_PEER"))
        {
            return *wanted;
        }
        uint32_t ofNode = std::max(1U, m_ranks / m_graphs.nodes);
        uint32_t nics = std::max(1U, m_platform.nicsPerGroup / ofNode);
        if (m_constants.p2pChannelsPerNetPeer == -2)
        {
            constexpr uint32_t CHANNEL_GBPS = 14;
            auto gbps = static_cast<uint32_t>(nics * m_platform.nicGBps);
            return std::max(nics, static_cast<uint32_t>(NcclDivideUp(gbps, CHANNEL_GBPS)));
        }
        if (m_constants.p2pChannelsPerNetPeer == -1)
        {
            return std::max(nics, 2 * m_ranks > 4 * channels ? 1U : 2U);
        }
        return m_constants.p2pChannelsPerNetPeer;
    }

    uint32_t CountParts(uint64_t step) const
    {
        if (m_bytes == 0)
        {
            return 1;
        }
        bool between = m_graphs.nodes > 1;
        bool half = between && !m_constants.p2pSmallPartsEverywhere;
        uint64_t least = std::max<uint64_t>(1, half ? step / 2 : step / 8);
        uint64_t most = between ? step : step * 32;
        uint64_t parts = std::min<uint64_t>(m_leastOfPeer, NcclDivideUp(m_bytes, least));
        uint64_t part = std::max(least, NcclDivideUp(m_bytes, parts));
        while (part > most && parts <= m_ofPeer / 2)
        {
            parts *= 2;
            part = NcclDivideUp(m_bytes, parts);
        }
        return static_cast<uint32_t>(parts);
    }

    uint64_t GetChunk(CollectiveProtocol protocol, uint64_t simpleStep) const
    {
        bool simple = protocol == CollectiveProtocol::SIMPLE;
        uint64_t step = simple ? simpleStep : GetNcclStepBytes(m_environment, protocol);
        uint64_t chunk = step;
        if (uint64_t wanted = m_environment.Get("NCCL_CHUNK_SIZE", 0); wanted > 0)
        {
            chunk = wanted;
        }
        else if (m_graphs.nodes > 1)
        {
            chunk /= simple && m_bytes < step ? 4 : m_bytes < 8 * step ? 2 : 1;
        }
        return std::max<uint64_t>(16, GetNcclDataBytes(protocol, chunk));
    }

    const NcclConstants& m_constants;
    const NcclEnvironment& m_environment;
    const CollectivePlatform& m_platform;
    const NcclGraphs& m_graphs;
    uint32_t m_ranks;
    uint64_t m_bytes; ///< of the largest transfer
    uint32_t m_channels{1};
    uint32_t m_ofPeer{1};
    uint32_t m_leastOfPeer{1};
};

} // namespace

CollectivePlan
PlanNcclCollective(const NcclCommunicator& communicator,
                   const CollectiveRequest& request,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol,
                   std::optional<uint32_t> most)
{
    return CollectiveChunker(communicator, request, algorithm, protocol).MakePlan(most);
}

CollectivePlan
PlanNcclPointToPoint(const NcclCommunicator& communicator, const CollectiveRequest& request)
{
    return TransferChunker(communicator, request).MakePlan();
}

} // namespace ns3
