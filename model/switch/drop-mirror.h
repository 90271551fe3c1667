// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_MIRROR_H
#define DROP_MIRROR_H

#include "ns3/data-rate.h"
#include "ns3/drop-reason.h"
#include "ns3/fabric-frame.h"
#include "ns3/ipv4-address.h"
#include "ns3/object.h"

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief Mirror on drop: sends the head of each frame that a switch drops, and why, to a collector.
 *
 * A report is a UDP packet: a DropMirrorHeader, then the first SnapBytes of the dropped frame's
 * wire image. The switch forwards it like any other frame, on the account of the port by which the
 * dropped one came; so it may be dropped, too, but of that nobody is told. MaxRate keeps a storm of
 * drops from becoming a storm of reports; the header counts what was not told.
 *
 * Switches may share one; rate and numbers are then of all of them together.
 */
class DropMirror : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * A frame is dropped.
     * @param fabricSwitch where
     * @param frame the frame
     * @param ingress port number by which it came
     * @param egress port number by which it would have left; FabricSwitch::NO_PORT if unknown
     * @param reason why
     */
    void Mirror(FabricSwitch& fabricSwitch,
                const FabricFrame& frame,
                uint32_t ingress,
                uint32_t egress,
                DropReason reason);

    /// @return reports sent
    uint64_t GetReports() const
    {
        return m_reports;
    }

    /// @return drops that MaxRate left unreported
    uint64_t GetSuppressed() const
    {
        return m_suppressed;
    }

  private:
    bool IsReport(const FabricFrame& frame) const;
    bool FitsRate(uint32_t wireBytes, int64_t now);
    FramePtr MakeReport(const FabricSwitch& fabricSwitch,
                        uint32_t ingress,
                        Ptr<Packet> contents) const;

    Ipv4Address m_collector;
    uint16_t m_udpPort{0};
    uint32_t m_snapBytes{0};
    uint8_t m_trafficClass{0};
    uint8_t m_dscp{0};
    DataRate m_maxRate;
    uint32_t m_burstBytes{0};
    int64_t m_paidUntil{0}; ///< time that the reports so far take at MaxRate, time steps
    uint64_t m_reports{0};
    uint64_t m_suppressed{0};
};

} // namespace ns3

#endif // DROP_MIRROR_H
