// SPDX-License-Identifier: GPL-2.0-only
#ifndef GLOBAL_LINKS_H
#define GLOBAL_LINKS_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// Which global port of a dragonfly's group leads to which other group.
enum class GlobalArrangement : uint8_t
{
    PALMTREE, ///< port k of group i leads to group i - k - 1, modulo the number of groups
    ABSOLUTE, ///< port k of group i leads to group k, or k + 1 where k is not below i
};

/// A cable between two groups, a below b.
struct GlobalLink
{
    uint32_t groupA;
    uint32_t portA; ///< of group A's global ports
    uint32_t groupB;
    uint32_t portB; ///< of group B's global ports
};

/**
 * @brief The cables between the groups of a dragonfly: each pair of groups has the same number,
 * ports / (groups - 1) rounded down; ports that are left over have no cable.
 *
 * Where pairs have several cables, the arrangement is repeated on the next groups - 1 ports.
 * (Names and rules: Camarero, Vallejo, Beivide, "Topological Characterization of Hamming and
 * Dragonfly Networks and Its Implications on Routing", ACM TACO 2014.)
 * @param groups at least 1
 * @param ports global ports of a group, at least groups - 1
 * @param arrangement which
 * @return the cables, by group A, then group B
 */
std::vector<GlobalLink> MakeGlobalLinks(uint32_t groups,
                                        uint32_t ports,
                                        GlobalArrangement arrangement);

} // namespace ns3

#endif // GLOBAL_LINKS_H
