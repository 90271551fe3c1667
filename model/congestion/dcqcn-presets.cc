// SPDX-License-Identifier: GPL-2.0-only
#include "dcqcn-presets.h"

#include "dcqcn-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

ObjectFactory
Reaction()
{
    ObjectFactory factory;
    factory.SetTypeId(DcqcnCongestionOps::GetTypeId());
    return factory;
}

DataRateValue
Mbps(double rate)
{
    return DataRateValue(DataRate(static_cast<uint64_t>(rate * 1e6)));
}

// What HPCC's evaluation uses of DCQCN grows with the line rate, from 25 Gb/s.
double
ScaleFrom25G(DataRate lineRate)
{
    return static_cast<double>(lineRate.GetBitRate()) / 25e9;
}

// The paper's testbed of 40 Gb/s; not scaled. Hyper increase is QCN's, to which the paper points;
// RateHai and MinRate are those of the authors' own simulator.
CongestionPreset
Paper(DataRate)
{
    CongestionPreset preset{"dcqcn",
                            "paper",
                            "SIGCOMM 2015, testbed of 40 Gb/s, not scaled with the line rate",
                            Reaction(),
                            CongestionMarking{5000, 200000, 0.01, false, MicroSeconds(50)}};
    preset.ops.Set("TimerDriven", BooleanValue(false));
    preset.ops.Set("Gain", DoubleValue(1.0 / 256));
    preset.ops.Set("InitialAlpha", DoubleValue(1.0));
    preset.ops.Set("AlphaInterval", TimeValue(MicroSeconds(55)));
    preset.ops.Set("RateDecreaseInterval", TimeValue(Time(0)));
    preset.ops.Set("RateIncreaseInterval", TimeValue(MicroSeconds(55)));
    preset.ops.Set("ByteCounter", UintegerValue(10000000));
    preset.ops.Set("FastRecoveryTimes", UintegerValue(5));
    preset.ops.Set("RateAi", Mbps(40));
    preset.ops.Set("RateHai", Mbps(200));
    preset.ops.Set("HyperIncreaseGrows", BooleanValue(true));
    preset.ops.Set("MinRate", Mbps(100));
    preset.ops.Set("MinDecreaseFactor", DoubleValue(0.5));
    preset.ops.Set("ClampTargetRate", BooleanValue(true));
    preset.ops.Set("ClampTargetRateAfterIncrease", BooleanValue(false));
    return preset;
}

// run.py of alibaba-edu/High-Precision-Congestion-Control, "--cc dcqcn": thresholds and steps grow
// with the line rate, no byte counter, frames are marked as they leave, and each tells the sender.
CongestionPreset
DcqcnSimulator(DataRate lineRate)
{
    double scale = ScaleFrom25G(lineRate);
    CongestionPreset preset{"dcqcn",
                            "hpcc-simulator",
                            "the HPCC simulator's, scaled with the line rate",
                            Reaction(),
                            CongestionMarking{static_cast<uint64_t>(100000 * scale),
                                              static_cast<uint64_t>(400000 * scale),
                                              0.2,
                                              true,
                                              Time(0)}};
    preset.ops.Set("TimerDriven", BooleanValue(true));
    preset.ops.Set("Gain", DoubleValue(1.0 / 256));
    preset.ops.Set("InitialAlpha", DoubleValue(1.0));
    preset.ops.Set("AlphaInterval", TimeValue(MicroSeconds(1)));
    preset.ops.Set("RateDecreaseInterval", TimeValue(MicroSeconds(4)));
    preset.ops.Set("RateIncreaseInterval", TimeValue(MicroSeconds(300)));
    preset.ops.Set("ByteCounter", UintegerValue(0));
    preset.ops.Set("FastRecoveryTimes", UintegerValue(1));
    preset.ops.Set("RateAi", Mbps(5 * scale));
    preset.ops.Set("RateHai", Mbps(50 * scale));
    preset.ops.Set("HyperIncreaseGrows", BooleanValue(false));
    preset.ops.Set("MinRate", Mbps(1000));
    preset.ops.Set("MinDecreaseFactor", DoubleValue(0.0));
    preset.ops.Set("ClampTargetRate", BooleanValue(false));
    preset.ops.Set("ClampTargetRateAfterIncrease", BooleanValue(true));
    return preset;
}

// mlx5 as mlxconfig prints it: DCE_TCP_G 1019 and INITIAL_ALPHA_VALUE 1023 are in 1/1024, and
// alpha = G alpha + (1 - G) cnp, so g = 5/1024; RPG_BYTE_RESET 32767 is in units of 64 bytes. ECN
// thresholds are the switch's; these are those of HPCC's evaluation.
CongestionPreset
NicDefault(DataRate lineRate)
{
    double scale = ScaleFrom25G(lineRate);
    CongestionPreset preset{
        "dcqcn",
        "nic-default",
        "defaults of ConnectX NICs (mlx5), ECN thresholds scaled with the line rate",
        Reaction(),
        CongestionMarking{static_cast<uint64_t>(100000 * scale),
                          static_cast<uint64_t>(400000 * scale),
                          0.2,
                          false,
                          MicroSeconds(4)}};
    preset.ops.Set("TimerDriven", BooleanValue(true));
    preset.ops.Set("Gain", DoubleValue(5.0 / 1024));
    preset.ops.Set("InitialAlpha", DoubleValue(1023.0 / 1024));
    preset.ops.Set("AlphaInterval", TimeValue(MicroSeconds(1)));
    preset.ops.Set("RateDecreaseInterval", TimeValue(MicroSeconds(4)));
    preset.ops.Set("RateIncreaseInterval", TimeValue(MicroSeconds(300)));
    preset.ops.Set("ByteCounter", UintegerValue(32767 * 64));
    preset.ops.Set("FastRecoveryTimes", UintegerValue(1));
    preset.ops.Set("RateAi", Mbps(5));
    preset.ops.Set("RateHai", Mbps(50));
    preset.ops.Set("HyperIncreaseGrows", BooleanValue(false));
    preset.ops.Set("MinRate", Mbps(1));
    preset.ops.Set("MinDecreaseFactor", DoubleValue(0.5));
    preset.ops.Set("ClampTargetRate", BooleanValue(false));
    preset.ops.Set("ClampTargetRateAfterIncrease", BooleanValue(true));
    return preset;
}

// What a published study arrived at for all-reduce on 1,024 GPUs behind 400 Gb/s BlueField-3 NICs:
// ranges were published, these are the values in their middle; all else as the NIC comes.
CongestionPreset
Tuned400G(DataRate lineRate)
{
    CongestionPreset preset = NicDefault(lineRate);
    preset.name = "tuned-400g";
    preset.description = "BlueField-3 at 400 Gb/s, tuned for all-reduce: the middle of the "
                         "published ranges";
    preset.marking->cnpInterval = MicroSeconds(1);
    preset.ops.Set("RateDecreaseInterval", TimeValue(NanoSeconds(2500)));
    preset.ops.Set("RateIncreaseInterval", TimeValue(MicroSeconds(60)));
    preset.ops.Set("RateAi", Mbps(14));
    preset.ops.Set("MinDecreaseFactor", DoubleValue(0.89));
    return preset;
}

} // namespace

std::vector<CongestionPreset>
DcqcnPresets(DataRate lineRate)
{
    return {NicDefault(lineRate), Paper(lineRate), DcqcnSimulator(lineRate), Tuned400G(lineRate)};
}

} // namespace ns3
