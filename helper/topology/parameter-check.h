// SPDX-License-Identifier: GPL-2.0-only
#ifndef PARAMETER_CHECK_H
#define PARAMETER_CHECK_H

#include <cstdint>
#include <string>

namespace ns3
{

constexpr uint64_t MOST_TOPOLOGY_HOSTS = 1U << 20;  ///< of a builder's fabric
constexpr uint64_t MOST_TOPOLOGY_CABLES = 1U << 24; ///< of a builder's fabric
constexpr uint64_t MOST_SWITCH_PORTS = 1024;        ///< of a switch

/**
 * @ingroup ai-fabric
 * @brief Looks at the parameters of a topology builder, and keeps the first complaint.
 */
class ParameterCheck
{
  public:
    /// @param name of a parameter @param value its value @param min least @param max most
    /// @return this
    ParameterCheck& Range(const std::string& name, uint64_t value, uint64_t min, uint64_t max)
    {
        return Require(value >= min && value <= max,
                       name + " is " + std::to_string(value),
                       std::to_string(min) + " to " + std::to_string(max));
    }

    /// @param of what switch @param ports that it would have @return this
    ParameterCheck& Ports(const std::string& of, uint64_t ports)
    {
        return Require(ports >= 1 && ports <= MOST_SWITCH_PORTS,
                       of + " would have " + std::to_string(ports) + " ports",
                       "1 to " + std::to_string(MOST_SWITCH_PORTS));
    }

    /// @param hosts of the fabric @param cables of the fabric @return this
    ParameterCheck& Size(uint64_t hosts, uint64_t cables)
    {
        Range("the number of hosts", hosts, 2, MOST_TOPOLOGY_HOSTS);
        return Range("the number of cables", cables, 1, MOST_TOPOLOGY_CABLES);
    }

    /// @param holds whether all is well @param found else: what is wrong @param expected instead
    /// @return this
    ParameterCheck& Require(bool holds, const std::string& found, const std::string& expected)
    {
        if (!holds && m_complaint.empty())
        {
            m_complaint = found + "; expected " + expected;
        }
        return *this;
    }

    /// @return whether there is no complaint so far: what follows may rely on what was looked at
    bool IsFine() const
    {
        return m_complaint.empty();
    }

    /// @return empty, or the first complaint
    const std::string& Get() const
    {
        return m_complaint;
    }

  private:
    std::string m_complaint;
};

} // namespace ns3

#endif // PARAMETER_CHECK_H
