// SPDX-License-Identifier: GPL-2.0-only
#include "dcqcn-presets.h"

#include "dcqcn-congestion-ops.h"

#include "ns3/abort.h"
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

DataRate
Mbps(double rate)
{
    return DataRate(static_cast<uint64_t>(rate * 1e6));
}

// Zhu et al., SIGCOMM 2015: table of section 5 and section 3.1, for 40 Gb/s.
DcqcnPreset
Paper(DataRate)
{
    DcqcnPreset preset{"paper", "SIGCOMM 2015, 40G testbed", Reaction(), 5000, 200000, 0.01,
                       MicroSeconds(50)};
    preset.reaction.Set("RateDecreaseInterval", TimeValue(Time(0)));
    preset.reaction.Set("MinDecreaseFactor", DoubleValue(0.5));
    preset.reaction.Set("MinRate", DataRateValue(Mbps(10)));
    return preset;
}

// run.py of alibaba-edu/High-Precision-Congestion-Control, "dcqcn": thresholds and steps scale with
// rate / 25 Gb/s, no byte counter, CNPs on every marked frame looked at by timers.
DcqcnPreset
HpccSimulator(DataRate lineRate)
{
    double scale = static_cast<double>(lineRate.GetBitRate()) / 25e9;
    DcqcnPreset preset{"hpcc-simulator",
                       "the set of the HPCC simulator, scaled with the line rate",
                       Reaction(),
                       static_cast<uint64_t>(100000 * scale),
                       static_cast<uint64_t>(400000 * scale),
                       0.2,
                       Time(0)};
    preset.reaction.Set("TimerDriven", BooleanValue(true));
    preset.reaction.Set("AlphaInterval", TimeValue(MicroSeconds(1)));
    preset.reaction.Set("RateDecreaseInterval", TimeValue(MicroSeconds(4)));
    preset.reaction.Set("RateIncreaseInterval", TimeValue(MicroSeconds(300)));
    preset.reaction.Set("ByteCounter", UintegerValue(0));
    preset.reaction.Set("FastRecoveryTimes", UintegerValue(1));
    preset.reaction.Set("RateAi", DataRateValue(Mbps(5 * scale)));
    preset.reaction.Set("RateHai", DataRateValue(Mbps(50 * scale)));
    preset.reaction.Set("MinRate", DataRateValue(Mbps(1000)));
    preset.reaction.Set("MinDecreaseFactor", DoubleValue(0.0));
    preset.reaction.Set("ClampTargetRate", BooleanValue(false));
    preset.reaction.Set("ClampTargetRateAfterIncrease", BooleanValue(true));
    return preset;
}

// mlx5 defaults as mlxconfig prints them; the ECN thresholds are the switch's, here those that
// HPCC's evaluation uses for the same rate.
DcqcnPreset
NicDefault(DataRate lineRate)
{
    double scale = static_cast<double>(lineRate.GetBitRate()) / 25e9;
    DcqcnPreset preset{"nic-default",
                       "defaults of ConnectX NICs (mlx5), ECN thresholds scaled with the line rate",
                       Reaction(),
                       static_cast<uint64_t>(100000 * scale),
                       static_cast<uint64_t>(400000 * scale),
                       0.2,
                       MicroSeconds(4)};
    preset.reaction.Set("AlphaInterval", TimeValue(MicroSeconds(55)));
    preset.reaction.Set("RateDecreaseInterval", TimeValue(MicroSeconds(4)));
    preset.reaction.Set("RateIncreaseInterval", TimeValue(MicroSeconds(300)));
    preset.reaction.Set("ByteCounter", UintegerValue(32767));
    preset.reaction.Set("FastRecoveryTimes", UintegerValue(1));
    preset.reaction.Set("RateAi", DataRateValue(Mbps(5)));
    preset.reaction.Set("RateHai", DataRateValue(Mbps(50)));
    preset.reaction.Set("MinRate", DataRateValue(Mbps(1)));
    preset.reaction.Set("MinDecreaseFactor", DoubleValue(0.5));
    preset.reaction.Set("ClampTargetRate", BooleanValue(false));
    preset.reaction.Set("ClampTargetRateAfterIncrease", BooleanValue(true));
    return preset;
}

struct Entry
{
    const char* name;
    DcqcnPreset (*make)(DataRate);
};

constexpr Entry PRESETS[] = {
    {"paper", Paper},
    {"hpcc-simulator", HpccSimulator},
    {"nic-default", NicDefault},
};

} // namespace

std::vector<std::string>
GetDcqcnPresetNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : PRESETS)
    {
        names.emplace_back(entry.name);
    }
    return names;
}

DcqcnPreset
GetDcqcnPreset(const std::string& name, DataRate lineRate)
{
    for (const Entry& entry : PRESETS)
    {
        if (name == entry.name)
        {
            return entry.make(lineRate);
        }
    }
    NS_ABORT_MSG("no DCQCN preset is called \"" << name << "\"");
}

} // namespace ns3
