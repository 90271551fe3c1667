// SPDX-License-Identifier: GPL-2.0-only
#include "dctcp-presets.h"

#include "dctcp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/string.h"

namespace ns3
{

namespace
{

// A threshold, and not a line: marks above it, none below. @param bytesAt10G its value at 10 Gb/s
CongestionMarking
ThresholdFrom10G(double bytesAt10G, DataRate lineRate)
{
    CongestionMarking marking;
    double scale = static_cast<double>(lineRate.GetBitRate()) / 10e9;
    marking.kminBytes = marking.kmaxBytes = static_cast<uint64_t>(bytesAt10G * scale);
    marking.pmax = 1;
    return marking;
}

// Section 3.4 and the evaluation: g = 1/16; K = 65 packets of 1500 bytes at 10 Gb/s, which exceeds
// C RTT / 7 there, and here grows with the line rate as that does.
CongestionPreset
DctcpPaper(DataRate lineRate)
{
    CongestionPreset preset{"dctcp",
                            "paper",
                            "SIGCOMM 2010; window; threshold of 10 Gb/s, scaled with the line rate",
                            ObjectFactory(DctcpCongestionOps::GetTypeId().GetName()),
                            ThresholdFrom10G(65 * 1500, lineRate)};
    preset.ops.Set("Form", StringValue("Window"));
    preset.ops.Set("Gain", DoubleValue(1.0 / 16));
    return preset;
}

// run.py of alibaba-edu/High-Precision-Congestion-Control, "--cc dctcp": a rate, and a window that
// its queue pairs have; 615 Mb/s is 1 KB a round trip of 13 us. Frames are marked as they leave.
CongestionPreset
DctcpHpccSimulator(DataRate lineRate)
{
    CongestionPreset preset{"dctcp",
                            "hpcc-simulator",
                            "the HPCC simulator's; rate; threshold scaled with the line rate",
                            ObjectFactory(DctcpCongestionOps::GetTypeId().GetName()),
                            ThresholdFrom10G(30000, lineRate)};
    preset.marking->markAtDequeue = true;
    preset.ops.Set("Form", StringValue("Rate"));
    preset.ops.Set("Gain", DoubleValue(1.0 / 16));
    preset.ops.Set("RateAi", DataRateValue(DataRate("615Mbps")));
    preset.ops.Set("MinRate", DataRateValue(DataRate("1Gbps")));
    return preset;
}

} // namespace

std::vector<CongestionPreset>
DctcpPresets(DataRate lineRate)
{
    return {DctcpPaper(lineRate), DctcpHpccSimulator(lineRate)};
}

} // namespace ns3
