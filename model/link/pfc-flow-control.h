// SPDX-License-Identifier: GPL-2.0-only
#ifndef PFC_FLOW_CONTROL_H
#define PFC_FLOW_CONTROL_H

#include "link-flow-control.h"

#include "ns3/wire-format.h"

#include <array>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief Priority flow control (IEEE 802.1Qbb), or the pause of a whole link: what a port does when
 * pause frames come. When to send them is the business of a PfcInitiator.
 */
class PfcFlowControl : public LinkFlowControl
{
  public:
    /// @param port whose classes are stopped; its attributes say which obey
    explicit PfcFlowControl(FabricNetDevice& port);

    // LinkFlowControl
    void Obey(const FabricFrame& frame) override;
    void LinkChanged(bool up) override;

  private:
    void Apply(uint8_t classes, std::array<uint16_t, N_TRAFFIC_CLASSES> quanta, uint32_t linkEpoch);

    FabricNetDevice& m_port;
    uint32_t m_linkEpoch{0}; ///< how often the link has gone down
};

} // namespace ns3

#endif // PFC_FLOW_CONTROL_H
