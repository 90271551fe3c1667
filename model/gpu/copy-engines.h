// SPDX-License-Identifier: GPL-2.0-only
#ifndef COPY_ENGINES_H
#define COPY_ENGINES_H

#include "ns3/data-rate.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class GpuEndpoint;

/// Where a copy goes.
enum class GpuCopyKind
{
    HOST_TO_DEVICE,
    DEVICE_TO_HOST,
    PEER_TO_PEER,     ///< to the memory of another GPU
    DEVICE_TO_DEVICE, ///< within the GPU's memory
};

/// A copy that a GPU's engines make.
struct GpuCopy
{
    GpuCopyKind kind;
    uint64_t bytes;
    Ptr<GpuEndpoint> peer; ///< of PEER_TO_PEER: the GPU that gets it
};

/**
 * @ingroup ai-fabric
 * @brief The engines of a GPU that copy without its SMs.
 *
 * Each serves its copies one after the other. The kinds are dealt out over the engines in their
 * order (with one engine all go one after another, with two both ways of the host have one each).
 * A copy from or to the host takes the PCIe tree of the server, or the rate of the host where there
 * is none. A copy to a peer takes the scale-up port where both are in one domain, else PCIe. All
 * but those by the scale-up port have a claim on the GPU's memory bandwidth, as a kernel has.
 */
class CopyEngines : public Object
{
  public:
    /// Called when a copy is done.
    using Done = std::function<void()>;

    /// @return the TypeId
    static TypeId GetTypeId();

    CopyEngines();
    ~CopyEngines() override;

    /// @param count how many copies can be under way at once; before the first copy
    void SetCount(uint32_t count)
    {
        m_count = count;
    }

    /// @return how many copies can be under way at once
    uint32_t GetCount() const
    {
        return m_count;
    }

    /// @param rate of a copy from or to the host where the server has no PCIe tree
    void SetHostRate(DataRate rate)
    {
        m_hostRate = rate;
    }

    /// @return the rate of a copy from or to the host where the server has no PCIe tree
    DataRate GetHostRate() const
    {
        return m_hostRate;
    }

    /// @param gpu whose engines they are @param copy what is to be copied
    /// @return empty, or why that cannot be
    std::string Check(const GpuEndpoint& gpu, const GpuCopy& copy) const;

    /// @param gpu whose engines they are @param copy what is to be copied @param done called when
    /// it is
    void Copy(GpuEndpoint& gpu, const GpuCopy& copy, Done done);

  protected:
    void DoDispose() override;

  private:
    /// A copy that waits for its engine.
    struct Job
    {
        Ptr<GpuEndpoint> gpu;
        GpuCopy copy;
        Done done;
    };

    /// One engine; the front job is under way.
    using Engine = std::deque<Job>;

    /// The way to a peer by the scale-up port.
    class PeerFlow;

    void StartFront(size_t engine);
    void FrontDone(size_t engine);
    int64_t BookLinks(GpuEndpoint& gpu, const GpuCopy& copy) const;
    void CopyByScaleUp(GpuEndpoint& gpu, const GpuCopy& copy, Done done);

    uint32_t m_count{1};
    DataRate m_hostRate;
    std::vector<Engine> m_engines;
    std::vector<std::unique_ptr<PeerFlow>> m_peers;
};

} // namespace ns3

#endif // COPY_ENGINES_H
