// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWITCH_AUDIT_H
#define SWITCH_AUDIT_H

#include "ns3/fabric-port-owner.h"

#include <string>
#include <vector>

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief Conservation, checked at every frame: at each port, received = forwarded + dropped +
 * buffered, and all of the memory's accounts add up.
 *
 * It stands between the ports and their switch, keeps books of its own in frames, and compares them
 * with the switch's counters and the memory's accounts after each frame that comes, leaves or is
 * flushed. The first difference stops the simulation with the figures. A switch without an audit is
 * not touched by it. (FabricSwitch's attribute CheckConservation; on by default where ns-3's
 * assertions are.)
 *
 * What a switch adds of its own is counted as made: copies of flooded frames, the frames of a path
 * selector's protocol and of a drop mirror, and what a part or a test has it Forward(); and what
 * such a selector takes for itself as made with a minus. Where there is no such part, a frame with
 * a route must become exactly one, and what is booked to leave by a port must be in its queue.
 */
class SwitchAudit : public FabricPortOwner
{
  public:
    /// @param fabricSwitch all of its ports report to this audit from now on
    explicit SwitchAudit(FabricSwitch& fabricSwitch);

    /// Frames of one port, since the start.
    struct Books
    {
        uint64_t received{0};
        uint64_t forwarded{0}; ///< of those received here
        uint64_t dropped{0};   ///< likewise
        uint64_t flushed{0};   ///< from the queue of this port
        int64_t made{0};       ///< by the switch, in the name of this port
    };

    /// @param port number @return its books
    const Books& GetBooks(uint32_t port) const
    {
        return m_books[port];
    }

    /**
     * Everything at once; the checks after each frame look at its two ports only.
     * @return empty, or what does not add up, with the figures
     */
    std::string Check() const;

    /// @return checks done so far
    uint64_t GetChecks() const
    {
        return m_checks;
    }

    // FabricPortOwner
    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override;
    void FrameDeparts(FabricNetDevice& port, FabricFrame& frame) override;
    void FrameFlushed(FabricNetDevice& port, FabricFrame& frame, DropReason reason) override;
    void LinkChanged(FabricNetDevice& port, bool up) override;
    uint64_t HeldBytes(FabricNetDevice& port, uint32_t trafficClass) override;

  private:
    /// All checks are repeated for all ports after so many frames.
    static constexpr uint64_t FULL_CHECK_PERIOD = 1024;

    uint64_t AccountedFor(uint32_t port) const;
    void Reconcile(uint32_t port);
    std::string CheckBooks(uint32_t port) const;
    std::string CheckQueue(uint32_t port) const;
    std::string CheckFrame(uint32_t ingress, uint32_t egress);
    void Verify(uint32_t ingress, uint32_t egress);
    uint64_t Buffered(uint32_t port) const;

    FabricSwitch& m_switch;
    std::vector<Books> m_books; ///< by ingress port
    uint64_t m_checks{0};
    uint32_t m_receiving{0}; ///< calls that have not returned, in which books are not up to date
};

} // namespace ns3

#endif // SWITCH_AUDIT_H
