// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Coarse packets: the wire carries the same bytes, time differs by what is in closed form,
 * and what they cannot be right for is refused.
 */

#include "program-run.h"

#include "ns3/coarse-frame.h"
#include "ns3/fabric-frame.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace test;

namespace
{

// Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 (IEEE 802.3, RFC 791, RFC 768, IBA annex A17)
constexpr uint32_t HEADERS = 62;
constexpr uint32_t RETH = 16;
constexpr uint32_t IMMEDIATE = 4;
constexpr uint32_t GAP = 8 + 12; // preamble and inter-frame gap

/// @return what a WRITE takes on the wire, frame by frame, gaps between and behind frames included
uint64_t
WireBytesOfWrite(uint64_t bytes, uint32_t mtu)
{
    uint64_t sum = 0;
    bool first = true;
    do
    {
        const uint64_t payload = std::min<uint64_t>(bytes, mtu);
        const uint64_t padded = (payload + 3) / 4 * 4;
        sum += std::max<uint64_t>(64, HEADERS + (first ? RETH : 0) + padded) + GAP;
        first = false;
        bytes -= payload;
    } while (bytes > 0);
    return sum;
}

/// @return a frame that stands for @p segments
FramePtr
MakeCoarse(RdmaOpcode opcode, uint32_t payload, uint32_t segments)
{
    FramePtr frame = FabricFrame::Create();
    frame->opcode = opcode;
    frame->payloadBytes = payload;
    frame->segments = static_cast<uint8_t>(segments);
    return frame;
}

/// A run of two hosts behind two leaves, or many.
struct CoarseRun
{
    TemporaryFolder folder;
    ProgramResult result;

    CoarseRun(const std::string& scenario, const std::string& options)
    {
        folder.Write("s.json", scenario);
        result = RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " +
                            folder.PathOf("out") + " " + options);
    }

    std::vector<CsvRow> Table(const std::string& name) const
    {
        return ReadCsv(folder.PathOf("out/" + name));
    }

    /// @return bytes that all ports have sent, gaps included
    std::map<std::string, uint64_t> WireBytes() const
    {
        std::map<std::string, uint64_t> bytes;
        for (const CsvRow& row : Table("links.csv"))
        {
            bytes[row.at("port")] =
                std::stoull(row.at("tx_bytes")) + GAP * std::stoull(row.at("tx_frames"));
        }
        return bytes;
    }

    long long CompletionPs() const
    {
        const CsvRow row = Table("messages.csv").at(0);
        return Picoseconds(row.at("end_us")) - Picoseconds(row.at("start_us"));
    }
};

