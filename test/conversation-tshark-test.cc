// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What our NICs write as pcap is, to tshark, RoCEv2: every verb and service, over IPv4, IPv6
 * and VLANs, at each path MTU.
 *
 * Each test captures a conversation at host 0 and compares each packet with what the standard says
 * it must be. The ICRC, which tshark does not check, is computed here once more.
 */

#include "pcap-file.h"
#include "tshark.h"
#include "verbs-fixture.h"
#include "wire-bytes.h"

#include <algorithm>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint32_t VLAN = 291;
constexpr uint32_t DATA_CLASS = 3;
constexpr uint32_t CONTROL_CLASS = 6;
constexpr uint32_t IMMEDIATE = 0x01020304;
constexpr uint32_t QKEY = 0x11111111;
constexpr uint32_t FIRST_PSN = 0xfffff0; // wraps on the way

struct Setting
{
    uint32_t mtu;
    bool ipv6;
    bool vlan;
};

/// What a packet of the capture must be.
struct Expected
{
    uint32_t opcode;
    uint32_t psn;
    uint32_t destQp;
    uint64_t payload;
    uint64_t extension; ///< bytes between BTH and payload
    bool asks;
    int64_t msn;       ///< of an AETH; -1: it has none
    int64_t dmaLength; ///< of a RETH; -1: it has none
    bool immediate;
    uint32_t sourceQp; ///< in a DETH
};

/// A capture of one conversation, and what must be in it.
class Conversation
{
  public:
    explicit Conversation(const Setting& setting)
        : m_setting(setting),
          m_fixture(new VerbsFixture(setting.mtu)),
          m_file({})
    {
        if (setting.vlan)
        {
            m_fixture->fabric.SetDeviceAttribute("VlanId", UintegerValue(VLAN));
        }
        m_fixture->Build();
        m_fixture->fabric.EnablePcap(m_file.Path(), m_fixture->Port(0), true, true);
    }

    /// Runs all operations of a service. @param type it
    void Run(QpType type)
    {
        auto configure = [&](Ptr<QueuePair> qp) {
            qp->SetAttribute("Ipv6", BooleanValue(m_setting.ipv6));
            qp->SetAttribute("InitialPsn", UintegerValue(FIRST_PSN));
        };
        m_type = type;
        m_sent = 0;
        m_msn = 0;
        m_fixture->MakeEnd(1); // so that both sides' numbers differ
        m_link = {m_fixture->MakeEnd(0, type, configure), m_fixture->MakeEnd(1, type, configure)};
        if (type == QpType::UD)
        {
            for (const auto& end : {m_link.a, m_link.b})
            {
                for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
                {
                    ASSERT_EQ(end->qp->Modify(state), ModifyResult::MODIFIED);
                }
            }
        }
        else
        {
            QueuePair::Connect(m_link.a->qp, m_link.b->qp);
        }
        using O = RdmaOperation;
        std::vector<O> operations{O::SEND, O::SEND_WITH_IMM};
        if (type != QpType::UD)
        {
            operations.insert(operations.end(), {O::WRITE, O::WRITE_WITH_IMM});
        }
        if (type == QpType::RC)
        {
            operations.insert(operations.end(),
                              {O::SEND_WITH_INVALIDATE, O::READ, O::COMPARE_SWAP, O::FETCH_ADD});
        }
        uint64_t mtu = m_setting.mtu;
        for (O operation : operations)
        {
            std::vector<uint64_t> sizes{0, 1, mtu - 1, mtu};
            if (type != QpType::UD)
            {
                sizes.insert(sizes.end(), {mtu + 1, 3 * mtu + 5});
            }
            for (uint64_t count : IsAtomic(operation) ? std::vector<uint64_t>{8} : sizes)
            {
                RunOne(operation, count);
            }
        }
    }

