// SPDX-License-Identifier: GPL-2.0-only
#ifndef PORT_SHAPER_H
#define PORT_SHAPER_H

#include "token-bucket.h"

#include "ns3/wire-format.h"

#include <array>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Limits what a port sends, in all and by class.
 *
 * Bytes count as they do on the wire, with preamble and gap: half of the line rate is half of the
 * time. Pause frames are neither held back nor counted.
 */
class PortShaper
{
  public:
    /// @param bucket for the port as a whole; one without a limit for none
    void SetPortBucket(const TokenBucket& bucket);

    /**
     * @param text entries CLASS:RATE or CLASS:RATE:BURST separated by commas, the burst in bytes,
     *        as in "3:100Gbps,4:25Gbps:65536"; empty for none
     * @return empty, or what is wrong: the text, the entry, and what is allowed
     */
    std::string SetClassBuckets(const std::string& text);

    /// @return true: something is limited
    bool IsLimiting() const
    {
        return m_limited || m_port.IsLimiting();
    }

    /// @param now time steps @return bit c: class c must wait
    uint8_t GetClosedClasses(int64_t now) const;

    /// @param trafficClass 0 to 7 @return when it may send (time steps)
    int64_t ReadyAt(uint32_t trafficClass) const
    {
        return std::max(m_port.ReadyAt(), m_classes[trafficClass].ReadyAt());
    }

    /// @param trafficClass its class @param wireBytes with preamble and gap @param now time steps
    void Charge(uint32_t trafficClass, uint64_t wireBytes, int64_t now);

  private:
    std::string Add(const std::string& entry);

    uint8_t m_limited{0}; ///< bit c: class c has a bucket
    TokenBucket m_port;
    std::array<TokenBucket, N_TRAFFIC_CLASSES> m_classes;
};

} // namespace ns3

#endif // PORT_SHAPER_H