/// One message between hosts of two leaves: four links of 100 Gb/s. Only the last frame of a
/// message asks for an acknowledgement.
std::string
OneMessage(uint64_t bytes, uint32_t mtu, uint32_t segments, const std::string& more = "")
{
    return R"({ "topology": { "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 1, "spines": 1,
  "linkRate": "100Gbps", "uplinkRate": "100Gbps", "linkDelay": "1us", "uplinkDelay": "1us" },
  "network": { "congestionControl": "none", "ackInterval": 1048576, "mtu": )" +
           std::to_string(mtu) + R"(, "segmentsPerFrame": )" + std::to_string(segments) + more +
           R"( },
  "jobs": [ { "name": "one", "workload": { "type": "flows", "flows": [
    { "source": 0, "destination": 1, "bytes": )" +
           std::to_string(bytes) + R"( } ] } } ], "output": { "report": false } })";
}

/// Four senders to one receiver.
std::string
Incast(const std::string& network)
{
    std::string flows;
    for (const char* source : {"0", "1", "2", "3"})
    {
        flows += std::string(flows.empty() ? "" : ", ") + R"({ "source": )" + source +
                 R"(, "destination": 4, "bytes": 1000003 })";
    }
    return R"({ "topology": { "type": "star", "hosts": 5, "linkRate": "100Gbps",
  "linkDelay": "1us" }, "network": { )" +
           network + R"( }, "jobs": [ { "name": "incast", "workload": { "type": "flows",
  "flows": [ )" +
           flows + R"( ] } } ], "output": { "report": false } })";
}

} // namespace

TEST(CoarseFrame, SizeIsThatOfItsSegments)
{
    // WRITE ONLY of 10000 B at 4096: 4096 with RETH, 4096, 1808; two gaps between them.
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_WRITE_ONLY, 10000, 3), 4096, 0, GAP),
              (HEADERS + RETH + 4096) + (HEADERS + 4096) + (HEADERS + 1808) + 2 * GAP);
    // MIDDLE: nothing but the headers of each
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_WRITE_MIDDLE, 2048, 2), 1024, 0, GAP),
              2 * (HEADERS + 1024) + GAP);
    // LAST WITH IMMEDIATE, and a last segment of 2 B: padded to 4
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_WRITE_LAST_IMM, 1026, 2), 1024, 0, GAP),
              (HEADERS + 1024) + (HEADERS + IMMEDIATE + 4) + GAP);
    // LAST, and a last segment of 1 B
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_SEND_LAST, 1025, 2), 1024, 0, GAP),
              (HEADERS + 1024) + (HEADERS + 4) + GAP);
    // An MTU that is no multiple of 4: each full segment has a pad of its own
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_SEND_MIDDLE, 3003, 3), 1001, 0, GAP),
              3 * (HEADERS + 1004) + 2 * GAP);
    // IPv6: 20 B more in each; other headers: so many in each, no pad
    FramePtr ipv6 = MakeCoarse(RdmaOpcode::RC_SEND_MIDDLE, 2048, 2);
    ipv6->ipv6 = true;
    EXPECT_EQ(CoarseFrameBytes(*ipv6, 1024, 0, GAP), 2 * (HEADERS + 20 + 1024) + GAP);
    EXPECT_EQ(CoarseFrameBytes(*MakeCoarse(RdmaOpcode::RC_WRITE_ONLY, 2001, 3), 1000, 48, GAP),
              2001 + 3 * 48 + 2 * GAP);
}

TEST(CoarsePackets, WireCarriesTheSameBytes)
{
    for (uint64_t bytes : {1ULL, 4096ULL, 4097ULL, 100000ULL, 131072ULL})
    {
        for (uint32_t mtu : {1001U, 4096U})
        {
            const CoarseRun exact(OneMessage(bytes, mtu, 1), "");
            const CoarseRun coarse(OneMessage(bytes, mtu, 8), "");
            ASSERT_EQ(exact.result.status, 0) << exact.result.output;
            ASSERT_EQ(coarse.result.status, 0) << coarse.result.output;
            EXPECT_EQ(exact.WireBytes().at("host0"), WireBytesOfWrite(bytes, mtu));
            EXPECT_EQ(coarse.WireBytes(), exact.WireBytes()) << bytes << " B at " << mtu;
        }
    }
}

TEST(CoarsePackets, AloneItTakesLongerByTheLargestFrameOnEachFurtherLink)
{
    // On H equal links that store and forward, frames with slots s take sum(s) + (H - 1) max(s):
    // a flow shop whose machines are alike. The sum is the same; the largest frame is the first.
    constexpr long long PS_PER_BYTE = 80; // 100 Gb/s
    constexpr long long FURTHER_LINKS = 3;
    constexpr uint32_t MTU = 4096;
    const CoarseRun exact(OneMessage(1 << 20, MTU, 1), "");
    for (uint32_t segments : {2U, 4U, 8U})
    {
        const CoarseRun coarse(OneMessage(1 << 20, MTU, segments), "");
        const long long more = (segments - 1) * (HEADERS + MTU + GAP) * PS_PER_BYTE;
        EXPECT_EQ(coarse.CompletionPs() - exact.CompletionPs(), FURTHER_LINKS * more) << segments;
    }
}

TEST(CoarsePackets, AcknowledgementsCountFramesOfTheWire)
{
    // 64 frames, an answer for every 16: four, whatever a simulated frame stands for.
    for (uint32_t segments : {1U, 4U, 16U})
    {
        const CoarseRun run(OneMessage(64 * 4096, 4096, segments), "--set network.ackInterval=16");
        for (const CsvRow& row : run.Table("links.csv"))
        {
            if (row.at("port") == "host1")
            {
                EXPECT_EQ(row.at("tx_frames"), "4") << segments;
            }
        }
    }
}

