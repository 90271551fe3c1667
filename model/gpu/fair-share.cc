// SPDX-License-Identifier: GPL-2.0-only
#include "fair-share.h"

#include <cstddef>

namespace ns3
{

std::vector<double>
ShareFairly(double capacity, const std::vector<ShareClaim>& claims)
{
    std::vector<double> shares(claims.size(), 0);
    std::vector<bool> served(claims.size(), false);
    bool found = true;
    while (found)
    {
        double weights = 0;
        for (size_t c = 0; c < claims.size(); ++c)
        {
            weights += served[c] ? 0 : claims[c].weight;
        }
        // Serve those who want less than their part; what they leave raises the others' part.
        found = false;
        double left = capacity;
        for (size_t c = 0; c < claims.size(); ++c)
        {
            if (served[c])
            {
                continue;
            }
            double part =
                claims[c].weight == weights ? capacity : capacity * (claims[c].weight / weights);
            served[c] = claims[c].wanted <= part;
            shares[c] = served[c] ? claims[c].wanted : part;
            left -= served[c] ? claims[c].wanted : 0;
            found |= served[c];
        }
        capacity = left;
    }
    return shares;
}

} // namespace ns3
