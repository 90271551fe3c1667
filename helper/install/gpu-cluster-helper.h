// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_CLUSTER_HELPER_H
#define GPU_CLUSTER_HELPER_H

#include "fabric-helper.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/gpu-presets.h"
#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3
{

/// The scale-up domain of a server.
struct ScaleUpDomain
{
    Ptr<FabricSwitch> fabricSwitch;
    std::vector<Ptr<FabricNetDevice>> gpuPorts; ///< by local index of the GPU
    std::vector<Ptr<FabricChannel>> channels;   ///< likewise
};

/// The GPUs of a fabric. To be kept until the simulation has ended.
struct GpuCluster
{
    std::vector<Ptr<GpuEndpoint>> gpus; ///< by id: server by server, then by local index
    std::vector<ScaleUpDomain> domains; ///< by server; empty if there is no scale-up
};

/**
 * @ingroup ai-fabric
 * @brief Puts GPUs into the hosts of a fabric, and joins those of a host by a scale-up domain.
 *
 * Each host of the fabric is a server. Its NIC ports are its cables, in order; with N of them and G
 * GPUs, GPU g uses the ports from g x N / G to below (g + 1) x N / G, or where it would have none
 * the port g x N / G with others. The domain is one switch, lossless by PFC, on a node of its own,
 * and a cable from it to a port for each GPU: the four NVSwitches of an HGX board and the links to
 * them in one. Its addresses are 100.64.0.1 and on.
 *
 * RDMA must have been installed before: an RdmaHelper takes every fabric port that a node has.
 */
class GpuClusterHelper
{
  public:
    /// Starts with the preset h100-sxm and as many GPUs as a host has NIC ports.
    GpuClusterHelper();

    /// @param preset sets the scale-up rate, and the GPUs' SMs, memory and peak rates
    void SetPreset(const GpuPreset& preset);

    /// @param count GPUs of each server; 0: as many as it has NIC ports
    void SetGpusPerServer(uint32_t count);

    /// @param enabled whether the GPUs of a server have a scale-up domain
    void SetScaleUp(bool enabled);

    /// @param name attribute of GpuEndpoint @param value for all GPUs
    void SetGpuAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of ScaleUpPort @param value for all GPUs
    void SetScaleUpPortAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricNetDevice @param value for the scale-up ports of GPUs
    void SetScaleUpDeviceAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricNetDevice @param value for the ports of scale-up switches
    void SetScaleUpSwitchDeviceAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricChannel @param value for the cables of scale-up domains
    void SetScaleUpChannelAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricSwitch @param value for scale-up switches
    void SetScaleUpSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of SharedBuffer @param value for scale-up switches
    void SetScaleUpBufferAttribute(const std::string& name, const AttributeValue& value);

    /// @param enabled whether scale-up switches reduce and multicast (NVLS); by default they do
    void SetMulticast(bool enabled);
    /// @param name attribute of InNetworkReducer @param value for scale-up switches
    void SetScaleUpReducerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Installs GPUs; aborts where Install(network, error) has an error.
     * @param network a fabric, RDMA installed on its hosts
     * @return the GPUs
     */
    GpuCluster Install(const FabricNetwork& network) const;

    /**
     * @param network a fabric, RDMA installed on its hosts
     * @param error empty, or why it cannot work
     * @return the GPUs
     */
    GpuCluster Install(const FabricNetwork& network, std::string& error) const;

  private:
    std::string InstallServer(GpuCluster& cluster,
                              Ptr<Node> node,
                              const std::vector<GpuNicPort>& nics) const;
    std::string InstallDomain(GpuCluster& cluster, const std::vector<Ptr<GpuEndpoint>>& gpus) const;

    uint32_t m_gpusPerServer{0};
    bool m_scaleUp{true};
    ObjectFactory m_gpu;
    ObjectFactory m_port;
    ObjectFactory m_gpuDevice;
    ObjectFactory m_switchDevice;
    ObjectFactory m_channel;
    ObjectFactory m_switch;
    ObjectFactory m_buffer;
    bool m_multicast{true};
    ObjectFactory m_reducer;
};

} // namespace ns3

#endif // GPU_CLUSTER_HELPER_H