TEST(CoarsePackets, AreNamed)
{
    const CoarseRun run(OneMessage(100000, 1024, 4), "");
    EXPECT_NE(
        run.result.output.find("coarse: a simulated frame stands for up to 4 frames of 1024 B"),
        std::string::npos)
        << run.result.output;
    const auto manifest = nlohmann::json::parse(ReadBytes(run.folder.PathOf("out/manifest.json")));
    EXPECT_EQ(manifest["resolved"]["network"]["segmentsPerFrame"], 4);
    const auto summary = nlohmann::json::parse(ReadBytes(run.folder.PathOf("out/summary.json")));
    EXPECT_EQ(summary["coarse_segments_per_frame"], 4);
    const CoarseRun exact(OneMessage(100000, 1024, 1), "");
    EXPECT_EQ(exact.result.output.find("coarse"), std::string::npos) << exact.result.output;
}

TEST(CoarsePackets, LosslessIncastLosesNothing)
{
    // The bottleneck carries 4 x 1000003 B: no run can end before; 4 % are start and slack.
    const double least = static_cast<double>(4 * WireBytesOfWrite(1000003, 1024)) * 80;
    for (const char* control : {"none", "dcqcn"})
    {
        for (const char* segments : {"1", "2", "8"})
        {
            const CoarseRun run(Incast(R"("mtu": 1024, "buffer": "2MB", "congestionControl": ")" +
                                       std::string(control) + R"(", "segmentsPerFrame": )" +
                                       segments),
                                "");
            ASSERT_EQ(run.result.status, 0) << run.result.output;
            long long end = 0;
            for (const CsvRow& row : run.Table("messages.csv"))
            {
                EXPECT_EQ(row.at("bytes"), "1000003");
                end = std::max(end, Picoseconds(row.at("end_us")));
            }
            EXPECT_NE(run.result.output.find("drops = 0"), std::string::npos);
            EXPECT_GE(static_cast<double>(end), least);
            if (std::string(control) == "none")
            {
                EXPECT_LE(static_cast<double>(end), 1.04 * least) << segments;
            }
        }
    }
}

TEST(CoarsePackets, GoBackNRepeatsWhatIsDropped)
{
    // Without PFC and with little memory frames are dropped; all messages arrive whole.
    const CoarseRun run(Incast(R"("mtu": 1024, "pfc": false, "buffer": "200KB", "timeout": 6,
        "congestionControl": "none", "segmentsPerFrame": 4)"),
                        "");
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    const auto summary = nlohmann::json::parse(ReadBytes(run.folder.PathOf("out/summary.json")));
    EXPECT_GT(summary["fabric"]["drops"], 0);
    EXPECT_GT(summary["fabric"]["retransmitted_frames"], 0);
    EXPECT_EQ(summary["flows"]["completed"], 4);
    EXPECT_EQ(summary["flows"]["bytes"], 4 * 1000003);
}

TEST(CoarsePackets, RefuseWhatTheyCannotBeRightFor)
{
    struct Case
    {
        const char* options;
        const char* place;
    };

    const Case cases[] = {
        {"--set network.congestionControl=hpcc", "network.congestionControl"},
        {"--set network.congestionControl=swift", "network.congestionControl"},
        {"--set network.congestionControl=ndp", "network.congestionControl"},
        {"--set network.telemetry.int=true", "network.telemetry.int"},
        {"--set network.telemetry.trimming=true", "network.telemetry.trimming"},
        {"--set network.reliability=selective-repeat", "network.reliability"},
        {"--set network.pathSelection=random-spray", "network.pathSelection"},
        {"--set network.vlan=5", "network.vlan"},
        {"--set network.nic=connectx-6-hdr", "network.nic"},
        {"--set 'output.pcap=[\"host0\"]'", "output.pcap"},
        {"--set network.segmentsPerFrame=65", "network.segmentsPerFrame"},
        {"--set network.segmentsPerFrame=0", "network.segmentsPerFrame"},
        {"--set 'attributes={\"ns3::QueuePair::SegmentsPerFrame\":2}'", "attributes"},
    };
    for (const Case& each : cases)
    {
        const CoarseRun run(OneMessage(100000, 1024, 4), each.options);
        EXPECT_EQ(run.result.status, 2) << each.options << ": " << run.result.output;
        EXPECT_NE(run.result.output.find(each.place), std::string::npos) << run.result.output;
    }
}
