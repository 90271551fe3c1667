// SPDX-License-Identifier: GPL-2.0-only
#include "tree-order.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Parent of a node in the first tree.
uint32_t
FirstTreeParent(uint32_t node, uint32_t nodes)
{
    if (node == 0)
    {
        return RankTree::NONE;
    }
    uint64_t bit = node & -node;
    uint64_t parent = (node ^ bit) | bit << 1;
    return static_cast<uint32_t>(parent < nodes ? parent : node ^ bit);
}

/// The number in the second tree of what is a node of the first one.
uint32_t
SecondTreeNode(uint32_t node, uint32_t nodes)
{
    return nodes % 2 == 0 ? nodes - 1 - node : (node + 1) % nodes;
}

void
AddEdge(RankTree& tree, uint32_t parent, uint32_t child)
{
    tree.parent[child] = parent;
    tree.children[parent].push_back(child);
}

RankTree
MakeNodes(uint32_t nodes)
{
    RankTree tree;
    tree.parent.assign(nodes, RankTree::NONE);
    tree.children.resize(nodes);
    return tree;
}

std::vector<uint32_t>
GetChain(const RankLayout& layout, uint32_t channel, uint32_t group)
{
    std::vector<uint32_t> chain = layout.GetGroups()[group];
    const ChannelOrders* orders = layout.GetOrders();
    uint32_t number = channel / 2;
    if (orders == nullptr || orders->chains.empty())
    {
        std::rotate(chain.begin(), chain.begin() + number % chain.size(), chain.end());
        return chain;
    }
    const auto& chains = orders->chains[number % orders->chains.size()];
    bool whole =
        chains.size() == layout.GetGroups().size() &&
        std::is_permutation(chain.begin(), chain.end(), chains[group].begin(), chains[group].end());
    NS_ABORT_MSG_UNLESS(whole,
                        "The chain that was set for channel "
                            << channel << " and group " << group
                            << " does not have each of its ranks once.");
    return chains[group];
}

} // namespace

RankTree
MakeBinaryTree(uint32_t nodes, bool second)
{
    RankTree tree = MakeNodes(nodes);
    for (uint32_t node = 1; node < nodes; ++node)
    {
        uint32_t parent = FirstTreeParent(node, nodes);
        AddEdge(tree,
                second ? SecondTreeNode(parent, nodes) : parent,
                second ? SecondTreeNode(node, nodes) : node);
    }
    return tree;
}

RankTree
MakeRankTree(const RankLayout& layout, uint32_t channel)
{
    auto groups = static_cast<uint32_t>(layout.GetGroups().size());
    RankTree tree = MakeNodes(layout.GetSize());
    std::vector<std::vector<uint32_t>> chains;
    for (uint32_t group = 0; group < groups; ++group)
    {
        chains.push_back(GetChain(layout, channel, group));
        for (size_t i = 1; i < chains[group].size(); ++i)
        {
            AddEdge(tree, chains[group][i - 1], chains[group][i]);
        }
    }
    bool second = channel % 2 == 1;
    for (uint32_t node = 1; node < groups; ++node)
    {
        uint32_t parent = FirstTreeParent(node, groups);
        const auto& chain = chains[second ? SecondTreeNode(parent, groups) : parent];
        uint32_t child = chains[second ? SecondTreeNode(node, groups) : node].front();
        AddEdge(tree, node < parent && chain.size() > 1 ? chain[1] : chain[0], child);
    }
    return tree;
}

uint32_t
GetDepth(const RankTree& tree)
{
    uint32_t deepest = 0;
    for (uint32_t node : tree.parent)
    {
        uint32_t depth = 0;
        for (; node != RankTree::NONE; node = tree.parent[node])
        {
            ++depth;
        }
        deepest = std::max(deepest, depth);
    }
    return deepest;
}

} // namespace ns3
