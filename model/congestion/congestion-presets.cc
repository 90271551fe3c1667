// SPDX-License-Identifier: GPL-2.0-only
#include "congestion-presets.h"

#include "dcqcn-presets.h"
#include "dctcp-presets.h"
#include "eqds-presets.h"
#include "hpcc-presets.h"
#include "irn-presets.h"
#include "line-rate-congestion-ops.h"
#include "ndp-presets.h"
#include "nscc-presets.h"
#include "powertcp-presets.h"
#include "rccc-presets.h"
#include "swift-presets.h"
#include "timely-presets.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

std::vector<CongestionPreset>
NonePresets(DataRate)
{
    return {{"none",
             "default",
             "line rate, no window",
             ObjectFactory(LineRateCongestionOps::GetTypeId().GetName())}};
}

std::vector<CongestionPreset>
StaticPresets(DataRate)
{
    return {{"static",
             "default",
             "line rate and no window until Rate or Window are set",
             ObjectFactory(LineRateCongestionOps::GetTypeId().GetName())}};
}

using MakePresets = std::vector<CongestionPreset> (*)(DataRate);

/// A congestion control as scenario files know it.
struct CongestionAlgorithm
{
    const char* name;
    const char* type; ///< TypeId's name
    const char* description;
    MakePresets presets;  ///< the default one first
    bool measures{false}; ///< from answers: its paper has one for each frame
};

// One row an algorithm.
constexpr CongestionAlgorithm CONGESTION_ALGORITHMS[] = {
    {"none", "ns3::LineRateCongestionOps", "line rate; PFC alone holds senders back", NonePresets},
    {"static",
     "ns3::LineRateCongestionOps",
     "a fixed rate (Rate), a fixed window (Window), or both",
     StaticPresets},
    {"dcqcn", "ns3::DcqcnCongestionOps", "DCQCN (SIGCOMM 2015): rate by CNPs", DcqcnPresets},
    {"hpcc",
     "ns3::HpccCongestionOps",
     "HPCC (SIGCOMM 2019): window or rate by in-band telemetry",
     HpccPresets,
     true},
    {"hpcc-pint",
     "ns3::HpccPintCongestionOps",
     "HPCC by probabilistic telemetry (PINT, SIGCOMM 2020)",
     HpccPintPresets,
     true},
    {"powertcp",
     "ns3::PowerTcpCongestionOps",
     "PowerTCP (NSDI 2022): window by power, from in-band telemetry",
     PowerTcpPresets,
     true},
    {"theta-powertcp",
     "ns3::ThetaPowerTcpCongestionOps",
     "theta-PowerTCP (NSDI 2022): window by power, from delay",
     ThetaPowerTcpPresets,
     true},
    {"timely",
     "ns3::TimelyCongestionOps",
     "TIMELY (SIGCOMM 2015): rate by the delay's gradient",
     TimelyPresets,
     true},
    {"patched-timely",
     "ns3::PatchedTimelyCongestionOps",
     "Patched TIMELY (CoNEXT 2016): with one fixed point",
     PatchedTimelyPresets,
     true},
    {"dctcp",
     "ns3::DctcpCongestionOps",
     "DCTCP (SIGCOMM 2010): window by the share of marked bytes",
     DctcpPresets,
     true},
    {"swift",
     "ns3::SwiftCongestionOps",
     "Swift (SIGCOMM 2020): window by a delay target",
     SwiftPresets,
     true},
    {"irn",
     "ns3::IrnCongestionOps",
     "IRN's flow control (SIGCOMM 2018): a window of one bandwidth-delay product",
     IrnPresets,
     true},
    {"nscc",
     "ns3::NsccCongestionOps",
     "NSCC of Ultra Ethernet: window by ECN, delay and trimmed frames",
     NsccPresets,
     true},
    {"rccc",
     "ns3::RcccCongestionOps",
     "RCCC of Ultra Ethernet: the receiver gives credit",
     RcccPresets},
    {"eqds",
     "ns3::EqdsCongestionOps",
     "EQDS (NSDI 2022): the receiver gives credit, a start without",
     EqdsPresets},
    {"ndp",
     "ns3::NdpCongestionOps",
     "NDP (SIGCOMM 2017): the receiver pulls, switches trim",
     NdpPresets},
};

const CongestionAlgorithm&
FindCongestionAlgorithm(const std::string& name)
{
    for (const CongestionAlgorithm& algorithm : CONGESTION_ALGORITHMS)
    {
        if (name == algorithm.name)
        {
            return algorithm;
        }
    }
    NS_ABORT_MSG("no congestion control is called \"" << name << "\"");
    return CONGESTION_ALGORITHMS[0]; // never reached
}

} // namespace

std::vector<std::string>
GetCongestionControlNames()
{
    std::vector<std::string> names;
    for (const CongestionAlgorithm& algorithm : CONGESTION_ALGORITHMS)
    {
        names.emplace_back(algorithm.name);
    }
    return names;
}

std::string
GetCongestionControlDescription(const std::string& algorithm)
{
    return FindCongestionAlgorithm(algorithm).description;
}

uint32_t
GetCongestionAckInterval(const std::string& algorithm)
{
    constexpr uint32_t COALESCED = 16; // as NICs do it
    return FindCongestionAlgorithm(algorithm).measures ? 1 : COALESCED;
}

std::string
GetCongestionControlType(const std::string& algorithm)
{
    return FindCongestionAlgorithm(algorithm).type;
}

std::vector<std::string>
GetCongestionPresetNames(const std::string& algorithm)
{
    std::vector<std::string> names;
    for (const CongestionPreset& preset :
         FindCongestionAlgorithm(algorithm).presets(DataRate("100Gbps")))
    {
        names.push_back(preset.name);
    }
    return names;
}

CongestionPreset
GetCongestionPreset(const std::string& algorithm, const std::string& name, DataRate lineRate)
{
    for (const CongestionPreset& preset : FindCongestionAlgorithm(algorithm).presets(lineRate))
    {
        if (name.empty() || name == preset.name)
        {
            return preset;
        }
    }
    NS_ABORT_MSG("congestion control \"" << algorithm << "\" has no preset \"" << name << "\"");
    return {}; // never reached
}

} // namespace ns3
