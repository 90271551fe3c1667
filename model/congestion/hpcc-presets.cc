// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-presets.h"

#include "hpcc-congestion-ops.h"
#include "hpcc-pint-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// @param mbps at 25 Gb/s @param lineRate of the links @return what it is at that rate
DataRateValue
ScaledAddition(double mbps, DataRate lineRate)
{
    double scale = static_cast<double>(lineRate.GetBitRate()) / 25e9;
    return DataRateValue(DataRate(static_cast<uint64_t>(mbps * 1e6 * scale)));
}

// Section 5.1 of the paper: eta 0.95, maxStage 5, W_AI 80 bytes.
ObjectFactory
HpccPaper()
{
    ObjectFactory ops(HpccCongestionOps::GetTypeId().GetName());
    ops.Set("Form", EnumValue(HpccCongestionOps::WINDOW));
    ops.Set("Telemetry", EnumValue(static_cast<int>(TelemetryFormat::HPCC)));
    ops.Set("Eta", DoubleValue(0.95));
    ops.Set("MaxStage", UintegerValue(5));
    ops.Set("WindowAi", UintegerValue(80));
    ops.Set("MinRate", DataRateValue(DataRate(0)));
    ops.Set("FastReact", BooleanValue(true));
    ops.Set("MultipleRates", BooleanValue(false));
    return ops;
}

// What run.py of alibaba-edu/High-Precision-Congestion-Control writes into config.txt: MI_THRESH 0,
// MIN_RATE 1 Gb/s, HAS_WIN, VAR_WIN and FAST_REACT 1, MULTI_RATE 0.
void
SetSimulatorForm(ObjectFactory& ops)
{
    ops.Set("Form", EnumValue(HpccCongestionOps::RATE));
    ops.Set("Eta", DoubleValue(0.95));
    ops.Set("MaxStage", UintegerValue(0));
    ops.Set("MinRate", DataRateValue(DataRate("1Gbps")));
    ops.Set("FastReact", BooleanValue(true));
    ops.Set("MultipleRates", BooleanValue(false));
    ops.Set("HasWindow", BooleanValue(true));
    ops.Set("VariableWindow", BooleanValue(true));
}

ObjectFactory
HpccSimulator(DataRate lineRate)
{
    ObjectFactory ops(HpccCongestionOps::GetTypeId().GetName());
    SetSimulatorForm(ops);
    ops.Set("Telemetry", EnumValue(static_cast<int>(TelemetryFormat::HPCC)));
    ops.Set("RateAi", ScaledAddition(10, lineRate));
    return ops;
}

// The scripts of ProbabilisticINT/HPCC-PINT that make the paper's figures 7 and 8: the simulator's
// form, --hpai 50 at 100 Gb/s, --pint_log_base 1.05.
ObjectFactory
PintPaper(DataRate lineRate, double samplingProbability)
{
    ObjectFactory ops(HpccPintCongestionOps::GetTypeId().GetName());
    SetSimulatorForm(ops);
    ops.Set("RateAi", ScaledAddition(12.5, lineRate));
    ops.Set("LogBase", DoubleValue(1.05));
    ops.Set("DigestBytes", UintegerValue(1));
    ops.Set("SamplingProbability", DoubleValue(samplingProbability));
    return ops;
}

} // namespace

std::vector<CongestionPreset>
HpccPresets(DataRate lineRate)
{
    return {{"hpcc", "paper", "SIGCOMM 2019, window form", HpccPaper()},
            {"hpcc",
             "hpcc-simulator",
             "the HPCC simulator's, rate form, additions scaled with the line rate",
             HpccSimulator(lineRate)}};
}

std::vector<CongestionPreset>
HpccPintPresets(DataRate lineRate)
{
    return {
        {"hpcc-pint",
         "paper",
         "PINT's evaluation (SIGCOMM 2020): one byte, each answer is looked at",
         PintPaper(lineRate, 1)},
        {"hpcc-pint", "paper-16", "likewise, one answer in 16", PintPaper(lineRate, 1.0 / 16)},
        {"hpcc-pint", "paper-256", "likewise, one answer in 256", PintPaper(lineRate, 1.0 / 256)}};
}

} // namespace ns3
