// SPDX-License-Identifier: GPL-2.0-only
#include "swift-presets.h"

#include "swift-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

// The paper's equations with few of its values: it names no table. Those that it does not say are
// csg-htsim's, whose authors chose them to reproduce its figures.
ObjectFactory
SwiftOps()
{
    ObjectFactory ops(SwiftCongestionOps::GetTypeId().GetName());
    ops.Set("FsRange", DoubleValue(5));
    ops.Set("FsMinWindow", DoubleValue(0.1));
    ops.Set("FsMaxWindow", DoubleValue(100));
    ops.Set("Ai", DoubleValue(1));
    ops.Set("Beta", DoubleValue(0.8));
    ops.Set("MaxDecrease", DoubleValue(0.5));
    ops.Set("MinWindow", DoubleValue(0.001));
    ops.Set("RetransmitResetThreshold", UintegerValue(5));
    return ops;
}

} // namespace

std::vector<CongestionPreset>
SwiftPresets(DataRate)
{
    CongestionPreset baseRtt{"swift",
                             "base-rtt",
                             "target of 1.5 base round trips, for a network of any size",
                             SwiftOps()};
    baseRtt.ops.Set("BaseTargetRtts", DoubleValue(1.5));
    CongestionPreset paper{"swift",
                           "paper",
                           "SIGCOMM 2020 as in csg-htsim: target of 20 us and 3 us a hop",
                           SwiftOps()};
    paper.ops.Set("BaseTarget", TimeValue(MicroSeconds(20)));
    paper.ops.Set("HopDelay", TimeValue(NanoSeconds(3053))); // the base target / 6.55
    return {baseRtt, paper};
}

} // namespace ns3
