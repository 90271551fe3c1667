// SPDX-License-Identifier: GPL-2.0-only
#ifndef TRAFFIC_MATRIX_H
#define TRAFFIC_MATRIX_H

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Who sends to whom, and how much of the load each sender has.
 */
class TrafficMatrix
{
  public:
    /// Ways to choose a flow's destination.
    enum class Kind : uint8_t
    {
        UNIFORM,     ///< any other host, by chance
        PERMUTATION, ///< one host each, which nobody else sends to; drawn once
        ALL_TO_ALL,  ///< all other hosts in turn, beginning with the next one
        WEIGHTED,    ///< by chance, in proportion to the weights of the sender's row
    };

    /**
     * @param kind not WEIGHTED
     * @param hosts at least 2
     */
    TrafficMatrix(Kind kind, uint32_t hosts);

    /// @param weights row: sender, column: receiver; CheckWeights() finds nothing; aborts otherwise
    explicit TrafficMatrix(const std::vector<std::vector<double>>& weights);

    /// @param weights a matrix @return what is wrong with it; empty: nothing. It is square, of at
    /// least 2 hosts, has no negative weight, nothing from a host to itself, and not only zeros.
    static std::string CheckWeights(const std::vector<std::vector<double>>& weights);

    /// Draws the permutation. Once, before GetDestination(). @param random where from
    void Draw(Ptr<UniformRandomVariable> random);

    /// @return number of hosts
    uint32_t GetHosts() const
    {
        return m_hosts;
    }

    /// @param source a host @return its part of the load: 1 where it has as much as the one that
    /// has most
    double GetLoadShare(uint32_t source) const;

    /// @param source a host whose share is not 0 @param random where from
    /// @return the destination of its next flow
    uint32_t GetDestination(uint32_t source, Ptr<UniformRandomVariable> random);

  private:
    Kind m_kind;
    uint32_t m_hosts;
    std::vector<uint32_t> m_next; ///< by source: its destination, or how many flows it has had
    std::vector<std::vector<double>> m_sums; ///< WEIGHTED: of the row, up to and with each column
    double m_most{0};                        ///< WEIGHTED: the largest sum of a row
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
