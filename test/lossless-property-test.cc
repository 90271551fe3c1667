// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Whatever the fabric, if its set-up is accepted and no pause frame is lost, lossless
 * classes drop nothing; and every frame and every byte of memory is accounted for.
 *
 * Fabrics, cables, rates, MTUs, memories, policies and traffic are drawn from a seed: stars
 * (incasts of up to 255 to one), chains, leaf-spine and random graphs; 1 m to 10 km; 100 to 800
 * Gb/s; MTU 256 to 9000. Hosts send frames of random sizes at line rate, in lossless and lossy
 * classes.
 */

#include "fabric-fixture.h"

#include "ns3/pfc-headroom.h"

#include <array>
#include <cmath>
#include <random>

using namespace ns3;

namespace
{

constexpr uint8_t LOSSLESS = 0x18; ///< classes 3 and 4
constexpr uint32_t FRAMES = 9000;  ///< that hosts send, about

/// Frames of one class, over the fabric.
struct Fate
{
    uint64_t sent{0};     ///< by hosts
    uint64_t received{0}; ///< by hosts
    uint64_t dropped{0};  ///< by switches
};

class RandomFabric
{
  public:
    explicit RandomFabric(uint32_t seed)
        : m_random(seed)
    {
        m_mtu = Pick({256, 512, 1024, 2048, 4096, 9000});
        m_maxFrame = m_mtu + bytes::ROCE;
        switch (Draw(0, 3))
        {
        case 0:
            MakeStar();
            break;
        case 1:
            MakeChain();
            break;
        case 2:
            MakeLeafSpine();
            break;
        default:
            MakeRandomGraph();
        }
        SetAttributes();
    }

    ~RandomFabric()
    {
        Simulator::Destroy();
    }

    /**
     * Installs it with a memory that was drawn: too small, just enough, or with something to share.
     * @return whether set-up accepted it
     */
    bool Install()
    {
        uint64_t needed = NeededMemory();
        m_tooSmall = Draw(0, 4) == 0;
        m_helper.SetBufferAttribute(
            "Size",
            UintegerValue(m_tooSmall ? needed - Draw(1, static_cast<uint32_t>(needed / 4))
                                     : needed + Draw(2 * m_maxFrame, 400000)));
        std::string error;
        m_network = m_helper.Install(m_graph, error);
        EXPECT_EQ(error.empty(), !m_tooSmall) << error;
        return error.empty();
    }

    void Run()
    {
        Watch();
        SendAll();
        Simulator::Stop(MilliSeconds(400));
        Simulator::Run();
    }

    void ExpectNothingLost()
    {
        for (const auto& fabricSwitch : m_network.GetSwitches())
        {
            EXPECT_EQ(fabricSwitch->GetLosslessDrops(), 0u);
            EXPECT_EQ(fabricSwitch->GetUnroutableDrops(), 0u);
            EXPECT_EQ(fabricSwitch->GetBuffer()->CheckInvariants(), "");
            if (const SwitchAudit* audit = fabricSwitch->GetAudit())
            {
                EXPECT_EQ(audit->Check(), "");
            }
        }
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            uint64_t gone = m_fates[c].received + m_fates[c].dropped;
            EXPECT_LE(gone, m_fates[c].sent);
            EXPECT_TRUE(!(LOSSLESS & (1U << c)) || m_fates[c].dropped == 0) << "class " << c;
        }
    }

    /// Of a fabric that cannot deadlock: all has gone.
    void ExpectDrained()
    {
        for (const auto& fabricSwitch : m_network.GetSwitches())
        {
            Ptr<SharedBuffer> buffer = fabricSwitch->GetBuffer();
            EXPECT_EQ(buffer->GetUsedBytes(), 0u);
            EXPECT_EQ(buffer->GetUsedHeadroomBytes(), 0u);
            for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
            {
                EXPECT_EQ(fabricSwitch->GetPort(p)->GetQueuedBytes(), 0u);
            }
        }
        uint64_t sent = 0;
        for (const Fate& fate : m_fates)
        {
            EXPECT_EQ(fate.sent, fate.received + fate.dropped);
            sent += fate.sent;
        }
        EXPECT_EQ(sent, m_queued);
    }

    uint64_t PausesSent() const
    {
        uint64_t pauses = 0;
        for (const auto& fabricSwitch : m_network.GetSwitches())
        {
            for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
            {
                pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
            }
        }
        return pauses;
    }

    bool MayDeadlock() const
    {
        return m_mayDeadlock;
    }

