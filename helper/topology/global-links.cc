// SPDX-License-Identifier: GPL-2.0-only
#include "global-links.h"

namespace ns3
{

std::vector<GlobalLink>
MakeGlobalLinks(uint32_t groups, uint32_t ports, GlobalArrangement arrangement)
{
    std::vector<GlobalLink> links;
    for (uint32_t a = 0; a < groups; a++)
    {
        for (uint32_t b = a + 1; b < groups; b++)
        {
            const bool palmtree = arrangement == GlobalArrangement::PALMTREE;
            const uint32_t portA = palmtree ? groups - (b - a) - 1 : b - 1;
            const uint32_t portB = palmtree ? b - a - 1 : a;
            for (uint32_t first = 0; first + groups - 1 <= ports; first += groups - 1)
            {
                links.push_back({a, first + portA, b, first + portB});
            }
        }
    }
    return links;
}

} // namespace ns3
