// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_MIRROR_COLLECTOR_H
#define DROP_MIRROR_COLLECTOR_H

#include "ns3/drop-mirror-header.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <vector>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief Receives the reports of DropMirror at a host that has no Internet stack.
 *
 * Where there is one, a UDP socket gets them: RemoveHeader() of a DropMirrorHeader leaves the head
 * of the dropped frame.
 */
class DropMirrorCollector : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// A report.
    struct Report
    {
        DropMirrorHeader header;
        Ptr<Packet> head; ///< the dropped frame's first bytes, from the destination address on
    };

    /// Takes what comes for the node's stack, which it must not have.
    /// @param device of the host that is the Collector of the mirrors
    void Attach(Ptr<FabricNetDevice> device);

    /// @return the first MaxReports reports, in the order of their arrival
    const std::vector<Report>& GetReports() const
    {
        return m_reports;
    }

    /// @return all reports that came
    uint64_t GetCount() const
    {
        return m_count;
    }

    /**
     * @param packet from its IPv4 header on
     * @param udpPort of reports
     * @param report receives what it says
     * @return whether it is a report
     */
    static bool Parse(Ptr<const Packet> packet, uint16_t udpPort, Report& report);

    /// Signature of Report. @param header what is said @param head first bytes of the frame
    typedef void (*ReportTracedCallback)(const DropMirrorHeader& header, Ptr<const Packet> head);

  private:
    bool Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t etherType,
                 const Address& from);

    uint16_t m_udpPort{0};
    uint32_t m_maxReports{0};
    uint64_t m_count{0};
    std::vector<Report> m_reports;
    TracedCallback<const DropMirrorHeader&, Ptr<const Packet>> m_reportTrace;
};

} // namespace ns3

#endif // DROP_MIRROR_COLLECTOR_H
