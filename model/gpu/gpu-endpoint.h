// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_ENDPOINT_H
#define GPU_ENDPOINT_H

#include "copy-engines.h"
#include "gpu-precision.h"
#include "gpu-processor.h"
#include "gpu-stream.h"
#include "nic-ways.h"
#include "pcie-tree.h"
#include "scale-up-port.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <string>
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

    /// @return the PCIe tree of its server, or null if it has none
    Ptr<PcieTree> GetPcieTree() const;

    // ---- what it can do

    /// @return the SMs and the memory bandwidth, and what runs on them
    Ptr<GpuProcessor> GetProcessor() const
    {
        return m_processor;
    }

    /// @return the number of its SMs
    uint32_t GetMultiprocessors() const
    {
        return m_multiprocessors;
    }

    /// @return what its memory moves, reads and writes together
    DataRate GetHbmBandwidth() const
    {
        return m_hbmBandwidth;
    }

    /// @return size of its memory (bytes)
    uint64_t GetMemoryBytes() const
    {
        return m_memoryBytes;
    }

    /// @param precision of numbers @return operations a second, dense; 0 if it cannot do them
    double GetPeakRate(GpuPrecision precision) const
    {
        return m_peakRates[static_cast<size_t>(precision)];
    }

    // ---- communication kernels

    /**
     * A communication kernel begins: it holds SMs, and wants CommunicationMemoryPerSm for each.
     * @param sms that it holds
     */
    void BeginCommunication(uint32_t sms);

    /// It ends. @param sms as at its beginning
    void EndCommunication(uint32_t sms);

    /// @return the factor by which communication kernels are slower than alone on the GPU; 1 = not
    double GetCommunicationSlowdown() const
    {
        return m_processor->GetCommunicationSlowdown();
    }

    // ---- work

    /// @param blocking whether it is ordered with the legacy default stream, as CUDA's streams are
    /// that are not made with cudaStreamNonBlocking
    /// @return a new stream
    Ptr<GpuStream> CreateStream(bool blocking = true);

    /**
     * The default stream, made by the first call. With LegacyDefaultStream each of its operations
     * waits for all that blocking streams were given before, and what they are given afterwards
     * waits for it.
     * @return it
     */
    Ptr<GpuStream> GetDefaultStream();

    /// @return the engines that copy without SMs
    Ptr<CopyEngines> GetCopyEngines() const
    {
        return m_copyEngines;
    }

    /// @return its streams, in order of creation
    const std::vector<Ptr<GpuStream>>& GetStreams() const
    {
        return m_streams;
    }

    /**
     * Books memory bandwidth for a reduction: two operands read, the result written. Bookings are
     * served one after the other, at what kernels that run beside them leave.
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

    /**
     * Takes the host thread that launches this GPU's work, after what it is busy with.
     * @param cost of the launch
     * @return when it is launched (time steps)
     */
    int64_t BookHost(Time cost);

    /// @return what launching a kernel or a copy takes the host
    Time GetLaunchLatency() const
    {
        return m_launchLatency;
    }

    /// @return from the end of what comes before a kernel until it runs
    Time GetKernelStartLatency() const
    {
        return m_kernelStartLatency;
    }

    /// @return what launching a graph takes the host
    Time GetGraphLaunchLatency() const
    {
        return m_graphLaunchLatency;
    }

    /// @return from the end of the nodes of a graph until one that comes after them runs
    Time GetGraphNodeGap() const
    {
        return m_graphNodeGap;
    }

    /// Called by a stream. @param stream that is given an operation @param after gets the marks
    /// that the operation waits for because of the default stream
    void AddDefaultStreamOrder(const GpuStream& stream, std::vector<Ptr<StreamMark>>& after);

  protected:
    void DoDispose() override;

  private:
    int64_t BookMemory(uint64_t bytes, uint32_t accesses, int64_t now);
    void SetMultiprocessors(uint32_t count);
    void SetHbmBandwidth(DataRate rate);
    void SetCopyEngineCount(uint32_t count);
    uint32_t GetCopyEngineCount() const;
    void SetHostRate(DataRate rate);
    DataRate GetHostRate() const;
    void SetPeakRates(std::string rates);
    std::string GetPeakRates() const;

    uint32_t m_id{0};
    uint32_t m_server{0};
    uint32_t m_localIndex{0};
    uint32_t m_domain{NO_DOMAIN};
    uint32_t m_multiprocessors{0};
    uint64_t m_memoryBytes{0};
    DataRate m_hbmBandwidth;
    DataRate m_communicationMemoryPerSm;
    PrecisionRates m_peakRates{};
    Ptr<GpuProcessor> m_processor;
    Ptr<CopyEngines> m_copyEngines;
    Time m_launchLatency;
    Time m_kernelStartLatency;
    Time m_graphLaunchLatency;
    Time m_graphNodeGap;
    bool m_legacyDefaultStream{true};
    int64_t m_hostFreeAt{0};
    int64_t m_memoryFreeAt{0};
    Ptr<Node> m_node;
    std::vector<GpuNicPort> m_nicPorts;
    Ptr<ScaleUpPort> m_scaleUpPort;
    std::vector<Ptr<GpuStream>> m_streams;
    Ptr<GpuStream> m_defaultStream; ///< null until somebody wants it
};

} // namespace ns3

#endif // GPU_ENDPOINT_H
