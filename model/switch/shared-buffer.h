// SPDX-License-Identifier: GPL-2.0-only
#ifndef SHARED_BUFFER_H
#define SHARED_BUFFER_H

#include "dynamic-threshold-policy.h"

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/wire-format.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

/// What the memory has to know of a port.
struct BufferPort
{
    uint8_t losslessClasses{0}; ///< bit c: frames of class c that come in here must not be dropped
    uint64_t headroomBytes{0};  ///< of each of these classes
    uint64_t bitsPerSecond{0};  ///< line rate
    uint32_t frameOverhead{0};  ///< preamble and gap, bytes
};

/**
 * @ingroup ai-fabric
 * @brief Packet memory of a switch and the account of who uses it.
 *
 * Each byte is booked twice. Where it came in (port, class): first against the class's reserve,
 * then against a shared pool up to a limit, and for a lossless class beyond that against headroom,
 * which only what is in flight after a pause may use. And where it leaves (port, class), where a
 * limit keeps one hot port from taking the whole pool: a frame of a lossy class that would pass it
 * is dropped. How large the limits are is the BufferPolicy's business.
 *
 * A lossless class is to be paused once it uses headroom, or its shared part has reached the limit;
 * it may be opened when its headroom is empty and the shared part has fallen below the limit by
 * XonOffset.
 *
 * By default lossless and lossy classes share one pool, and headroom is each port's own. All sizes
 * are of 64 bits, and nothing depends on how many ports there are.
 */
class SharedBuffer : public Object
{
  public:
    /// The pools on either side.
    enum Pool : uint32_t
    {
        MAIN_POOL = 0, ///< of lossless classes, and of all where LossyPool is 0
        LOSSY_POOL = 1 ///< of lossy classes
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param policy to use instead of one made from attribute Policy; before Configure()
    void SetPolicy(Ptr<BufferPolicy> policy);

    /// @return the policy; null before Configure()
    Ptr<BufferPolicy> GetPolicy() const
    {
        return m_keepPolicy;
    }

    /**
     * Lays the memory out. Must be called before traffic.
     * @param ports what there is to know of each
     * @return empty, or why the memory cannot work like this, with the figures
     */
    std::string Configure(const std::vector<BufferPort>& ports);

    /**
     * Books a frame that has come in.
     * @param ingress port by which it came
     * @param egress port by which it is to leave
     * @param trafficClass its class
     * @param bytes its size
     * @return false: there is no room, the frame is to be dropped and was not booked
     */
    bool Admit(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes);

    /**
     * Books a frame out that leaves.
     * @param ingress port by which it came
     * @param egress port by which it leaves
     * @param trafficClass its class
     * @param bytes its size when it was booked
     */
    void Release(uint32_t ingress, uint32_t egress, uint32_t trafficClass, uint64_t bytes);

    /// @param port ingress @param trafficClass class @return true: its sender must be stopped
    bool MustPause(uint32_t port, uint32_t trafficClass) const;
    /// @param port ingress @param trafficClass class @return true: its sender may go on
    bool MayResume(uint32_t port, uint32_t trafficClass) const;

    /// Has the processor fetch what Admit() needs. @param ingress port @param egress port
    /// @param trafficClass class
    void Prefetch(uint32_t ingress, uint32_t egress, uint32_t trafficClass) const
    {
        __builtin_prefetch(&IngressOf(ingress, trafficClass), 1);
        __builtin_prefetch(&EgressOf(egress, trafficClass), 1);
    }

    // ---- what is booked

    /// @return bytes that are booked now
    uint64_t GetUsedBytes() const
    {
        return m_usedBytes;
    }

    /// @return most bytes that were ever booked
    uint64_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /// @return most bytes of headroom that one port and class ever used
    uint64_t GetPeakHeadroomBytes() const
    {
        return m_peakHeadroomBytes;
    }

    /// @return bytes of headroom in use now, of all ports and classes
    uint64_t GetUsedHeadroomBytes() const
    {
        return m_headroomUsed;
    }

    /// @param port ingress @return frames booked there
    uint64_t GetIngressFrames(uint32_t port) const
    {
        uint64_t frames = 0;
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            frames += IngressOf(port, c).frames;
        }
        return frames;
    }

    /// @param port ingress @param trafficClass class @return bytes booked there
    uint64_t GetIngressBytes(uint32_t port, uint32_t trafficClass) const;
    /// @param port ingress @param trafficClass class @return those of them in a shared pool
    uint64_t GetIngressSharedBytes(uint32_t port, uint32_t trafficClass) const;

