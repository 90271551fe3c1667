// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Frames of every opcode as tshark reads them: right protocol, nothing malformed, no
 * expert's error, and each field with the value that the frame has.
 */

#include "tshark.h"
#include "wire-bytes.h"
#include "wire-frames.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace wire_test;

namespace
{

/// Skips the test where there is no tshark.
class Tshark : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        if (!tshark::IsInstalled())
        {
            GTEST_SKIP() << "tshark is not installed";
        }
    }
};

/// What tshark should print of a frame: name and number of a field. Values of our own frames, whose
/// bytes wire-vector-test.cc holds against the standards.
class ExpectedFields
{
  public:
    /// @param f the frame
    explicit ExpectedFields(const FabricFrame& f)
    {
        AddUnderlay(f);
        AddBth(f);
        AddExtensions(f);
    }

    /// @param row what tshark has printed
    void Compare(const tshark::Row& row) const
    {
        for (const auto& [name, text] : row)
        {
            auto field = m_fields.find(name);
            if (field == m_fields.end())
            {
                EXPECT_EQ(text, "") << name;
            }
            else if (text.empty())
            {
                ADD_FAILURE() << name << " is not there, expected " << field->second;
            }
            else
            {
                EXPECT_EQ(tshark::ToNumber(IsHex(name) ? "0x" + text : text), field->second)
                    << name;
            }
        }
    }

    /// @return names of all fields that a frame can have
    static std::vector<std::string> Names()
    {
        return {"frame.len",
                "vlan.priority",
                "vlan.dei",
                "vlan.id",
                "ip.len",
                "ip.ttl",
                "ip.id",
                "ip.dsfield.dscp",
                "ip.dsfield.ecn",
                "ipv6.plen",
                "ipv6.hlim",
                "ipv6.flow",
                "ipv6.tclass.dscp",
                "ipv6.tclass.ecn",
                "udp.srcport",
                "udp.length",
                "infiniband.bth.opcode",
                "infiniband.bth.se",
                "infiniband.bth.m",
                "infiniband.bth.padcnt",
                "infiniband.bth.p_key",
                "infiniband.bth.destqp",
                "infiniband.bth.a",
                "infiniband.bth.psn",
                "infiniband.deth.q_key",
                "infiniband.deth.srcqp",
                "infiniband.reth.va",
                "infiniband.reth.r_key",
                "infiniband.reth.dmalen",
                "infiniband.atomiceth.swapdt",
                "infiniband.atomiceth.cmpdt",
                "infiniband.aeth.syndrome",
                "infiniband.aeth.msn",
                "infiniband.atomicacketh.origremdt",
                "infiniband.immdt",
                "infiniband.ieth",
                "data.len"};
    }

  private:
    /// @param name of a field @return whether tshark prints it as hexadecimal digits alone
    static bool IsHex(const std::string& name)
    {
        return name == "infiniband.immdt" || name == "infiniband.ieth";
    }

    void AddUnderlay(const FabricFrame& f)
    {
        m_fields["frame.len"] = f.sizeBytes - 4;
        uint32_t ip = f.sizeBytes - 18 - (f.vlanTagged ? 4 : 0); // Ethernet and FCS
        if (f.sizeBytes == 64)                                   // perhaps padded
        {
            ip = f.ToIpPacket()->GetSize();
        }
        if (f.vlanTagged)
        {
            m_fields["vlan.priority"] = f.trafficClass;
            m_fields["vlan.dei"] = (f.vlanTci >> 12) & 1;
            m_fields["vlan.id"] = f.vlanTci & 0xfff;
        }
        if (f.ipv6)
        {
            m_fields["ipv6.plen"] = ip - 40;
            m_fields["ipv6.hlim"] = f.ttl;
            m_fields["ipv6.flow"] = f.ipv6FlowLabel;
            m_fields["ipv6.tclass.dscp"] = f.dscp;
            m_fields["ipv6.tclass.ecn"] = static_cast<uint8_t>(f.ecn);
        }
        else
        {
            m_fields["ip.len"] = ip;
            m_fields["ip.ttl"] = f.ttl;
            m_fields["ip.id"] = f.ipId;
            m_fields["ip.dsfield.dscp"] = f.dscp;
            m_fields["ip.dsfield.ecn"] = static_cast<uint8_t>(f.ecn);
        }
        m_fields["udp.srcport"] = f.udpSourcePort;
        m_fields["udp.length"] = ip - (f.ipv6 ? 40 : 20);
    }

