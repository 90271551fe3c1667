// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-congestion-control.h"

#include "ns3/boolean.h"
#include "ns3/congestion-presets.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr const char* SIMULATOR = "hpcc-simulator";

ObjectFactory
MakeDcqcn(const HpccConfig& config, DataRate lineRate)
{
    ObjectFactory ops = GetCongestionPreset("dcqcn", SIMULATOR, lineRate).ops;
    ops.Set("CnpByEcnEcho", BooleanValue(true));
    ops.Set("Gain", DoubleValue(config.ewmaGain));
    ops.Set("AlphaInterval", TimeValue(config.alphaInterval));
    ops.Set("RateDecreaseInterval", TimeValue(config.rateDecreaseInterval));
    ops.Set("RateIncreaseInterval", TimeValue(config.rateIncreaseInterval));
    ops.Set("FastRecoveryTimes", UintegerValue(config.fastRecoveryTimes));
    ops.Set("RateAi", DataRateValue(config.rateAi));
    ops.Set("RateHai", DataRateValue(config.rateHai));
    ops.Set("MinRate", DataRateValue(config.minRate));
    ops.Set("ClampTargetRate", BooleanValue(config.clampTargetRate));
    return ops;
}

/// What HPCC and HPCC-PINT have in common. @param ops parameters of the simulator's form
/// @param config a configuration @return with its values
ObjectFactory
MakeHpcc(ObjectFactory ops, const HpccConfig& config)
{
    ops.Set("HasWindow", BooleanValue(false));
    ops.Set("Eta", DoubleValue(config.targetUtilization));
    ops.Set("MaxStage", UintegerValue(config.multiplicativeIncreaseThreshold));
    ops.Set("RateAi", DataRateValue(config.rateAi));
    ops.Set("MinRate", DataRateValue(config.minRate));
    return ops;
}

ObjectFactory
MakeTimely(const HpccConfig& config, DataRate lineRate)
{
    ObjectFactory ops = GetCongestionPreset("timely", SIMULATOR, lineRate).ops;
    ops.Set("RateAi", DataRateValue(config.rateAi));
    ops.Set("RateHai", DataRateValue(config.rateHai));
    ops.Set("MinRate", DataRateValue(config.minRate));
    return ops;
}

ObjectFactory
MakeDctcp(const HpccConfig& config, DataRate lineRate)
{
    ObjectFactory ops = GetCongestionPreset("dctcp", SIMULATOR, lineRate).ops;
    ops.Set("Gain", DoubleValue(config.ewmaGain));
    ops.Set("RateAi", DataRateValue(config.dctcpRateAi));
    ops.Set("MinRate", DataRateValue(config.minRate));
    return ops;
}

} // namespace

ObjectFactory
MakeHpccCongestionControl(const HpccConfig& config, DataRate lineRate)
{
    switch (config.GetReaction())
    {
    case HpccConfig::DCQCN:
        return MakeDcqcn(config, lineRate);
    case HpccConfig::HPCC: {
        ObjectFactory ops = MakeHpcc(GetCongestionPreset("hpcc", SIMULATOR, lineRate).ops, config);
        ops.Set("FastReact", BooleanValue(config.fastReact));
        ops.Set("MultipleRates", BooleanValue(config.multiRate));
        return ops;
    }
    case HpccConfig::TIMELY:
        return MakeTimely(config, lineRate);
    case HpccConfig::DCTCP:
        return MakeDctcp(config, lineRate);
    case HpccConfig::HPCC_PINT: {
        // PINT's paper has the simulator's form. FAST_REACT and MULTI_RATE are not read in it.
        ObjectFactory ops =
            MakeHpcc(GetCongestionPreset("hpcc-pint", "paper", lineRate).ops, config);
        ops.Set("SamplingProbability", DoubleValue(config.pintProbability));
        ops.Set("LogBase", DoubleValue(config.pintLogBase));
        ops.Set("DigestBytes", UintegerValue(config.GetPintBytes()));
        return ops;
    }
    case HpccConfig::NO_REACTION:
        break;
    }
    return GetCongestionPreset("none", "", lineRate).ops;
}

} // namespace ns3
