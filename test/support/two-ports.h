// SPDX-License-Identifier: GPL-2.0-only
#ifndef TWO_PORTS_H
#define TWO_PORTS_H

/**
 * @file
 * @brief Two ports and a cable, with nothing behind them but a notebook.
 */

#include "fabric-fixture.h"

#include "ns3/fabric-channel.h"
#include "ns3/node.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// What stands behind a port: it notes what comes, what is dropped, and the state of the link.
class PortNotebook : public FabricPortOwner
{
  public:
    /// A frame that came or was dropped.
    struct Entry
    {
        Time at;
        uint32_t id;
        uint32_t trafficClass;
        uint32_t sizeBytes;
        DropReason reason;
    };

    void ReceiveFrame(FabricNetDevice&, FramePtr frame) override
    {
        arrivals.push_back(Note(*frame, DropReason::COUNT));
    }

    void FrameDeparts(FabricNetDevice& port, FabricFrame& frame) override
    {
        if (onDeparture)
        {
            onDeparture(port, frame);
        }
    }

    void FrameFlushed(FabricNetDevice&, FabricFrame& frame, DropReason reason) override
    {
        flushed.push_back(Note(frame, reason));
    }

    void LinkChanged(FabricNetDevice&, bool up) override
    {
        changes.push_back(up);
    }

    /// @param trafficClass class @return bytes of its frames that came
    uint64_t BytesOf(uint32_t trafficClass) const
    {
        uint64_t sum = 0;
        for (const Entry& entry : arrivals)
        {
            sum += entry.trafficClass == trafficClass ? entry.sizeBytes : 0;
        }
        return sum;
    }

    std::vector<Entry> arrivals;
    std::vector<Entry> flushed;
    std::vector<bool> changes;
    std::function<void(FabricNetDevice&, FabricFrame&)> onDeparture;

  private:
    static Entry Note(const FabricFrame& frame, DropReason reason)
    {
        return {Simulator::Now(), frame.psn, frame.trafficClass, frame.sizeBytes, reason};
    }
};

/// Port a sends, port b receives and pauses.
class TwoPorts : public testing::Test
{
  protected:
    static constexpr int64_t DELAY_NS = 500;

    /// The first bit of a frame at a.
    struct Start
    {
        Time at;
        uint32_t id;
        uint32_t trafficClass;
        uint32_t sizeBytes;
    };

    void Build(const std::string& lineRate)
    {
        rate = lineRate;
        helper.SetDeviceAttribute("DataRate", StringValue(rate));
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(DELAY_NS)));
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(devices.Get(0));
        b = DynamicCast<FabricNetDevice>(devices.Get(1));
        cable = DynamicCast<FabricChannel>(a->GetChannel());
        a->SetOwner(&atA);
        b->SetOwner(&atB);
        a->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame&>([this](const FabricFrame& f) {
                starts.push_back({Simulator::Now(), f.psn, f.trafficClass, f.sizeBytes});
            }));
        a->TraceConnectWithoutContext(
            "PauseState",
            Callback<void, uint32_t, bool>([this](uint32_t trafficClass, bool paused) {
                pauseChanges.push_back({Simulator::Now(), trafficClass, paused});
            }));
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    static FramePtr MakeFrame(uint32_t trafficClass, uint32_t sizeBytes, uint32_t id = 0)
    {
        FramePtr frame = FabricFrame::Create();
        frame->trafficClass = static_cast<uint8_t>(trafficClass);
        frame->sizeBytes = sizeBytes;
        frame->psn = id;
        return frame;
    }

    /// Queues frames at a, numbered from 0.
    void Enqueue(uint32_t count, uint32_t trafficClass, uint32_t sizeBytes)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            a->Enqueue(MakeFrame(trafficClass, sizeBytes, i));
        }
    }

    /// Does something at a time of the run.
    static void At(Time when, std::function<void()> action)
    {
        Simulator::Schedule(when - Simulator::Now(), [action] { action(); });
    }

    Time Wire(uint64_t count) const
    {
        return OnWire(rate, count);
    }

    /// From SendPause at an idle port until it is obeyed.
    Time PauseArrives() const
    {
        return Wire(bytes::PREAMBLE + bytes::PAUSE) + NanoSeconds(DELAY_NS);
    }

    /// Loses what it is told to.
    void LoseIf(std::function<bool(const FabricFrame&)> lost)
    {
        cable->SetLossFilter(Callback<bool, const FabricFrame&>(lost));
    }

    /// What PauseState said at a.
    struct PauseChange
    {
        Time at;
        uint32_t trafficClass;
        bool paused;
    };

    std::string rate;
    FabricHelper helper;
    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
    Ptr<FabricChannel> cable;
    PortNotebook atA;
    PortNotebook atB;
    std::vector<Start> starts;
    std::vector<PauseChange> pauseChanges;
};

} // namespace ns3

#endif // TWO_PORTS_H