    /// Compares the capture with what is expected.
    void Check()
    {
        m_link = {};
        m_fixture.reset(); // closes the file
        std::vector<tshark::Row> rows = tshark::Read(m_file.Path(),
                                                     {"_ws.col.Protocol",
                                                      "_ws.malformed",
                                                      "_ws.expert.message",
                                                      "frame.len",
                                                      "ip.src",
                                                      "ipv6.src",
                                                      "vlan.id",
                                                      "vlan.priority",
                                                      "udp.dstport",
                                                      "infiniband.bth.opcode",
                                                      "infiniband.bth.psn",
                                                      "infiniband.bth.destqp",
                                                      "infiniband.bth.padcnt",
                                                      "infiniband.bth.a",
                                                      "infiniband.bth.p_key",
                                                      "infiniband.aeth.syndrome",
                                                      "infiniband.aeth.msn",
                                                      "infiniband.reth.dmalen",
                                                      "infiniband.immdt",
                                                      "infiniband.deth.q_key",
                                                      "infiniband.deth.srcqp"});
        ASSERT_EQ(rows.size(), m_expected.size());
        for (size_t i = 0; i < rows.size(); ++i)
        {
            SCOPED_TRACE("packet " + std::to_string(i + 1));
            CheckPacket(rows[i], m_expected[i]);
        }
        std::vector<pcap::Bytes> frames = pcap::Read(m_file.Path());
        ASSERT_EQ(frames.size(), m_expected.size());
        for (const pcap::Bytes& frame : frames)
        {
            CheckIcrc(frame);
        }
    }

  private:
    void RunOne(RdmaOperation operation, uint64_t count)
    {
        SendWorkRequest request = VerbsFixture::Request(m_link, operation, count);
        request.immediate = IMMEDIATE;
        m_link.a->Fill(0, Pattern(count, 3));
        m_link.b->Fill(0, Pattern(count, 4));
        if (operation == RdmaOperation::SEND_WITH_INVALIDATE)
        {
            request.invalidateKey =
                m_link.b->domain->Register(0x100, 8, REMOTE_READ)->GetRemoteKey();
        }
        if (m_type == QpType::UD)
        {
            QpRemote remote = m_link.b->qp->GetLocal();
            request.path = m_link.a->qp->CreateAddressHandle(remote.address, remote.mac);
            request.remoteQp = remote.qpNumber;
            request.qkey = QKEY;
        }
        if (IsSend(operation) || operation == RdmaOperation::WRITE_WITH_IMM)
        {
            ASSERT_EQ(m_link.b->qp->PostReceive({0, count + 40, {}}), PostResult::POSTED);
        }
        ASSERT_EQ(m_link.a->qp->PostSend(request), PostResult::POSTED);
        m_fixture->Run();
        ASSERT_EQ(m_link.a->done.back().wc.status, WcStatus::SUCCESS);
        ++m_msn;
        Expect(operation, count);
    }

    /// @param operation of a message @param count its bytes: its packets, and the answers'
    void Expect(RdmaOperation operation, uint64_t count)
    {
        uint64_t frames = std::max<uint64_t>(1, (count + m_setting.mtu - 1) / m_setting.mtu);
        uint32_t service = m_type == QpType::RC ? 0 : m_type == QpType::UC ? 0x20 : 0x60;
        auto length = static_cast<int64_t>(count);
        uint32_t a = m_link.a->qp->GetNumber();
        uint32_t b = m_link.b->qp->GetNumber();
        uint32_t first = FIRST_PSN + m_sent;
        m_sent += frames;
        if (IsAtomic(operation))
        {
            uint32_t opcode = operation == RdmaOperation::COMPARE_SWAP ? 0x13 : 0x14;
            m_expected.push_back({opcode, first, b, 0, 28, true, -1, -1, false, a});
            m_expected.push_back({0x12, first, a, 0, 12, false, m_msn, -1, false, b});
            return;
        }
        bool read = operation == RdmaOperation::READ;
        if (read)
        {
            m_expected.push_back({0x0c, first, b, 0, 16, true, -1, length, false, a});
        }
        for (uint64_t i = 0; i < frames; ++i)
        {
            bool starts = i == 0;
            bool ends = i + 1 == frames;
            uint64_t payload = std::min<uint64_t>(m_setting.mtu, count - i * m_setting.mtu);
            if (read)
            {
                uint32_t opcode = starts ? (ends ? 0x10 : 0x0d) : ends ? 0x0f : 0x0e;
                bool aeth = starts || ends;
                m_expected.push_back({opcode,
                                      first + static_cast<uint32_t>(i),
                                      a,
                                      payload,
                                      aeth ? 4u : 0u,
                                      false,
                                      aeth ? m_msn : -1,
                                      -1,
                                      false,
                                      b});
                continue;
            }
            bool write = !IsSend(operation);
            bool immediate = ends && (operation == RdmaOperation::SEND_WITH_IMM ||
                                      operation == RdmaOperation::WRITE_WITH_IMM);
            bool invalidate = ends && operation == RdmaOperation::SEND_WITH_INVALIDATE;
            // IBA vol. 1, table "OpCode field": First, Middle, Last, Last with Immediate, Only,
            // Only with Immediate; SENDs from 0 on, WRITEs from 6 on.
            uint32_t opcode = invalidate       ? (starts ? 0x17 : 0x16)
                              : starts && ends ? (immediate ? 5 : 4)
                              : starts         ? 0
                              : ends           ? (immediate ? 3 : 2)
                                               : 1;
            opcode += write ? 6 : 0;
            bool reth = write && starts;
            bool deth = m_type == QpType::UD;
            uint64_t extension =
                (deth ? 8 : 0) + (reth ? 16 : 0) + (immediate ? 4 : 0) + (invalidate ? 4 : 0);
            m_expected.push_back({service + opcode,
                                  first + static_cast<uint32_t>(i),
                                  b,
                                  payload,
                                  extension,
                                  ends && m_type == QpType::RC,
                                  -1,
                                  reth ? length : -1,
                                  immediate,
                                  a});
        }
        if (m_type == QpType::RC && !read)
        {
            uint32_t last = first + static_cast<uint32_t>(frames) - 1;
            m_expected.push_back({0x11, last, a, 0, 4, false, m_msn, -1, false, b});
        }
    }

