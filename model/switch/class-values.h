// SPDX-License-Identifier: GPL-2.0-only
#ifndef CLASS_VALUES_H
#define CLASS_VALUES_H

#include "ns3/wire-format.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Values that some traffic classes have of their own, written CLASS:VALUE,CLASS:VALUE as in
 * "3:0.125,0:1".
 */
class ClassValues
{
  public:
    /**
     * @param text the list; empty: no class has a value of its own
     * @param error empty, or what is wrong with it
     * @return the values
     */
    static ClassValues Parse(const std::string& text, std::string& error);

    /// @param trafficClass 0 to 7 @return whether it has a value of its own
    bool Has(uint32_t trafficClass) const
    {
        return m_classes & (1U << trafficClass);
    }

    /// @return bit c: class c has a value of its own
    uint8_t GetClasses() const
    {
        return m_classes;
    }

    /// @param trafficClass 0 to 7 @param otherwise the common value @return its value
    double Get(uint32_t trafficClass, double otherwise) const
    {
        return Has(trafficClass) ? m_values[trafficClass] : otherwise;
    }

    /// @param trafficClass 0 to 7 @param otherwise the common value @return its value, a whole
    /// number
    uint64_t GetBytes(uint32_t trafficClass, uint64_t otherwise) const
    {
        return Has(trafficClass) ? static_cast<uint64_t>(m_values[trafficClass]) : otherwise;
    }

  private:
    uint8_t m_classes{0};
    std::array<double, N_TRAFFIC_CLASSES> m_values{};
};

} // namespace ns3

#endif // CLASS_VALUES_H
