// SPDX-License-Identifier: GPL-2.0-only
#include "timely-presets.h"

#include "patched-timely-congestion-ops.h"
#include "timely-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

// What both papers have: Zhu et al. (2016) list the values with which they and the authors of
// TIMELY ran it.
ObjectFactory
DelayGradientOf(const TypeId& type)
{
    ObjectFactory ops(type.GetName());
    ops.Set("Alpha", DoubleValue(0.875));
    ops.Set("MinRtt", TimeValue(MicroSeconds(20)));
    ops.Set("TLow", TimeValue(MicroSeconds(50)));
    ops.Set("THigh", TimeValue(MicroSeconds(500)));
    ops.Set("RateAi", DataRateValue(DataRate("10Mbps")));
    ops.Set("Completion", StringValue("Segment"));
    ops.Set("Segment", UintegerValue(16384));
    return ops;
}

CongestionPreset
TimelyPaper()
{
    CongestionPreset preset{"timely",
                            "paper",
                            "SIGCOMM 2015, for 10 Gb/s; not scaled with the line rate",
                            DelayGradientOf(TimelyCongestionOps::GetTypeId())};
    preset.ops.Set("Beta", DoubleValue(0.8));
    preset.ops.Set("RateHai", DataRateValue(DataRate("50Mbps")));
    preset.ops.Set("HyperAfter", UintegerValue(5));
    preset.ops.Set("HyperCountsIncreases", BooleanValue(false));
    return preset;
}

// run.py of alibaba-edu/High-Precision-Congestion-Control, "--cc timely": one event a round trip,
// steps grow with the line rate.
CongestionPreset
TimelyHpccSimulator(DataRate lineRate)
{
    CongestionPreset preset{"timely",
                            "hpcc-simulator",
                            "the HPCC simulator's, scaled with the line rate",
                            DelayGradientOf(TimelyCongestionOps::GetTypeId())};
    uint64_t step = lineRate.GetBitRate() / 1000; // 10 Mb/s at 10 Gb/s
    preset.ops.Set("Beta", DoubleValue(0.8));
    preset.ops.Set("RateAi", DataRateValue(DataRate(step)));
    preset.ops.Set("RateHai", DataRateValue(DataRate(5 * step)));
    preset.ops.Set("MinRate", DataRateValue(DataRate("1Gbps")));
    preset.ops.Set("Completion", StringValue("Round"));
    preset.ops.Set("HyperAfter", UintegerValue(6)); // it compares the count before with 5
    preset.ops.Set("HyperCountsIncreases", BooleanValue(true));
    return preset;
}

} // namespace

std::vector<CongestionPreset>
TimelyPresets(DataRate lineRate)
{
    return {TimelyPaper(), TimelyHpccSimulator(lineRate)};
}

std::vector<CongestionPreset>
PatchedTimelyPresets(DataRate)
{
    CongestionPreset preset{"patched-timely",
                            "paper",
                            "CoNEXT 2016, for 10 Gb/s; not scaled with the line rate",
                            DelayGradientOf(PatchedTimelyCongestionOps::GetTypeId())};
    preset.ops.Set("Beta", DoubleValue(0.008));
    return {preset};
}

} // namespace ns3
