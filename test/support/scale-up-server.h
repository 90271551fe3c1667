// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_SERVER_H
#define SCALE_UP_SERVER_H

/**
 * @file
 * @brief GPUs of a scale-up domain and the flows between them, for tests that write down times.
 */

#include "fabric-fixture.h"

#include "ns3/gpu-cluster-helper.h"

#include <memory>
#include <vector>

namespace ns3
{

/// Servers with GPUs behind one NIC each.
class ScaleUpServer
{
  public:
    /// What has happened to a message.
    struct Event
    {
        uint64_t bytes;
        int64_t at; ///< ps
    };

    /// A flow's one end, and what has happened there.
    struct End
    {
        std::vector<Event> departed;
        std::vector<Event> arrived;

        void Departed()
        {
            departed.push_back({0, Simulator::Now().GetPicoSeconds()});
        }

        void Arrived(uint64_t bytes)
        {
            arrived.push_back({bytes, Simulator::Now().GetPicoSeconds()});
        }
    };

    /// A flow; ends by sender or by receiver, where there are several.
    struct Flow
    {
        std::vector<Ptr<ScaleUpPort>> senders;
        std::vector<uint32_t> numbers;
        std::vector<std::unique_ptr<End>> from;
        std::vector<std::unique_ptr<End>> to;

        void Send(uint64_t bytes, uint32_t sender = 0)
        {
            senders[sender]->Send(numbers[sender], bytes);
        }

        void SendAll(uint64_t bytes)
        {
            for (uint32_t s = 0; s < senders.size(); ++s)
            {
                Send(bytes, s);
            }
        }

        /// @param receiver which @return when its last message was whole, ps
        int64_t DoneAt(uint32_t receiver = 0) const
        {
            return to[receiver]->arrived.empty() ? -1 : to[receiver]->arrived.back().at;
        }
    };

    /// @param gpusPerServer GPUs of each server @param rate of all links of a GPU together
    explicit ScaleUpServer(uint32_t gpusPerServer, DataRate rate = DataRate(4'000'000'000'000ULL))
    {
        helper.SetGpusPerServer(gpusPerServer);
        for (auto set : {&GpuClusterHelper::SetScaleUpDeviceAttribute,
                         &GpuClusterHelper::SetScaleUpSwitchDeviceAttribute})
        {
            (helper.*set)("DataRate", DataRateValue(rate));
        }
    }

    /// @param servers how many
    void Build(uint32_t servers = 1)
    {
        fixture.BuildStar(servers, "400Gbps", NanoSeconds(500));
        cluster = helper.Install(fixture.network);
    }

    Ptr<ScaleUpPort> Port(uint32_t gpu) const
    {
        return cluster.gpus.at(gpu)->GetScaleUpPort();
    }

    Flow& Connect(uint32_t from, uint32_t to)
    {
        Flow& flow = NewFlow({from}, {to});
        flow.numbers = {ScaleUpPort::Connect(Port(from),
                                             Port(to),
                                             Departed(*flow.from[0]),
                                             Arrived(*flow.to[0]))};
        return flow;
    }

    Flow& ConnectReduction(const std::vector<uint32_t>& from, uint32_t owner)
    {
        Flow& flow = NewFlow(from, {owner});
        std::vector<ScaleUpPort::DepartedCallback> departed;
        for (const auto& end : flow.from)
        {
            departed.push_back(Departed(*end));
        }
        flow.numbers = ScaleUpPort::ConnectReduction(flow.senders,
                                                     Port(owner),
                                                     departed,
                                                     Arrived(*flow.to[0]));
        return flow;
    }

    Flow& ConnectMulticast(uint32_t from, const std::vector<uint32_t>& to)
    {
        Flow& flow = NewFlow({from}, to);
        std::vector<Ptr<ScaleUpPort>> members;
        std::vector<ScaleUpPort::ArrivedCallback> arrived;
        for (uint32_t r = 0; r < to.size(); ++r)
        {
            members.push_back(Port(to[r]));
            arrived.push_back(Arrived(*flow.to[r]));
        }
        flow.numbers = {
            ScaleUpPort::ConnectMulticast(Port(from), members, Departed(*flow.from[0]), arrived)};
        return flow;
    }

    FabricFixture fixture;
    GpuClusterHelper helper;
    GpuCluster cluster;
    std::vector<std::unique_ptr<Flow>> flows;

  private:
    Flow& NewFlow(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to)
    {
        flows.push_back(std::make_unique<Flow>());
        Flow& flow = *flows.back();
        for (uint32_t gpu : from)
        {
            flow.senders.push_back(Port(gpu));
            flow.from.push_back(std::make_unique<End>());
        }
        for (size_t r = 0; r < to.size(); ++r)
        {
            flow.to.push_back(std::make_unique<End>());
        }
        return flow;
    }

    static ScaleUpPort::DepartedCallback Departed(End& end)
    {
        return MakeCallback(&End::Departed, &end);
    }

    static ScaleUpPort::ArrivedCallback Arrived(End& end)
    {
        return MakeCallback(&End::Arrived, &end);
    }
};

} // namespace ns3

#endif // SCALE_UP_SERVER_H
