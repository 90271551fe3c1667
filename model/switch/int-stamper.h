// SPDX-License-Identifier: GPL-2.0-only
#ifndef INT_STAMPER_H
#define INT_STAMPER_H

#include "ns3/fabric-frame.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pint-code.h"
#include "ns3/random-variable-stream.h"

#include <unordered_map>

namespace ns3
{

class FabricNetDevice;
class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief In-band network telemetry: writes what a hop knows of itself into frames that ask for it.
 *
 * A frame asks by SwitchHeader::collectsTelemetry (QueuePair's attribute CollectTelemetry). Its
 * format, too, is the sender's choice: it says how many bytes a hop takes and how many hops fit.
 * INT-MD has a rule for what does not fit: no hop is written, and a flag says so (E: no room for
 * one more hop; M: the frame would be longer than the port's Mtu). HPCC's header has none, so there
 * it stops the simulation, as does a port whose rate it has no code for.
 *
 * PINT (Ben Basat et al., SIGCOMM 2020, section 4.3 and appendix B) has one digest for all hops:
 * each raises it to the code of its own utilization, if that is higher. The utilization of a port
 * is averaged over PintBaseRtt, T: a frame that leaves t after the last one with a digest finds
 *
 *     U = (1 - w) U + w (bytes sent since / (B t) + queue / (B T)),   w = min(t, T) / T
 *
 * with the bytes of all frames that the port has sent, and all of its queues. Codes between two
 * values are drawn (PintCode).
 *
 * All switches may share one; where draws must not depend on who shares it (runs that are
 * distributed over MPI ranks), each switch has its own: FabricHelper::SetSwitchPart.
 */
class IntStamper : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    IntStamper();

    /**
     * Sets the stream of the draws of digests.
     * @param stream its number
     * @return streams used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /// @param fabricSwitch where @param egress port number
    /// @return PINT's utilization of that port when the last digest passed; 0: none ever did
    double GetUtilization(const FabricSwitch& fabricSwitch, uint32_t egress) const;

    /**
     * Adds a hop to a frame that collects telemetry, and its bytes to the frame's size.
     * @param fabricSwitch where
     * @param egress port number by which it leaves now
     * @param frame the frame
     */
    void Stamp(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame);

  private:
    /// PINT's view of a port.
    struct PortLoad
    {
        double utilization{0};
        uint64_t sentBytes{0}; ///< by the port, at the last look
        int64_t lookedAt{0};   ///< time steps
    };

    static uint64_t KeyOf(const FabricSwitch& fabricSwitch, uint32_t egress);
    void StampDigest(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame);
    void Look(PortLoad& load, FabricNetDevice& port, uint32_t frameBytes) const;

    void Coarsen(IntHop& hop) const;

    uint32_t m_hpccUnits{0};
    Time m_pintBaseRtt;
    double m_pintLogBase{0};
    Ptr<UniformRandomVariable> m_random;
    std::unordered_map<uint64_t, PortLoad> m_loads; ///< by KeyOf(); never walked through
};

} // namespace ns3

#endif // INT_STAMPER_H
