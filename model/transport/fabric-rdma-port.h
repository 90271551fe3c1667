// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RDMA_PORT_H
#define FABRIC_RDMA_PORT_H

#include "rdma-port.h"

#include "ns3/fabric-net-device.h"
#include "ns3/huge-page-arena.h"

#include <map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The fast attachment: the FabricNetDevice pulls frames when its wire is free.
 */
class FabricRdmaPort : public RdmaPort, public FabricPortOwner, public InHugePages
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricRdmaPort();
    ~FabricRdmaPort() override;

    /// @param device the device that it owns from now on
    void SetDevice(Ptr<FabricNetDevice> device);

    /// @return the device
    Ptr<FabricNetDevice> GetDevice() const;

    /**
     * Frames to a network leave to a router. Destinations without such a route are neighbours.
     * @param network an address of the network
     * @param prefixBits how many of its bits count
     * @param router MAC of the router's port
     */
    void AddRoute(const RdmaAddress& network, uint8_t prefixBits, Mac48Address router);

    // RdmaPort
    double GetLineRateBps() const override;
    int64_t SlotSteps(uint32_t frameBytes) const override;
    uint32_t GetFrameOverhead() const override;
    uint32_t GetNodeId() const override;
    int64_t PausedSteps(uint32_t trafficClass, int64_t now) const override;
    RdmaAddress GetAddress(bool ipv6) const override;
    Mac48Address GetMac() const override;
    RdmaPath ResolvePath(const RdmaAddress& destination, Mac48Address neighbor) const override;
    void SendNow(FramePtr frame) override;
    void JoinGroup(const RdmaAddress& group) override;

    // FabricPortOwner
    void PrefetchReceive(const FabricNetDevice& device, const FabricFrame& frame) const override;
    void PrefetchPull(const FabricNetDevice& device) const override;
    void ReceiveFrame(FabricNetDevice& device, FramePtr frame) override;
    uint8_t ReadyClasses(FabricNetDevice& device, int64_t now) override;
    FramePtr PullFrame(FabricNetDevice& device, uint32_t trafficClass, int64_t now) override;
    int64_t NextReadyTime(FabricNetDevice& device, int64_t now, uint8_t closed) override;

  protected:
    void Kick() override;
    void DoDispose() override;

  private:
    /// A network behind a router.
    struct Route
    {
        RdmaAddress network;
        uint8_t prefixBits;
        Mac48Address router;
    };

    bool HasWaitingPair(int64_t now) const;

    FabricNetDevice* m_port{nullptr};
    int64_t m_wakeUp{0}; ///< with RdmaNic's WaitingPairStopsTimer: when it is set for
    Ptr<FabricNetDevice> m_device;
    std::vector<Route> m_routes;
};

} // namespace ns3

#endif // FABRIC_RDMA_PORT_H
