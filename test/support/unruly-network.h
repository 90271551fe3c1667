// SPDX-License-Identifier: GPL-2.0-only
#ifndef UNRULY_NETWORK_H
#define UNRULY_NETWORK_H

#include "ns3/fabric-net-device.h"
#include "ns3/fabric-port-owner.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Stands between two ports instead of a switch, and loses, copies and delays frames at
 * random, each way.
 */
class UnrulyNetwork : public FabricPortOwner
{
  public:
    double loss{0};      ///< share of frames that are lost
    double duplicate{0}; ///< share of frames that come twice
    double delay{0};     ///< share of frames (and of copies) that are held back ...
    Time longest{0};     ///< ... for 0 to this long, so that others overtake them

    uint64_t lost{0};
    uint64_t duplicated{0};
    uint64_t delayed{0};

    /// @param a one port @param b the other @param seed of all chances
    void Join(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b, int64_t seed)
    {
        m_a = a;
        m_b = b;
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(seed);
        a->SetOwner(this);
        b->SetOwner(this);
    }

    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override
    {
        Ptr<FabricNetDevice> out = &port == PeekPointer(m_a) ? m_b : m_a;
        if (Chance(loss))
        {
            ++lost;
            return;
        }
        if (Chance(duplicate))
        {
            ++duplicated;
            Forward(out, frame->Clone());
        }
        Forward(out, frame);
    }

  private:
    bool Chance(double share)
    {
        return m_random->GetValue() < share;
    }

    void Forward(Ptr<FabricNetDevice> out, FramePtr frame)
    {
        if (!Chance(delay))
        {
            out->Enqueue(frame);
            return;
        }
        ++delayed;
        Time wait = TimeStep(static_cast<int64_t>(m_random->GetValue() *
                                                  static_cast<double>(longest.GetTimeStep())));
        Simulator::Schedule(wait, [out, frame] { out->Enqueue(frame); });
    }

    Ptr<FabricNetDevice> m_a;
    Ptr<FabricNetDevice> m_b;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // UNRULY_NETWORK_H