    /// @param port egress @param trafficClass class @return bytes that wait to leave there
    uint64_t GetEgressBytes(uint32_t port, uint32_t trafficClass) const
    {
        return EgressOf(port, trafficClass).bytes;
    }

    /// @param bytes size of a frame @return what it takes of the memory: whole cells
    uint64_t RoundToCells(uint64_t bytes) const
    {
        return m_cellBytes > 1 ? (bytes + m_cellBytes - 1) / m_cellBytes * m_cellBytes : bytes;
    }

    /**
     * Adds everything up: accounts give the pools, pools the memory, ingress the same as egress,
     * nothing is beyond its bound.
     * @return empty, or what does not add up, with the figures
     */
    std::string CheckInvariants() const;

    /**
     * The part of CheckInvariants() that does not take longer with more ports.
     * @param port one of which the accounts are looked at
     * @return empty, or what does not add up, with the figures
     */
    std::string CheckPort(uint32_t port) const;

    // ---- how the memory is laid out

    /// @return size of the memory, bytes
    uint64_t GetSizeBytes() const
    {
        return m_sizeBytes;
    }

    /// @return cell size, bytes; 0 or 1: frames take what they have
    uint32_t GetCellBytes() const
    {
        return m_cellBytes;
    }

    /// @return number of ports
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /// @return what ports share, of all pools, bytes
    uint64_t GetSharedBytes() const
    {
        return m_pools[MAIN_POOL].size + m_pools[LOSSY_POOL].size;
    }

    /// @param pool a Pool @return its size, bytes
    uint64_t GetPoolBytes(uint32_t pool) const
    {
        return m_pools[pool].size;
    }

    /// @param trafficClass class @return the Pool of its ingress accounts
    uint32_t GetPool(uint32_t trafficClass) const
    {
        return m_poolOf[trafficClass];
    }

    /// @return headroom that is set aside, in all, bytes
    uint64_t GetHeadroomBytes() const
    {
        return m_headroomSize;
    }

    /**
     * With pooled headroom smaller than the sum of what the ports need, losslessness holds only
     * while few are in need at once.
     * @return how many ports and classes may fill their headroom at the same time, whichever they
     * are; all of them unless the pool is oversubscribed
     */
    uint32_t GetGuaranteedPauses() const
    {
        return m_guaranteedPauses;
    }

    // ---- for policies

    /// @param trafficClass class @return what is free of its shared pool, bytes
    uint64_t GetFreeBytes(uint32_t trafficClass) const
    {
        const Store& pool = m_pools[m_poolOf[trafficClass]];
        return pool.size - pool.used;
    }

    /// @param trafficClass class @return what is free for its egress queues, bytes
    uint64_t GetEgressFreeBytes(uint32_t trafficClass) const
    {
        const Store& pool = m_egressPools[m_egressPoolOf[trafficClass]];
        return pool.size == UINT64_MAX ? GetFreeBytes(trafficClass)
               : pool.used < pool.size ? pool.size - pool.used
                                       : 0;
    }

    /// @param port ingress @param trafficClass class @return its alpha
    double GetIngressAlpha(uint32_t port, uint32_t trafficClass) const
    {
        return IngressOf(port, trafficClass).alpha;
    }

    /// @param port egress @param trafficClass class @return its alpha
    double GetEgressAlpha(uint32_t port, uint32_t trafficClass) const
    {
        return EgressOf(port, trafficClass).alpha;
    }

    /// @param port number @return its rate over ReferenceRate; 1 if there is none
    double GetScale(uint32_t port) const
    {
        return m_ports[port].scale;
    }

    /// @param port number @param bytes for a port of ReferenceRate @return for this port
    uint64_t ScaleToPort(uint32_t port, uint64_t bytes) const
    {
        double scale = m_ports[port].scale;
        return scale == 1 ? bytes : static_cast<uint64_t>(scale * static_cast<double>(bytes));
    }

    /// @param port number @return line rate, bits a second
    uint64_t GetBitRate(uint32_t port) const
    {
        return m_ports[port].facts.bitsPerSecond;
    }

    /// @param port number @return preamble and gap, bytes
    uint32_t GetFrameOverhead(uint32_t port) const
    {
        return m_ports[port].facts.frameOverhead;
    }

  protected:
    void DoDispose() override;

  private:
    /// Of a port and class, where frames came in. A frame touches one: it is one cache line.
    struct alignas(64) IngressAccount
    {
        uint64_t main{0};          ///< booked against the reserve, then against a shared pool
        uint64_t headroom{0};      ///< booked beyond
        uint64_t reserved{0};      ///< the reserve
        uint64_t headroomLimit{0}; ///< 0 if the class is lossy here
        uint64_t xonOffset{0};
        double alpha{0};
        uint32_t frames{0};
        bool isLimited{false};    ///< the policy has a limit for it
        bool limitsEgress{false}; ///< and one for the egress queue, as far as its frames go
    };

