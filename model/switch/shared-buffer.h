// SPDX-License-Identifier: GPL-2.0-only
#ifndef SHARED_BUFFER_H
#define SHARED_BUFFER_H

#include "ns3/object.h"
#include "ns3/wire-format.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Packet memory of a switch and the account of who uses it.
 *
 * Each byte is booked where it came in (port, class): first against the class's reserve, then
 * against the shared pool up to a dynamic threshold alpha x (what is free of the pool), and for a
 * lossless class beyond that against the port's headroom, which only what is in flight after a
 * pause may use. (Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches", IEEE/ACM ToN 1998.) Frames of lossy classes must also find their egress queue below
 * the same kind of threshold.
 *
 * A lossless class is to be paused once it uses headroom, or its shared part has reached the
 * threshold; it may be opened when its headroom is empty and the shared part has fallen below the
 * threshold by XonOffset.
 */
class SharedBuffer : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Lays the memory out. Must be called before traffic.
     * @param ports number of ports
     * @param losslessClasses bit c: class c is lossless
     * @param headroomBytes by port: headroom of each lossless class
     * @return empty, or why the memory cannot hold reserves and headroom, with the figures
     */
    std::string Configure(uint32_t ports,
                          uint8_t losslessClasses,
                          const std::vector<uint64_t>& headroomBytes);

    /**
     * Books a frame that has come in.
     * @param ingress port by which it came
     * @param egress port by which it is to leave
     * @param trafficClass its class
     * @param bytes its size
     * @return false: there is no room, the frame is to be dropped and was not booked
     */
    bool Admit(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes);

    /**
     * Books a frame out that leaves.
     * @param ingress port by which it came
     * @param egress port by which it leaves
     * @param trafficClass its class
     * @param bytes its size when it was booked
     */
    void Release(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes);

    /// @param port ingress @param trafficClass class @return true: its sender must be stopped
    bool MustPause(uint32_t port, uint32_t trafficClass) const;
    /// @param port ingress @param trafficClass class @return true: its sender may go on
    bool MayResume(uint32_t port, uint32_t trafficClass) const;

    /// @return bytes that are booked now
    uint64_t GetUsedBytes() const
    {
        return m_usedBytes;
    }

    /// @return most bytes that were ever booked
    uint64_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /// @return most bytes of headroom that one port and class ever used
    uint64_t GetPeakHeadroomBytes() const
    {
        return m_peakHeadroomBytes;
    }

    /// @param port ingress @param trafficClass class @return bytes booked there
    uint64_t GetIngressBytes(uint32_t port, uint32_t trafficClass) const;

    /// @return the shared pool, bytes
    uint64_t GetSharedBytes() const
    {
        return m_sharedPool;
    }

    /// @return size of the memory, bytes
    uint64_t GetSizeBytes() const
    {
        return m_sizeBytes;
    }

  private:
    struct Account
    {
        uint64_t main{0};     ///< reserve, then shared
        uint64_t headroom{0}; ///< beyond
    };

    struct Port
    {
        std::array<Account, N_TRAFFIC_CLASSES> accounts;
        std::array<uint64_t, N_TRAFFIC_CLASSES> egressBytes{};
        uint64_t headroomLimit{0};
    };

    uint64_t SharedPart(uint64_t mainBytes) const
    {
        return mainBytes > m_reservedBytes ? mainBytes - m_reservedBytes : 0;
    }

    uint64_t Threshold(double alpha) const
    {
        return static_cast<uint64_t>(alpha * static_cast<double>(m_sharedPool - m_sharedUsed));
    }

    uint64_t m_sizeBytes{0};
    uint64_t m_reservedBytes{0};
    uint64_t m_xonOffsetBytes{0};
    double m_alpha{0};
    double m_lossyAlpha{0};
    uint8_t m_lossless{0};
    uint64_t m_sharedPool{0};
    uint64_t m_sharedUsed{0};
    uint64_t m_usedBytes{0};
    uint64_t m_peakBytes{0};
    uint64_t m_peakHeadroomBytes{0};
    std::vector<Port> m_ports;
};

} // namespace ns3

#endif // SHARED_BUFFER_H
