// SPDX-License-Identifier: GPL-2.0-only
#ifndef LONG_FLOWS_H
#define LONG_FLOWS_H

/**
 * @file
 * @brief Flows without end over one bottleneck, and what is measured there: what fixed points,
 * convergence and fairness of congestion controls are tested with.
 */

#include "fabric-fixture.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @param rates of some flows
 * @return Jain's index: 1 if all are equal, 1/n if one has all (Jain, Chiu, Hawe: "A Quantitative
 * Measure of Fairness and Discrimination", DEC TR-301, 1984)
 */
inline double
JainIndex(const std::vector<double>& rates)
{
    double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
    double squares = std::inner_product(rates.begin(), rates.end(), rates.begin(), 0.0);
    return sum * sum / (static_cast<double>(rates.size()) * squares);
}

/// A star of n senders and a receiver. The senders start one after the other.
class LongFlows
{
  public:
    /// @param rate of all cables @param delay of all cables @param mtu payload of a full frame
    LongFlows(std::string rate, Time delay, uint32_t mtu)
        : bottleneckRate(rate),
          m_rate(std::move(rate)),
          m_delay(delay),
          m_mtu(mtu)
    {
        fixture.rdma.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
        fixture.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1)); // as in the papers
    }

    FabricFixture fixture;      ///< to be set up before Start()
    std::string bottleneckRate; ///< of the receiver's cable, if it is another one

    /// Called with both queue pairs of each flow before they are connected.
    std::function<void(uint32_t flow, Ptr<QueuePair> qp)> configure;

    std::function<void()> look; ///< called whenever the queue is looked at

    /// @param flows how many @param apart time between two starts
    void Start(uint32_t flows, Time apart)
    {
        FabricGraph graph;
        uint32_t center = graph.AddSwitch("switch");
        for (uint32_t h = 0; h <= flows; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(h));
            graph.Connect({host, center, DataRate(h < flows ? m_rate : bottleneckRate), m_delay});
        }
        fixture.Build(graph);
        m_bottleneck = fixture.network.ports[center][flows];
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            m_flows.push_back(fixture.Connect(flow, flows, [&](Ptr<QueuePair> qp) {
                Time rtt = fixture.network.BaseRtt(fixture.Port(flow), fixture.Port(flows), m_mtu);
                qp->SetAttribute("BaseRtt", TimeValue(rtt));
                if (configure)
                {
                    configure(flow, qp);
                }
            }));
            Simulator::Schedule(apart * static_cast<int64_t>(flow), [this, flow] {
                for (int message = 0; message < 16; ++message) // more than any run can send
                {
                    fixture.Post(m_flows[flow], uint64_t{1} << 30);
                }
            });
        }
    }

    /// @param until end of the run @param measured time before it that is looked at
    /// @param sample time between two looks at the queue
    void Run(Time until, Time measured, Time sample = MicroSeconds(1))
    {
        Simulator::Schedule(until - measured, [this, sample] {
            m_before = Delivered();
            Sample(sample);
        });
        Simulator::Stop(until);
        Simulator::Run();
        m_rates = Delivered();
        for (size_t flow = 0; flow < m_rates.size(); ++flow)
        {
            m_rates[flow] -= m_before[flow];
            m_rates[flow] *= 8.0 * (m_mtu + FRAME_HEADERS) / m_mtu / measured.GetSeconds();
        }
    }

    /// @return rate of each flow, bits a second on the wire, preamble and gap included
    const std::vector<double>& GetRates() const
    {
        return m_rates;
    }

    /// @return of the rates
    double GetJainIndex() const
    {
        return JainIndex(m_rates);
    }

    /// @return sum of the rates over that of the bottleneck
    double GetUtilization() const
    {
        double sum = std::accumulate(m_rates.begin(), m_rates.end(), 0.0);
        return sum / static_cast<double>(DataRate(bottleneckRate).GetBitRate());
    }

    /// @return bytes that waited at the bottleneck, sample by sample
    const std::vector<double>& GetQueueBytes() const
    {
        return m_queueBytes;
    }

    /// @return their mean
    double GetMeanQueueBytes() const
    {
        return std::accumulate(m_queueBytes.begin(), m_queueBytes.end(), 0.0) /
               static_cast<double>(m_queueBytes.size());
    }

    /// @return queue pairs of the flows; a is the sender
    const std::vector<Connection>& GetFlows() const
    {
        return m_flows;
    }

    /// Bytes on the wire of a frame in the middle of a message besides its payload.
    static constexpr uint32_t FRAME_HEADERS = bytes::PREAMBLE + bytes::ROCE + bytes::GAP;

  private:
    std::vector<double> Delivered() const
    {
        std::vector<double> all;
        for (const Connection& flow : m_flows)
        {
            // The fabric is lossless, so what is sent and not in flight has come.
            uint64_t sent = flow.a->GetPacer().GetSentBytes();
            all.push_back(static_cast<double>(sent - flow.a->GetRequester().GetInFlightBytes()));
        }
        return all;
    }

    void Sample(Time interval)
    {
        m_queueBytes.push_back(static_cast<double>(m_bottleneck->GetQueuedBytes()));
        if (look)
        {
            look();
        }
        Simulator::Schedule(interval, [this, interval] { Sample(interval); });
    }

    std::string m_rate;
    Time m_delay;
    uint32_t m_mtu;
    Ptr<FabricNetDevice> m_bottleneck;
    std::vector<Connection> m_flows;
    std::vector<double> m_before;
    std::vector<double> m_rates;
    std::vector<double> m_queueBytes;
};

} // namespace ns3

#endif // LONG_FLOWS_H
