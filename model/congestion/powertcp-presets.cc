// SPDX-License-Identifier: GPL-2.0-only
#include "powertcp-presets.h"

#include "powertcp-congestion-ops.h"
#include "theta-powertcp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

// Section 3.4 of the paper: gamma 0.9, beta = line rate x round trip / N; N is that of the authors'
// Linux module.
ObjectFactory
PowerTcpPaper(TypeId type)
{
    ObjectFactory ops(type.GetName());
    ops.Set("Gamma", DoubleValue(0.9));
    ops.Set("ExpectedFlows", UintegerValue(10));
    ops.Set("BetaRate", DataRateValue(DataRate(0)));
    ops.Set("TargetPower", DoubleValue(1));
    ops.Set("MinCurrent", DoubleValue(0.5)); // not in the paper, but in its simulator
    ops.Set("MinRate", DataRateValue(DataRate(0)));
    return ops;
}

/// As in rdma-hw.cc of inet-tub/ns3-datacenter, which made the paper's figures.
ObjectFactory
PowerTcpSimulator(TypeId type, double gamma, double targetPower)
{
    ObjectFactory ops(type.GetName());
    ops.Set("Gamma", DoubleValue(gamma));
    ops.Set("BetaRate", DataRateValue(DataRate("150Mbps")));
    ops.Set("TargetPower", DoubleValue(targetPower));
    ops.Set("MinCurrent", DoubleValue(0.5));
    ops.Set("MinRate", DataRateValue(DataRate("100Mbps")));
    return ops;
}

std::vector<CongestionPreset>
BothPresets(const std::string& algorithm, TypeId type, double gamma, double targetPower)
{
    return {{algorithm, "paper", "NSDI 2022", PowerTcpPaper(type)},
            {algorithm,
             "powertcp-simulator",
             "the authors' simulator's figures (ns3-datacenter)",
             PowerTcpSimulator(type, gamma, targetPower)}};
}

} // namespace

std::vector<CongestionPreset>
PowerTcpPresets(DataRate)
{
    return BothPresets("powertcp", PowerTcpCongestionOps::GetTypeId(), 0.9, 0.95);
}

std::vector<CongestionPreset>
ThetaPowerTcpPresets(DataRate)
{
    return BothPresets("theta-powertcp", ThetaPowerTcpCongestionOps::GetTypeId(), 0.7, 1.05);
}

} // namespace ns3