    void AddBth(const FabricFrame& f)
    {
        m_fields["infiniband.bth.opcode"] = static_cast<uint8_t>(f.opcode);
        m_fields["infiniband.bth.se"] = f.solicited;
        m_fields["infiniband.bth.m"] = f.migrated;
        m_fields["infiniband.bth.padcnt"] = (4 - f.payloadBytes % 4) % 4;
        m_fields["infiniband.bth.p_key"] = f.pkey;
        m_fields["infiniband.bth.destqp"] = f.destQp;
        m_fields["infiniband.bth.a"] = f.ackRequest;
        m_fields["infiniband.bth.psn"] = f.psn;
    }

    void AddExtensions(const FabricFrame& f)
    {
        RdmaOpcodeTraits t = GetOpcodeTraits(f.opcode);
        if (GetService(f.opcode) == RdmaService::SR)
        {
            return; // ours: tshark shows what follows BTH as one block
        }
        if (t.hasDeth)
        {
            m_fields["infiniband.deth.q_key"] = f.qkey;
            m_fields["infiniband.deth.srcqp"] = f.srcQp;
        }
        if (t.hasReth || t.hasAtomicEth) // tshark gives both headers' addresses the same names
        {
            m_fields["infiniband.reth.va"] = f.remoteAddress;
            m_fields["infiniband.reth.r_key"] = f.remoteKey;
        }
        if (t.hasReth)
        {
            m_fields["infiniband.reth.dmalen"] = f.dmaLength;
        }
        if (t.hasAtomicEth)
        {
            m_fields["infiniband.atomiceth.swapdt"] = f.atomicData;
            m_fields["infiniband.atomiceth.cmpdt"] = f.atomicCompare;
        }
        if (t.hasAeth)
        {
            m_fields["infiniband.aeth.syndrome"] = f.syndrome;
            m_fields["infiniband.aeth.msn"] = f.msn;
        }
        if (t.hasAtomicAckEth)
        {
            m_fields["infiniband.atomicacketh.origremdt"] = f.atomicData;
        }
        if (t.hasImmediate)
        {
            m_fields["infiniband.immdt"] = f.immediate;
        }
        if (t.hasInvalidate)
        {
            m_fields["infiniband.ieth"] = f.remoteKey;
        }
        if (f.payloadBytes > 0)
        {
            m_fields["data.len"] = (f.payloadBytes + 3) / 4 * 4; // tshark counts the pad
        }
    }

    std::map<std::string, uint64_t> m_fields;
};

/// @param bytes how many @return a payload that looks like no protocol that tshark may guess
Ptr<Packet>
Payload(uint32_t bytes)
{
    return bytes ? PacketOf(Bytes(bytes, 0xff)) : nullptr;
}

/// Writes the frames and lets tshark read them. @param frames in order
void
CheckWithTshark(const std::vector<FramePtr>& frames)
{
    std::vector<pcap::Bytes> images;
    for (const FramePtr& frame : frames)
    {
        images.push_back(BytesOf(frame->ToPacket()));
    }
    tshark::TemporaryCapture capture(images);
    EXPECT_EQ(tshark::Errors(capture.Path()), std::vector<std::string>{});
    EXPECT_EQ(tshark::Read(capture.Path(), {"frame.number"}, "infiniband").size(), frames.size());
    std::vector<tshark::Row> rows = tshark::Read(capture.Path(), ExpectedFields::Names());
    ASSERT_EQ(rows.size(), frames.size());
    for (size_t i = 0; i < frames.size(); ++i)
    {
        std::ostringstream name;
        name << "opcode " << +static_cast<uint8_t>(frames[i]->opcode) << ", payload "
             << frames[i]->payloadBytes << ", IPv" << (frames[i]->ipv6 ? 6 : 4)
             << (frames[i]->vlanTagged ? ", tagged" : "");
        SCOPED_TRACE(name.str());
        ExpectedFields(*frames[i]).Compare(rows[i]);
    }
}

