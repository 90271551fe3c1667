// SPDX-License-Identifier: GPL-2.0-only
#include "long-incast.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/// The time integral and the peak of a port's queue.
class QueueWatch
{
  public:
    /// @param port whose queues @param every how often it is looked at
    QueueWatch(Ptr<FabricNetDevice> port, Time every)
        : m_port(port),
          m_every(every)
    {
        Look();
    }

    double GetMean() const
    {
        return m_sum / m_looks;
    }

    uint64_t GetMax() const
    {
        return m_max;
    }

  private:
    void Look()
    {
        uint64_t bytes = m_port->GetQueuedBytes();
        m_sum += static_cast<double>(bytes);
        m_max = std::max(m_max, bytes);
        ++m_looks;
        Simulator::Schedule(m_every, [this] { Look(); });
    }

    Ptr<FabricNetDevice> m_port;
    Time m_every;
    double m_sum{0};
    double m_looks{0};
    uint64_t m_max{0};
};

} // namespace

SettledIncast
RunLongIncast(const LongIncast& incast)
{
    FabricFixture f;
    f.fabric.SetSwitchPart("IntStamper", incast.stamper);
    f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(incast.mtu + 300));
    f.fabric.SetBufferAttribute("Size", UintegerValue(64000000));
    f.rdma.SetCongestionControl(incast.ops);
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(incast.mtu));
    f.rdma.SetQueuePairAttribute("BaseRtt", TimeValue(incast.baseRtt));
    f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(incast.ackInterval));
    f.BuildStar(incast.flows + 1, incast.rate, incast.delay);
    f.fabric.AssignStreams(f.network, 1);

    std::vector<double> received(incast.flows + 2); // by the receiver's queue pair number, 2 and up
    f.Port(0)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame& frame) { received.at(frame.destQp) += frame.payloadBytes; }));
    for (uint32_t h = 1; h <= incast.flows; ++h)
    {
        Connection c = f.Connect(h, 0);
        Simulator::Schedule(incast.stagger * (h - 1), [&f, c] {
            for (int i = 0; i < 4; ++i)
            {
                f.Post(c, uint64_t{1} << 31); // nobody is done before the end
            }
        });
    }
    Ptr<FabricNetDevice> bottleneck = f.Port(0)->GetPeer();
    std::unique_ptr<QueueWatch> watch;
    uint64_t sentBefore = 0;
    Simulator::Schedule(incast.settled, [&] {
        received.assign(received.size(), 0);
        sentBefore = bottleneck->GetCounters().txBytes;
        watch = std::make_unique<QueueWatch>(bottleneck, NanoSeconds(97)); // of no period
    });
    Simulator::Stop(incast.end);
    f.Run();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_TRUE(f.records.empty());

    SettledIncast result;
    double seconds = (incast.end - incast.settled).GetSeconds();
    double rate = static_cast<double>(DataRate(incast.rate).GetBitRate());
    result.txShare =
        8 * static_cast<double>(bottleneck->GetCounters().txBytes - sentBefore) / seconds / rate;
    result.meanQueue = watch->GetMean();
    result.maxQueue = watch->GetMax();
    double squares = std::inner_product(received.begin(), received.end(), received.begin(), 0.0);
    result.payloadBytes = std::accumulate(received.begin(), received.end(), 0.0);
    result.jain = result.payloadBytes * result.payloadBytes / (incast.flows * squares);
    for (uint32_t h = 1; h <= incast.flows; ++h)
    {
        result.pauses += f.Port(h)->GetCounters().pausesReceived;
    }
    return result;
}

Time
StarRoundTrip(const std::string& rate,
              uint32_t mtu,
              uint64_t baseBytes,
              uint64_t hopBytes,
              Time delay)
{
    uint64_t sent = bytes::PREAMBLE + bytes::Frame(mtu) + baseBytes;
    uint64_t answer = bytes::PREAMBLE + bytes::ACK + baseBytes + hopBytes;
    return OnWire(rate, 2 * sent + hopBytes + 2 * answer) + delay * 4;
}

} // namespace ns3