    void CheckPacket(const tshark::Row& row, const Expected& e) const
    {
        auto number = [&](const char* field) { return tshark::ToNumber(row.at(field)); };
        ASSERT_EQ(row.at("_ws.col.Protocol"), "RRoCE");
        EXPECT_EQ(row.at("_ws.malformed"), "");
        EXPECT_EQ(row.at("_ws.expert.message"), "") << "neither error nor warning";
        EXPECT_EQ(number("udp.dstport"), 4791u);
        EXPECT_NE(row.at(m_setting.ipv6 ? "ipv6.src" : "ip.src"), "");
        EXPECT_EQ(row.at(m_setting.ipv6 ? "ip.src" : "ipv6.src"), "");
        ASSERT_EQ(number("infiniband.bth.opcode"), e.opcode);
        EXPECT_EQ(number("infiniband.bth.psn"), e.psn & 0xffffff);
        EXPECT_EQ(number("infiniband.bth.destqp"), e.destQp);
        EXPECT_EQ(number("infiniband.bth.a"), e.asks);
        EXPECT_EQ(number("infiniband.bth.p_key"), 0xffffu);
        uint64_t pad = (4 - e.payload % 4) % 4;
        EXPECT_EQ(number("infiniband.bth.padcnt"), pad);
        // Without FCS; Ethernet's shortest frame has 60 bytes then.
        uint64_t size = 14 + (m_setting.vlan ? 4 : 0) + (m_setting.ipv6 ? 40 : 20) + 8 + 12 +
                        e.extension + e.payload + pad + 4;
        EXPECT_EQ(number("frame.len"), std::max<uint64_t>(size, 60));
        bool vlan = m_setting.vlan;
        EXPECT_EQ(row.at("vlan.id"), vlan ? std::to_string(VLAN) : "");
        bool control = e.opcode == 0x11;
        EXPECT_EQ(row.at("vlan.priority"),
                  vlan ? std::to_string(control ? CONTROL_CLASS : DATA_CLASS) : "");
        constexpr uint64_t NO_CREDITS = 31;
        EXPECT_EQ(row.at("infiniband.aeth.msn").empty(), e.msn < 0);
        if (e.msn >= 0 && !row.at("infiniband.aeth.msn").empty())
        {
            EXPECT_EQ(number("infiniband.aeth.msn"), static_cast<uint64_t>(e.msn));
            EXPECT_EQ(number("infiniband.aeth.syndrome"), NO_CREDITS);
        }
        EXPECT_EQ(row.at("infiniband.reth.dmalen").empty(), e.dmaLength < 0);
        if (e.dmaLength >= 0)
        {
            EXPECT_EQ(number("infiniband.reth.dmalen"), static_cast<uint64_t>(e.dmaLength));
        }
        EXPECT_EQ(row.at("infiniband.immdt").substr(0, 8), e.immediate ? "01020304" : "");
        EXPECT_EQ(row.at("infiniband.deth.srcqp").empty(), e.opcode < 0x60);
        if (e.opcode >= 0x60)
        {
            EXPECT_EQ(number("infiniband.deth.srcqp"), e.sourceQp);
            EXPECT_EQ(number("infiniband.deth.q_key"), QKEY);
        }
    }