TEST_F(Tshark, EveryOpcodeOverEveryUnderlay)
{
    std::vector<FramePtr> frames;
    for (const OpcodeSize& o : OPCODES)
    {
        for (const Underlay& underlay : UNDERLAYS)
        {
            for (uint32_t payload : {0, 1, 2, 3, 4, 255, 256, 1023, 1024, 2048, 4095, 4096})
            {
                if (payload == 0 || o.payload)
                {
                    FramePtr f = MakeRoce(o, payload, underlay);
                    f->payload = Payload(f->payloadBytes);
                    frames.push_back(f);
                }
            }
        }
    }
    CheckWithTshark(frames);
}

TEST_F(Tshark, EveryPayloadSize)
{
    std::vector<FramePtr> frames;
    for (uint32_t payload = 0; payload <= 4096; ++payload)
    {
        frames.push_back(MakeRoce(OPCODES[payload % 12], payload, UNDERLAYS[payload % 4]));
    }
    CheckWithTshark(frames);
}

TEST_F(Tshark, EverySyndrome)
{
    std::vector<FramePtr> frames;
    for (int syndrome = 0; syndrome < 128; ++syndrome)
    {
        FramePtr f = MakeRoce(OPCODES[17], 0);
        ASSERT_EQ(f->opcode, RdmaOpcode::RC_ACK);
        f->syndrome = static_cast<uint8_t>(syndrome);
        frames.push_back(f);
    }
    CheckWithTshark(frames);
}

TEST_F(Tshark, PfcFrames)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PFC;
    f->pauseClasses = 0x88;
    f->pauseQuanta = {0, 0, 0, 100, 0, 0, 0, 65535};
    tshark::TemporaryCapture capture({BytesOf(f->ToPacket())});
    std::vector<tshark::Row> rows = tshark::Read(capture.Path(),
                                                 {"macc.opcode",
                                                  "macc.cbfc.enbv",
                                                  "macc.cbfc.pause_time.c3",
                                                  "macc.cbfc.pause_time.c7",
                                                  "frame.len"});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.opcode"]), 257u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.cbfc.enbv"]), 136u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.cbfc.pause_time.c3"]), 100u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.cbfc.pause_time.c7"]), 65535u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["frame.len"]), 60u);
    EXPECT_EQ(tshark::Errors(capture.Path()), std::vector<std::string>{});
}

TEST_F(Tshark, PauseOfTheLink)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PAUSE;
    f->pauseQuanta[0] = 513;
    tshark::TemporaryCapture capture({BytesOf(f->ToPacket())});
    std::vector<tshark::Row> rows =
        tshark::Read(capture.Path(), {"macc.opcode", "macc.pause_time", "frame.len"});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.opcode"]), 1u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["macc.pause_time"]), 513u);
    EXPECT_EQ(tshark::ToNumber(rows[0]["frame.len"]), 60u);
    EXPECT_EQ(tshark::Errors(capture.Path()), std::vector<std::string>{});
}

// So that "no errors" above means something.
TEST_F(Tshark, ErrorsAreSeen)
{
    Bytes image = BytesOf(MakeRoce(OPCODES[6], 0)->ToPacket());
    image.resize(14 + 20 + 8 + 12 + 8); // in the middle of RETH
    image[17] = static_cast<uint8_t>(image.size() - 14);
    image[39] = static_cast<uint8_t>(image.size() - 34);
    tshark::TemporaryCapture capture({image});
    EXPECT_EQ(tshark::Errors(capture.Path()).size(), 1u);
}

} // namespace
