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

/// What joins the GPUs of a scale-up domain.
enum class ScaleUpType
{
    NONE,   ///< nothing: all goes over the network
    SWITCH, ///< one switch, or several planes of them
    MESH,   ///< a link between any two
};

/// One end of a scale-up link, as reports name it.
struct ScaleUpLink
{
    std::string name; ///< "server0/gpu3", with ":" and the plane or the peer's number where needed
    std::string peer; ///< of the other end
    Ptr<FabricNetDevice> device;
};

/// GPUs that reach each other by scale-up links.
struct ScaleUpDomain
{
    std::vector<uint32_t> gpus;                 ///< their ids
    std::vector<Ptr<FabricSwitch>> planes;      ///< none: a mesh
    Ptr<FabricSwitch> fabricSwitch;             ///< the first plane, or null
    std::vector<Ptr<FabricNetDevice>> gpuPorts; ///< of the first plane by GPU, then the next; a
                                                ///< mesh: of the first GPU by peer, then the next
    std::vector<Ptr<FabricChannel>> channels;   ///< by plane and GPU; a mesh: by pair
    std::vector<ScaleUpLink> links;             ///< both ends of all links
};

/// The GPUs of a fabric. To be kept until the simulation has ended.
struct GpuCluster
{
    std::vector<Ptr<GpuEndpoint>> gpus; ///< by id: server by server, then by local index
    std::vector<ScaleUpDomain> domains; ///< in order of their GPUs; empty: no scale-up
};

/**
 * @ingroup ai-fabric
 * @brief Puts GPUs into the hosts of a fabric, and joins them by scale-up domains.
 *
 * Each host of the fabric is a server. Its NIC ports are its cables, in order; with N of them and G
 * GPUs, GPU g uses the ports from g x N / G to below (g + 1) x N / G, or where it would have none
 * the port g x N / G with others.
 *
 * A domain has consecutive GPUs: those of a server, or a part of them, or those of several servers
 * (a rack). By default it is one switch, on a node of its own, and one cable to it for each GPU:
 * the NVSwitches of an HGX board and the links to them in one, which is fastest to simulate. With
 * several planes each GPU has a link to each plane's switch, and in a mesh to each peer; they share
 * the GPU's scale-up rate evenly. The addresses are 100.64.0.1 and on, the same on all links of a
 * GPU.
 *
 * The links go by credits, or by PFC. The buffer behind each is computed, unless it is set: twice
 * what comes in until a credit is back,
 *
 *     2 x (rate x (2 x cable + latency of both ends) + 4 largest frames).
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

    /// @param enabled whether there are scale-up domains at all
    void SetScaleUp(bool enabled);

    /// @param type what joins the GPUs of a domain; by default a switch
    void SetScaleUpType(ScaleUpType type);

    /// @param planes switches of a domain, 1 to 18, each with a link to every GPU
    void SetPlanes(uint32_t planes);

    /// @param gpus of a domain; 0: those of a server. It must divide a server's GPUs, or be a
    /// multiple of them
    void SetDomainSize(uint32_t gpus);

    /// @param flowControl of scale-up links; by default credits
    void SetScaleUpFlowControl(FabricNetDevice::FlowControl flowControl);

    /// @param bytes of the buffer behind each scale-up link that goes by credits; 0: computed
    void SetCreditBuffer(uint64_t bytes);

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
    std::string InstallDomains(GpuCluster& cluster) const;
    std::string CheckDomainSize(const GpuCluster& cluster) const;
    std::string InstallDomain(GpuCluster& cluster, const std::vector<Ptr<GpuEndpoint>>& gpus) const;
    std::string InstallPlane(ScaleUpDomain& domain,
                             uint32_t plane,
                             const std::vector<Ptr<GpuEndpoint>>& gpus) const;
    void InstallMesh(ScaleUpDomain& domain, const std::vector<Ptr<GpuEndpoint>>& gpus) const;
    Ptr<FabricNetDevice> MakeGpuDevice(const GpuEndpoint& gpu, uint32_t links) const;
    Ptr<FabricSwitch> MakeSwitch() const;
    uint64_t GetCreditBuffer(const FabricNetDevice& a, const FabricNetDevice& b) const;
    Ptr<FabricChannel> Plug(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b) const;
    static void NameLinks(GpuCluster& cluster);

    uint32_t m_gpusPerServer{0};
    ScaleUpType m_type{ScaleUpType::SWITCH};
    uint32_t m_planes{1};
    uint32_t m_domainSize{0};
    FabricNetDevice::FlowControl m_flowControl{FabricNetDevice::FLOW_CONTROL_CREDITS};
    uint64_t m_creditBuffer{0};
    bool m_multicast{true};
    ObjectFactory m_gpu;
    ObjectFactory m_port;
    ObjectFactory m_gpuDevice;
    ObjectFactory m_switchDevice;
    ObjectFactory m_channel;
    ObjectFactory m_switch;
    ObjectFactory m_buffer;
    ObjectFactory m_reducer;
};

} // namespace ns3

#endif // GPU_CLUSTER_HELPER_H