    void CheckIcrc(const pcap::Bytes& frame) const
    {
        size_t ip = m_setting.vlan ? 18 : 14;
        // Without Ethernet's padding of short frames: IP says how long it is.
        size_t length = m_setting.ipv6 ? 40 + wire_test::BigEndian16(frame, ip + 4)
                                       : wire_test::BigEndian16(frame, ip + 2);
        ASSERT_LE(ip + length, frame.size());
        auto begin = frame.begin() + static_cast<std::ptrdiff_t>(ip);
        wire_test::Bytes packet(begin, begin + static_cast<std::ptrdiff_t>(length));
        uint32_t icrc = wire_test::IcrcAtEnd(packet);
        packet.resize(packet.size() - 4);
        EXPECT_EQ(icrc, wire_test::SlowIcrc(packet));
    }

    Setting m_setting;
    std::unique_ptr<VerbsFixture> m_fixture;
    tshark::TemporaryCapture m_file;
    QpType m_type{QpType::RC};
    Link m_link;
    std::vector<Expected> m_expected;
    uint32_t m_sent{0}; ///< PSNs of the present pair
    int64_t m_msn{0};
};

class TsharkConversation : public testing::TestWithParam<Setting>
{
};

TEST_P(TsharkConversation, IsRoceToTheLastByte)
{
    if (!tshark::IsInstalled())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    Conversation conversation(GetParam());
    for (QpType type : {QpType::RC, QpType::UC, QpType::UD})
    {
        conversation.Run(type);
    }
    conversation.Check();
}

std::vector<Setting>
Settings()
{
    std::vector<Setting> all;
    for (uint32_t mtu : {256, 512, 1024, 2048, 4096})
    {
        for (bool ipv6 : {false, true})
        {
            for (bool vlan : {false, true})
            {
                all.push_back({mtu, ipv6, vlan});
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Of,
                         TsharkConversation,
                         testing::ValuesIn(Settings()),
                         [](const testing::TestParamInfo<Setting>& info) {
                             return std::to_string(info.param.mtu) +
                                    (info.param.ipv6 ? "_IPv6" : "_IPv4") +
                                    (info.param.vlan ? "_VLAN" : "");
                         });

TEST(TsharkRecovery, HasNothingMalformed)
{
    // A lost frame: NAK, repetition; a receiver that is not ready: RNR NAK, repetition; a bad key:
    // NAK, and a CNP for a marked frame would look the same as in the wire tests.
    if (!tshark::IsInstalled())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    tshark::TemporaryCapture file({});
    {
        VerbsFixture f(1024);
        f.Build();
        f.fabric.EnablePcap(file.Path(), f.Port(0), true, true);
        Link link = f.MakeLink();
        bool lost = false;
        f.Lose(1, [&](const FabricFrame& frame) {
            bool lose = !lost && frame.payloadBytes > 0 && frame.psn == 1;
            lost |= lose;
            return lose;
        });
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 4096)),
                  PostResult::POSTED);
        f.Run();
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 8)),
                  PostResult::POSTED);
        Simulator::Schedule(MicroSeconds(5), [&] {
            ASSERT_EQ(link.b->qp->PostReceive({1, 8, {}}), PostResult::POSTED);
        });
        f.Run();
        SendWorkRequest bad = VerbsFixture::Request(link, RdmaOperation::WRITE, 8);
        bad.remoteKey ^= 0x100;
        ASSERT_EQ(link.a->qp->PostSend(bad), PostResult::POSTED);
        f.Run();
    }
    EXPECT_EQ(tshark::Errors(file.Path()), std::vector<std::string>{});
    std::vector<std::string> seen;
    for (const tshark::Row& row :
         tshark::Read(file.Path(),
                      {"infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.aeth.syndrome"}))
    {
        seen.push_back(row.at("infiniband.bth.opcode") + " " + row.at("infiniband.bth.psn") + " " +
                       row.at("infiniband.aeth.syndrome"));
    }
    // Opcode, PSN, syndrome. 0x60: NAK, PSN sequence error; 0x21: RNR NAK of 10 us; 0x62: NAK,
    // remote access error.
    EXPECT_EQ(seen,
              (std::vector<std::string>{"6 0 ",
                                        "7 1 ",
                                        "7 2 ",
                                        "8 3 ",
                                        "17 1 96",
                                        "7 1 ",
                                        "7 2 ",
                                        "8 3 ",
                                        "17 1 31",
                                        "17 3 31",
                                        "4 4 ",
                                        "17 4 33",
                                        "4 4 ",
                                        "17 4 31",
                                        "10 5 ",
                                        "17 5 98"}));
}

} // namespace
