// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief NCCL's topology files, the XML reader below them, and the orders that are found on what
 * they describe.
 */

#include "ns3/channel-search.h"
#include "ns3/nccl-topology.h"
#include "ns3/nccl-tuner.h"
#include "ns3/ring-order.h"
#include "ns3/string.h"
#include "ns3/xml-document.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

NcclTopology
ReadExample(const std::string& name)
{
    return ReadNcclTopology(std::string(AI_FABRIC_SOURCE_DIR) + "/examples/nccl/" + name + ".xml");
}

/// @param read what should fail @return its message; empty if it did not fail
template <typename Function>
std::string
MessageOf(Function read)
{
    try
    {
        read();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

std::string
XmlError(const std::string& text)
{
    return MessageOf([&] { ParseXml(text, "a.xml"); });
}

std::string
TopologyError(const std::string& text)
{
    return MessageOf([&] { ParseNcclTopology(text, "t.xml"); });
}

/// A server without switches of any kind: GPUs with links between pairs.
ServerGraph
MakeMesh(const std::vector<std::vector<double>>& gbps)
{
    ServerGraph graph;
    graph.switched = false;
    graph.gpuGBps = gbps;
    for (uint32_t a = 0; a < gbps.size(); a++)
    {
        graph.gpuPaths.emplace_back();
        for (uint32_t b = 0; b < gbps.size(); b++)
        {
            bool joined = a == b || gbps[a][b] > 0;
            graph.gpuPaths.back().push_back(joined ? ServerPath::NVL : ServerPath::PHB);
        }
        graph.nicPaths.emplace_back(1, ServerPath::PIX);
    }
    return graph;
}

using Order = std::vector<uint32_t>;

} // namespace

// ------------------------------------------------------------------------------------------ XML

TEST(XmlDocument, ReadsElementsWithTheirLines)
{
    XmlElement root = ParseXml("<?xml version=\"1.0\"?>\n<!-- a -->\n<a x='1' y=\"2 &lt; 3\">\n"
                               " <b/>text &amp; more\n <b n=\"-0x10\" r=\"2.5\"></b>\n</a>\n",
                               "a.xml");
    EXPECT_EQ(root.name, "a");
    EXPECT_EQ(root.line, 3);
    EXPECT_EQ(root.Get("x"), "1");
    EXPECT_EQ(root.Get("y"), "2 < 3");
    EXPECT_EQ(root.text, "text & more");
    ASSERT_EQ(root.children.size(), 2);
    EXPECT_EQ(root.children[1].line, 5);
    EXPECT_EQ(root.children[1].GetInteger("n", -20, 20), -16);
    EXPECT_EQ(root.children[1].GetInteger("absent", 0, 20, 7), 7);
    EXPECT_EQ(root.children[1].GetNumber("r", 0, 3), 2.5);
}

TEST(XmlDocument, RefusesWhatIsNotXml)
{
    EXPECT_EQ(XmlError(""), "a.xml:1: there is no element; expected XML");
    EXPECT_EQ(XmlError("<a>\n<b>\n</a>"), "a.xml:3: <b> of line 2 is ended by </a>; expected </b>");
    EXPECT_EQ(XmlError("<a x=1/>"), "a.xml:1: the value of \"x\" is not quoted; expected =\"...\"");
    EXPECT_NE(XmlError("<a x='1' x='2'/>").find("twice"), std::string::npos);
    EXPECT_NE(XmlError("<a/><b/>").find("outermost"), std::string::npos);
    EXPECT_NE(XmlError("<!DOCTYPE a><a/>").find("declaration"), std::string::npos);
    EXPECT_NE(XmlError("<a>&b;</a>").find("not a known entity"), std::string::npos);
    EXPECT_NE(XmlError("<a>").find("ends"), std::string::npos);
    EXPECT_NE(XmlError("<a").find("ends"), std::string::npos);
    EXPECT_NE(XmlError("<a x='<'/>").find("\"<\""), std::string::npos);
    EXPECT_NE(XmlError("<!-- <a/>").find("a comment has no end"), std::string::npos);
    std::string deep;
    for (int i = 0; i < 100000; i++)
    {
        deep += "<a>";
    }
    EXPECT_NE(XmlError(deep).find("too deep"), std::string::npos);
    XmlElement a = ParseXml("<a x='12k'/>", "a.xml");
    EXPECT_EQ(MessageOf([&] { a.GetInteger("x", 0, 9); }),
              "a.xml:1: a.x: \"12k\" is not such a number; expected a whole number from 0 to 9");
    EXPECT_EQ(MessageOf([&] { a.Get("y"); }), "a.xml:1: a: <a> has no attribute \"y\"");
    EXPECT_NE(MessageOf([&] { a.RejectOtherAttributes({"xx"}); }).find("\"xx\""),
              std::string::npos);
    EXPECT_NE(MessageOf([] { ReadXml("/absent.xml"); }).find("cannot be read"), std::string::npos);
}

// ------------------------------------------------------------------------------------- topology

TEST(NcclTopology, ReadsAnHgxServer)
{
    NcclTopology server = ReadExample("hgx-h100-like");
    ASSERT_EQ(server.gpus.size(), 8);
    ASSERT_EQ(server.nets.size(), 8);
    ASSERT_EQ(server.cpus.size(), 2);
    EXPECT_EQ(server.gpus[3].CountLinks(), 18);
    EXPECT_EQ(server.gpus[3].pcieGBps, 48); // 16 lanes of 32 GT/s, as NCCL counts
    EXPECT_EQ(server.nets[7].gbps, 50);
    EXPECT_EQ(server.nets[7].name, "mlx5_7");
    EXPECT_TRUE(server.nets[7].gpuDirect);

    CollectivePlatform platform = server.MakePlatform();
    EXPECT_EQ(platform.computeCapability, 90);
    EXPECT_EQ(platform.scaleUpLinks, 18);
    EXPECT_EQ(platform.scaleUpGBps, 450);
    EXPECT_TRUE(platform.hasSwitch);
    EXPECT_TRUE(platform.hasInSwitchReduction);
    EXPECT_EQ(platform.nicsPerGroup, 8);
    EXPECT_EQ(platform.nicGBps, 50);
    EXPECT_EQ(platform.cpuVendor, "intel");

    const PcieTree& tree = *server.tree;
    EXPECT_EQ(tree.GetPathKind(tree.GetGpu(2), tree.GetNic(2)), PcieTree::PIX);
    EXPECT_EQ(tree.GetPathKind(tree.GetGpu(2), tree.GetNic(3)), PcieTree::PHB);
    EXPECT_EQ(tree.GetPathKind(tree.GetGpu(2), tree.GetNic(4)), PcieTree::SYS);
    EXPECT_EQ(tree.GetNearestNic(5), 5);

    // The tuner finds the channels of an H100 server: 8 of 45 GB/s between two of them.
    auto tuner = CreateObject<NcclTuner>();
    RankLayout layout = RankLayout::Regular(2, 8);
    layout.SetInSwitchReduction(true);
    EXPECT_EQ(tuner->FindGraphs(layout, platform).ring.channels, 8);
    EXPECT_EQ(tuner->FindGraphs(layout, platform).ringChannels, 16);
}

TEST(NcclTopology, ReadsAServerWhoseGpusShareSwitches)
{
    NcclTopology server = ReadExample("a100-4-switches-like");
    CollectivePlatform platform = server.MakePlatform();
    EXPECT_EQ(platform.cpuVendor, "amd");
    EXPECT_EQ(platform.nicsPerGroup, 16);
    EXPECT_EQ(platform.nicGBps, 12.5);
    EXPECT_FALSE(platform.hasInSwitchReduction);
    ServerGraph graph = server.MakeServerGraph();
    EXPECT_EQ(graph.nicPaths[0][0], ServerPath::PIX);
    EXPECT_EQ(graph.nicPaths[1][0], ServerPath::PIX); // the same switch
    EXPECT_EQ(graph.nicPaths[2][0], ServerPath::PHB);
    EXPECT_EQ(graph.nicPaths[4][0], ServerPath::SYS);
    EXPECT_EQ(graph.gpuPaths[0][7], ServerPath::NVL);
    EXPECT_EQ(graph.gpuGBps[0][7], 300);
}

TEST(NcclTopology, ReadsDirectLinksAndSharedCards)
{
    const std::string text =
        "<system><cpu numaid='0' arch='arm64'>\n"
        "<pci busid='a' link_speed='' link_width=''><gpu dev='1' sm='80'>"
        "<nvlink target='b' count='4'/></gpu></pci>\n"
        "<pci busid='b' link_speed='16.0 GT/s PCIe' link_width='8'><gpu dev='0' sm='80'>"
        "<nvlink target='a' count='4'/></gpu></pci>\n"
        "<pci busid='c' link_speed='32 GT/s' link_width='16'><nic>"
        "<net name='n0' dev='0' speed='200000' latency='1.5'/>"
        "<net name='n1' dev='1' speed='-1'/><net name='unused'/></nic></pci>\n"
        "</cpu></system>";
    NcclTopology server = ParseNcclTopology(text, "t.xml");
    ASSERT_EQ(server.gpus.size(), 2);
    EXPECT_EQ(server.gpus[0].busId, "b");   // by device
    EXPECT_EQ(server.gpus[0].pcieGBps, 12); // 8 of 16 lanes of 24
    EXPECT_EQ(server.gpus[1].pcieGBps, 12); // not known: generation 3
    ASSERT_EQ(server.nets.size(), 2);
    EXPECT_EQ(server.nets[0].gbps, 25);
    EXPECT_EQ(server.nets[0].latencyUs, 1.5);
    EXPECT_EQ(server.nets[1].gbps, 1.25); // not known: 10 Gb/s
    CollectivePlatform platform = server.MakePlatform();
    EXPECT_FALSE(platform.hasSwitch);
    EXPECT_EQ(platform.cpuVendor, "arm");
    ServerGraph graph = server.MakeServerGraph();
    EXPECT_FALSE(graph.switched);
    EXPECT_EQ(graph.gpuGBps[0][1], 100);
}

TEST(NcclTopology, SaysWhereAFileIsWrong)
{
    auto wrap = [](const std::string& inner) {
        return "<system>\n<cpu numaid='0' arch='x86_64' vendor='GenuineIntel'>\n" + inner +
               "\n</cpu></system>";
    };
    const std::string gpu = "<pci busid='a'><gpu dev='0' sm='90'/></pci>";
    EXPECT_EQ(TopologyError(wrap(gpu)), "");
    EXPECT_EQ(TopologyError("<graphs/>"), "t.xml:1: graphs: <graphs>; expected <system>");
    EXPECT_EQ(TopologyError(wrap("")), "t.xml:1: system: there is no <gpu>; expected at least one");
    EXPECT_EQ(TopologyError(wrap("<pci><gpu/></pci>")),
              "t.xml:3: pci: <pci> has no attribute \"busid\"");
    EXPECT_EQ(TopologyError(wrap(gpu + "\n<pci busid='a'/>")),
              "t.xml:4: pci.busid: \"a\" for a second time");
    EXPECT_EQ(TopologyError(wrap(gpu + "\n<pci busid='b'><gpu dev='0' sm='90'/></pci>")),
              "t.xml:4: gpu.dev: \"0\" for a second time");
    EXPECT_NE(TopologyError(wrap("<pci busid='a' link_speed='fast'><gpu dev='0' sm='90'/></pci>"))
                  .find("pci.link_speed: \"fast\" is not a rate"),
              std::string::npos);
    EXPECT_NE(TopologyError(wrap("<pci busid='a' link_width='7'><gpu dev='0' sm='90'/></pci>"))
                  .find("pci.link_width"),
              std::string::npos);
    EXPECT_NE(TopologyError(wrap("<pci busid='a'><gpu dev='0' sm='90'>"
                                 "<nvlink target='z' count='1'/></gpu></pci>"))
                  .find("nvlink.target: \"z\" is not the bus id of a GPU"),
              std::string::npos);
    EXPECT_NE(TopologyError(wrap("<gpu dev='0'/>")).find("<gpu> within <cpu>"), std::string::npos);
}

// ----------------------------------------------------------------------------------- the orders

TEST(ChannelSearch, LaysRingsOfAnHgxServerAlongRails)
{
    RankLayout layout = RankLayout::Regular(2, 8);
    std::string error;
    ChannelOrders orders =
        FindChannelOrders(layout, ReadExample("hgx-h100-like").MakeServerGraph(), 8, {}, error);
    ASSERT_EQ(error, "");
    ASSERT_EQ(orders.rings.size(), 8);
    // As NCCL's logs show it for such servers: channel 0 goes 0 7 6 5 4 3 2 1, then 8 15 14 ...
    EXPECT_EQ(orders.rings[0], (Order{0, 7, 6, 5, 4, 3, 2, 1, 8, 15, 14, 13, 12, 11, 10, 9}));
    EXPECT_EQ(orders.rings[3], (Order{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12}));
    EXPECT_EQ(orders.chains[3][1], (Order{11, 12, 13, 14, 15, 8, 9, 10}));
    // Over 8 channels each GPU sends 7 times to a peer and once, by PXN, between servers.
    std::vector<uint32_t> ends(16, 0);
    for (const Order& ring : orders.rings)
    {
        ends[ring[7]]++;
        ends[ring[15]]++;
        EXPECT_EQ(std::set<uint32_t>(ring.begin(), ring.end()).size(), 16);
    }
    EXPECT_EQ(ends, std::vector<uint32_t>(16, 1));
    auto shared = std::make_shared<ChannelOrders>(orders);
    layout.SetOrders(shared);
    EXPECT_EQ(GetRingOrder(layout, 11), orders.rings[3]);
}

TEST(ChannelSearch, EndsAtTheNicWithoutPxn)
{
    ServerGraph graph = ReadExample("a100-4-switches-like").MakeServerGraph();
    RankLayout layout = RankLayout::Regular(2, 8);
    std::string error;
    ChannelOrders orders = FindChannelOrders(layout, graph, 16, {false, false}, error);
    ASSERT_EQ(error, "");
    for (uint32_t c = 0; c < 16; c++)
    {
        // First and last GPU of a server are both at the switch of NIC c.
        EXPECT_EQ(orders.rings[c][0] / 2, c / 4) << c;
        EXPECT_EQ(orders.rings[c][7] / 2, c / 4) << c;
        EXPECT_NE(orders.rings[c][0], orders.rings[c][7]) << c;
    }
    // A NIC for each GPU, at a switch of its own: no other GPU reaches it without PXN.
    FindChannelOrders(layout,
                      ReadExample("hgx-h100-like").MakeServerGraph(),
                      8,
                      {false, false},
                      error);
    EXPECT_EQ(error, "no ring of all GPUs leads from GPU 0 to NIC 0");
    // Unless rings may change their rail: then MakeRingOrder() lays them.
    orders = FindChannelOrders(layout,
                               ReadExample("hgx-h100-like").MakeServerGraph(),
                               8,
                               {false, true},
                               error);
    EXPECT_EQ(error, "");
    EXPECT_TRUE(orders.rings.empty());
    EXPECT_EQ(orders.chains.size(), 8);
}

TEST(ChannelSearch, HasOneOrderOnASwitchOfOneServer)
{
    std::string error;
    ChannelOrders orders = FindChannelOrders(RankLayout::Regular(1, 8),
                                             ServerGraph::Switched(8, 0, 450),
                                             2,
                                             {},
                                             error);
    ASSERT_EQ(error, "");
    EXPECT_EQ(orders.rings[0], (Order{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(orders.rings[1], orders.rings[0]);
}

TEST(ChannelSearch, SpreadsRingsOverTheLinksOfAMesh)
{
    // Four GPUs, a link between each two: 0 1 2 3 and the same backwards share no link in the same
    // direction. (Three such rings do not exist: the complete graph of 4 is one of two exceptions.)
    std::string error;
    ChannelOrders orders = FindChannelOrders(
        RankLayout::Regular(1, 4),
        MakeMesh({{0, 25, 25, 25}, {25, 0, 25, 25}, {25, 25, 0, 25}, {25, 25, 25, 0}}),
        2,
        {},
        error);
    ASSERT_EQ(error, "");
    std::set<std::pair<uint32_t, uint32_t>> used;
    for (const Order& ring : orders.rings)
    {
        for (uint32_t i = 0; i < 4; i++)
        {
            EXPECT_TRUE(used.insert({ring[i], ring[(i + 1) % 4]}).second);
        }
    }
    // A ring of links 0-2, 2-1, 1-3, 3-0 only: NVLink first.
    orders = FindChannelOrders(
        RankLayout::Regular(1, 4),
        MakeMesh({{0, 0, 25, 25}, {0, 0, 25, 25}, {25, 25, 0, 0}, {25, 25, 0, 0}}),
        1,
        {},
        error);
    ASSERT_EQ(error, "");
    EXPECT_EQ(orders.rings[0], (Order{0, 2, 1, 3}));
    // 0-1 and 1-2 only: the way back is by PCIe.
    orders = FindChannelOrders(RankLayout::Regular(1, 3),
                               MakeMesh({{0, 25, 0}, {25, 0, 25}, {0, 25, 0}}),
                               1,
                               {},
                               error);
    ASSERT_EQ(error, "");
    EXPECT_EQ(orders.rings[0], (Order{0, 1, 2}));
}

TEST(ChannelSearch, RefusesWhatDoesNotFit)
{
    std::string error;
    FindChannelOrders(RankLayout::Regular(2, 4), ServerGraph::Switched(8, 8, 450), 1, {}, error);
    EXPECT_EQ(error, "a group has 4 ranks, the server 8 GPUs");
    FindChannelOrders(RankLayout::Regular(2, 8), ServerGraph::Switched(8, 0, 450), 1, {}, error);
    EXPECT_EQ(error, "several groups, but no NIC");
}