    uint32_t Draw(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_random() % (uint64_t{high} - low + 1));
    }

    /// @param on the audit of each frame, in any build
    void CheckConservation(bool on)
    {
        m_helper.SetSwitchAttribute("CheckConservation", BooleanValue(on));
    }

  private:
    template <typename T>
    T Pick(std::initializer_list<T> values)
    {
        return *(values.begin() + Draw(0, static_cast<uint32_t>(values.size()) - 1));
    }

    void Connect(uint32_t a, uint32_t b)
    {
        // 5 ns (1 m) to 50 us (10 km), evenly in the logarithm.
        double exponent = std::log(5.0) + std::log(10000.0) * Draw(0, 1000) / 1000;
        DataRate rate(Pick({"100Gbps", "200Gbps", "400Gbps", "800Gbps"}));
        m_graph.Connect({a, b, rate, NanoSeconds(static_cast<int64_t>(std::exp(exponent)))});
    }

    uint32_t AddHost(uint32_t at)
    {
        uint32_t host = m_graph.AddHost("host" + std::to_string(m_hosts++));
        Connect(host, at);
        return host;
    }

    void MakeStar()
    {
        uint32_t center = m_graph.AddSwitch("center");
        uint32_t hosts = Pick({3, 9, 33, 65, 256});
        for (uint32_t h = 0; h < hosts; ++h)
        {
            AddHost(center);
        }
    }

    void MakeChain()
    {
        uint32_t before = m_graph.AddSwitch("s0");
        uint32_t switches = Draw(2, 6);
        for (uint32_t s = 1; s <= switches; ++s)
        {
            for (uint32_t h = Draw(1, 4); h > 0; --h)
            {
                AddHost(before);
            }
            uint32_t next = m_graph.AddSwitch("s" + std::to_string(s));
            Connect(before, next);
            before = next;
        }
        AddHost(before);
    }

    void MakeLeafSpine()
    {
        std::vector<uint32_t> spines;
        for (uint32_t s = Draw(1, 4); s > 0; --s)
        {
            spines.push_back(m_graph.AddSwitch("spine" + std::to_string(s)));
        }
        uint32_t hosts = Draw(1, 8);
        for (uint32_t l = Draw(2, 4); l > 0; --l)
        {
            uint32_t leaf = m_graph.AddSwitch("leaf" + std::to_string(l));
            for (uint32_t spine : spines)
            {
                Connect(leaf, spine);
            }
            for (uint32_t h = 0; h < hosts; ++h)
            {
                AddHost(leaf);
            }
        }
    }

    void MakeRandomGraph()
    {
        std::vector<uint32_t> switches{m_graph.AddSwitch("s0")};
        for (uint32_t s = Draw(1, 7); s > 0; --s)
        {
            uint32_t other = switches[Draw(0, static_cast<uint32_t>(switches.size()) - 1)];
            switches.push_back(m_graph.AddSwitch("s" + std::to_string(s)));
            Connect(switches.back(), other);
        }
        for (uint32_t extra = Draw(0, 6); extra > 0; --extra)
        {
            uint32_t a = Draw(0, static_cast<uint32_t>(switches.size()) - 1);
            uint32_t b = Draw(0, static_cast<uint32_t>(switches.size()) - 1);
            if (a != b)
            {
                Connect(switches[a], switches[b]);
                m_mayDeadlock = true; // shortest paths round a ring
            }
        }
        for (uint32_t h = Draw(2, 16); h > 0; --h)
        {
            AddHost(switches[Draw(0, static_cast<uint32_t>(switches.size()) - 1)]);
        }
    }

    void SetAttributes()
    {
        m_helper.SetDeviceAttribute("IngressLatency", TimeValue(NanoSeconds(Draw(0, 800))));
        m_helper.SetDeviceAttribute("PauseResponseTime", TimeValue(NanoSeconds(Draw(0, 600))));
        m_helper.SetSwitchAttribute("LosslessClasses", UintegerValue(LOSSLESS));
        m_helper.SetSwitchAttribute("MaxFrameBytes", UintegerValue(m_maxFrame));
        m_helper.SetSwitchAttribute("PauseQuanta", UintegerValue(Draw(8000, 65535)));
        m_reserved = Draw(0, 1) * Draw(0, 5000);
        m_helper.SetBufferAttribute("Reserved", UintegerValue(m_reserved));
        m_helper.SetBufferAttribute("Alpha", DoubleValue(std::ldexp(1.0, 2 - int(Draw(0, 8)))));
        m_helper.SetBufferAttribute("XonOffset", UintegerValue(Draw(0, 30000)));
        m_helper.SetBufferAttribute("CellSize", UintegerValue(Pick({0, 0, 208, 254})));
        m_helper.SetBufferAttribute("Policy",
                                    StringValue(Pick({"ns3::DynamicThresholdPolicy",
                                                      "ns3::StaticThresholdPolicy",
                                                      "ns3::CompletePartitionPolicy",
                                                      "ns3::AbmBufferPolicy"})));
        if (Draw(0, 3) == 0)
        {
            m_helper.SetBufferAttribute("EgressAlpha", StringValue("3:0.5"));
        }
    }

    /// @return the least memory that all switches accept: reserves, headroom, a byte to share
    uint64_t NeededMemory()
    {
        m_helper.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 50));
        FabricNetwork trial = m_helper.Install(m_graph);
        uint64_t most = 0;
        for (const auto& fabricSwitch : trial.GetSwitches())
        {
            uint64_t sum = 1;
            for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
            {
                sum += 8 * m_reserved + 2 * fabricSwitch->GetHeadroomBytes(p);
            }
            most = std::max(most, sum);
        }
        return most;
    }

    void Watch()
    {
        for (uint32_t v = 0; v < m_network.nodes.GetN(); ++v)
        {
            bool isSwitch = bool(m_network.nodes.Get(v)->GetObject<FabricSwitch>());
            for (const auto& port : m_network.ports[v])
            {
                if (isSwitch)
                {
                    Count(port, "FrameDrop", &Fate::dropped);
                }
                else
                {
                    Count(port, "FrameTx", &Fate::sent);
                    Count(port, "FrameRx", &Fate::received);
                }
            }
        }
    }

    void Count(Ptr<FabricNetDevice> port, const std::string& event, uint64_t Fate::*counter)
    {
        port->TraceConnectWithoutContext(
            event,
            Callback<void, const FabricFrame&>([this, counter](const FabricFrame& frame) {
                if (frame.kind != FrameKind::PFC)
                {
                    ++(m_fates[frame.trafficClass].*counter);
                }
            }));
    }

    /// Bursts of all hosts at about the same time: an incast to one host, or to random ones.
    void SendAll()
    {
        std::vector<Ptr<FabricNetDevice>> ports = m_network.GetHostPorts();
        auto hosts = static_cast<uint32_t>(ports.size());
        uint32_t target = Draw(0, hosts - 1);
        bool incast = Draw(0, 2) > 0;
        uint32_t bursts = 4;
        uint32_t perBurst = FRAMES / hosts / bursts + 1;
        for (uint32_t h = 0; h < hosts; ++h)
        {
            for (uint32_t burst = 0; burst < bursts; ++burst)
            {
                uint32_t to = incast && h != target ? target : (h + Draw(1, hosts - 1)) % hosts;
                Ipv4Address address = ports[to]->GetIpv4Address();
                uint32_t trafficClass = Pick({0, 3, 3, 3, 4});
                bool largest = Draw(0, 1);
                uint32_t size = Draw(64, m_maxFrame);
                Simulator::Schedule(NanoSeconds(Draw(0, 20000)), [=, port = ports[h]] {
                    for (uint32_t i = 0; i < perBurst; ++i)
                    {
                        Send(port, address, trafficClass, largest ? m_maxFrame : size);
                    }
                });
            }
        }
    }

    void Send(Ptr<FabricNetDevice> port, Ipv4Address to, uint32_t trafficClass, uint32_t size)
    {
        FramePtr frame = FabricFrame::Create();
        frame->sizeBytes = size;
        frame->dstAddress = to.Get();
        frame->srcAddress = port->GetIpv4Address().Get();
        frame->trafficClass = trafficClass;
        ++m_queued;
        port->Enqueue(std::move(frame));
    }

    std::mt19937 m_random;
    FabricGraph m_graph;
    FabricHelper m_helper;
    FabricNetwork m_network;
    std::array<Fate, N_TRAFFIC_CLASSES> m_fates{};
    uint32_t m_mtu{0};
    uint32_t m_maxFrame{0};
    uint32_t m_hosts{0};
    uint64_t m_reserved{0};
    uint64_t m_queued{0};
    bool m_tooSmall{false};
    bool m_mayDeadlock{false};
};

class LosslessProperty : public testing::TestWithParam<uint32_t>
{
};

TEST_P(LosslessProperty, NoFrameOfALosslessClassIsDroppedWhereSetUpAccepts)
{
    constexpr uint32_t SEEDS = 20; // a process
    uint32_t accepted = 0;
    uint32_t paused = 0;
    for (uint32_t i = 0; i < SEEDS; ++i)
    {
        uint32_t seed = GetParam() * SEEDS + i;
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomFabric fabric(seed);
        fabric.CheckConservation(i % 4 == 0);
        if (!fabric.Install())
        {
            continue;
        }
        ++accepted;
        fabric.Run();
        fabric.ExpectNothingLost();
        if (!fabric.MayDeadlock())
        {
            fabric.ExpectDrained();
        }
        paused += fabric.PausesSent() > 0;
        if (HasFailure())
        {
            return;
        }
    }
    EXPECT_GT(accepted, SEEDS / 2);
    EXPECT_LT(accepted, SEEDS) << "some memories are too small";
    EXPECT_GT(paused, accepted / 2) << "or the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, LosslessProperty, testing::Range(1u, 11u));

} // namespace
