// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_ENDPOINT_H
#define GPU_ENDPOINT_H

#include "gpu-stream.h"
#include "nic-ways.h"
#include "scale-up-port.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A GPU: where it sits, its ports, its streams, and what its memory can move.
 *
 * A server is a node; its GPUs share it. A GPU reaches the network by one NIC port of the server
 * (rail), and the GPUs of its scale-up domain by its ScaleUpPort, if it has one.
 */
class GpuEndpoint : public Object
{
  public:
    /// Domain of a GPU without a scale-up port.
    static constexpr uint32_t NO_DOMAIN = UINT32_MAX;

    /// @return the TypeId
    static TypeId GetTypeId();

    GpuEndpoint();
    ~GpuEndpoint() override;

    // ---- set-up

    /**
     * @param id number in the cluster, the default rank
     * @param server number of its server
     * @param localIndex number within the server, the rail
     */
    void SetPlace(uint32_t id, uint32_t server, uint32_t localIndex);
    /// @param node the server @param port the NIC port that it uses there
    void SetNic(Ptr<Node> node, Ptr<FabricNetDevice> port);
    /// @param node the server @param ports the NIC ports that it uses there
    void SetNicPorts(Ptr<Node> node, const std::vector<GpuNicPort>& ports);
    /// @param port its scale-up port @param domain number of the domain that the port leads to
    void SetScaleUp(Ptr<ScaleUpPort> port, uint32_t domain);

    // ---- where it sits

    /// @return number in the cluster
    uint32_t GetId() const
    {
        return m_id;
    }

    /// @return number of its server
    uint32_t GetServer() const
    {
        return m_server;
    }

    /// @return number within the server
    uint32_t GetLocalIndex() const
    {
        return m_localIndex;
    }

    /// @return the server
    Ptr<Node> GetNode() const
    {
        return m_node;
    }

    /// @return the first of the NIC ports that it uses; null if there is none
    Ptr<FabricNetDevice> GetNicPort() const
    {
        return m_nicPorts.empty() ? nullptr : m_nicPorts.front().device;
    }

    /// @return the NIC ports that it uses
    const std::vector<GpuNicPort>& GetNicPorts() const
    {
        return m_nicPorts;
    }

    /// @return its scale-up port, or null
    Ptr<ScaleUpPort> GetScaleUpPort() const
    {
        return m_scaleUpPort;
    }

    /// @return number of its scale-up domain, or NO_DOMAIN
    uint32_t GetScaleUpDomain() const
    {
        return m_domain;
    }

    // ---- work

    /// @return a new stream
    Ptr<GpuStream> CreateStream();

    /// @return its streams, in order of creation
    const std::vector<Ptr<GpuStream>>& GetStreams() const
    {
        return m_streams;
    }

    /**
     * Books memory bandwidth for a reduction: two operands read, the result written. Bookings are
     * served one after the other.
     * @param bytes of one operand
     * @param now time steps
     * @return when it is done, time steps
     */
    int64_t BookReduction(uint64_t bytes, int64_t now);

    /**
     * Books memory bandwidth for a copy within the GPU: one read, one write.
     * @param bytes to copy
     * @param now time steps
     * @return when it is done, time steps
     */
    int64_t BookCopy(uint64_t bytes, int64_t now);

    /// @return from the arrival of a message by the scale-up port until the waiting kernel goes on
    Time GetScaleUpStepOverhead() const
    {
        return m_scaleUpStepOverhead;
    }

    /// @return likewise for a message that comes by the NIC
    Time GetNetworkStepOverhead() const
    {
        return m_networkStepOverhead;
    }

  protected:
    void DoDispose() override;

  private:
    int64_t BookMemory(uint64_t bytes, uint32_t accesses, int64_t now);

    uint32_t m_id{0};
    uint32_t m_server{0};
    uint32_t m_localIndex{0};
    uint32_t m_domain{NO_DOMAIN};
    DataRate m_hbmBandwidth;
    Time m_scaleUpStepOverhead;
    Time m_networkStepOverhead;
    int64_t m_memoryFreeAt{0};
    Ptr<Node> m_node;
    std::vector<GpuNicPort> m_nicPorts;
    Ptr<ScaleUpPort> m_scaleUpPort;
    std::vector<Ptr<GpuStream>> m_streams;
};

} // namespace ns3

#endif // GPU_ENDPOINT_H