    /// Of a port and class, where frames leave.
    struct EgressQueue
    {
        uint64_t bytes{0};
        double alpha{0};
    };

    /// A part of the memory that several draw on.
    struct Store
    {
        uint64_t size{0};
        uint64_t used{0};
    };

    struct Port
    {
        BufferPort facts;
        double scale{1}; ///< rate over ReferenceRate
    };

    static uint64_t SharedPart(uint64_t mainBytes, uint64_t reserved)
    {
        return mainBytes > reserved ? mainBytes - reserved : 0;
    }

    IngressAccount& IngressOf(uint32_t port, uint32_t trafficClass)
    {
        return m_ingress[size_t{port} * N_TRAFFIC_CLASSES + trafficClass];
    }

    const IngressAccount& IngressOf(uint32_t port, uint32_t trafficClass) const
    {
        return m_ingress[size_t{port} * N_TRAFFIC_CLASSES + trafficClass];
    }

    EgressQueue& EgressOf(uint32_t port, uint32_t trafficClass)
    {
        return m_egress[size_t{port} * N_TRAFFIC_CLASSES + trafficClass];
    }

    const EgressQueue& EgressOf(uint32_t port, uint32_t trafficClass) const
    {
        return m_egress[size_t{port} * N_TRAFFIC_CLASSES + trafficClass];
    }

    uint64_t IngressLimit(const IngressAccount& account, uint32_t port, uint32_t trafficClass) const
    {
        return m_dynamic ? DynamicThresholdPolicy::Limit(account.alpha, GetFreeBytes(trafficClass))
                         : m_policy->IngressLimit(*this, port, trafficClass);
    }

    uint64_t EgressLimit(const EgressQueue& queue, uint32_t port, uint32_t trafficClass) const
    {
        return m_dynamic
                   ? DynamicThresholdPolicy::Limit(queue.alpha, GetEgressFreeBytes(trafficClass))
                   : m_policy->EgressLimit(*this, port, trafficClass);
    }

    bool FitsEgress(uint32_t egress, uint32_t trafficClass, uint64_t bytes) const;
    std::string SetClasses();
    std::string LayOut();
    std::string LayOutHeadroom();
    std::string ChoosePools();
    std::string ChoosePolicy();
    std::string CheckTotals() const;
    uint8_t GetLosslessClasses() const;

    // ---- attributes
    uint64_t m_sizeBytes{0};
    uint64_t m_reservedBytes{0};
    uint64_t m_xonOffsetBytes{0};
    double m_alpha{0};
    double m_lossyAlpha{0};
    uint64_t m_lossyPoolBytes{0};
    uint64_t m_egressPoolBytes{0};
    uint64_t m_egressLossyPoolBytes{0};
    uint64_t m_headroomPoolBytes{0};
    double m_oversubscription{1};
    uint32_t m_cellBytes{0};
    uint8_t m_lossyIngressLimited{0};
    uint8_t m_losslessEgressLimited{0};
    DataRate m_referenceRate;
    std::string m_ingressAlphaText;
    std::string m_egressAlphaText;
    std::string m_reservedText;
    std::string m_xonOffsetText;
    ObjectFactory m_policyFactory;

    // ---- state
    BufferPolicy* m_policy{nullptr};
    bool m_dynamic{false}; ///< the policy is the default one: no call
    bool m_policyWatches{false};
    std::array<uint8_t, N_TRAFFIC_CLASSES> m_poolOf{};
    std::array<uint8_t, N_TRAFFIC_CLASSES> m_egressPoolOf{};
    bool m_egressBounded{false}; ///< a pool of the egress has a size, so what it holds is counted
    std::array<Store, 2> m_pools;
    std::array<Store, 2> m_egressPools;
    uint64_t m_headroomSize{0};
    uint64_t m_headroomUsed{0};
    uint64_t m_usedBytes{0};
    uint64_t m_peakBytes{0};
    uint64_t m_peakHeadroomBytes{0};
    uint32_t m_guaranteedPauses{0};
    std::vector<IngressAccount> m_ingress; ///< by port, by class
    std::vector<EgressQueue> m_egress;     ///< likewise
    std::vector<Port> m_ports;
    Ptr<BufferPolicy> m_keepPolicy;
    Ptr<BufferPolicy> m_givenPolicy; ///< by SetPolicy()
};

} // namespace ns3

#endif // SHARED_BUFFER_H
