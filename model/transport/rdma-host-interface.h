// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_HOST_INTERFACE_H
#define RDMA_HOST_INTERFACE_H

#include "connection-cache.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/// What the host interface keeps of a queue pair; its requester holds it.
struct RdmaHostQueue
{
    int64_t nextMessage{0}; ///< the pair's next message starts no sooner, time steps
    int64_t turned{0};      ///< after its last message's last frame, likewise
};

/// What went over a host interface.
struct RdmaHostCounters
{
    uint64_t doorbells{0};    ///< work requests posted
    uint64_t blueFlames{0};   ///< of these, written whole with the doorbell
    uint64_t bytesRead{0};    ///< payload and work requests read from host memory
    uint64_t bytesWritten{0}; ///< payload and completions written to host memory
    uint64_t cacheHits{0};    ///< look-ups of a connection that the NIC had at hand
    uint64_t cacheMisses{0};  ///< look-ups that went to host memory
};

/**
 * @ingroup ai-fabric
 * @brief The host's side of an RDMA NIC: doorbells, PCIe, message rates, the connection cache.
 *
 * A NIC without one is ideal: posting, reading and placing take no time. With all attributes at
 * their defaults an interface costs nothing either; each attribute brings one cost in. Several
 * ports may share one (a card of two ports). It keeps clocks, no events: each method says when what
 * it is asked for is done, and books it, so it is to be called when the thing starts, in order of
 * time.
 *
 * PCIe (Neugebauer et al., SIGCOMM 2018): `lanes` of the generation's rate, less its line code,
 * less LinkLayerShare for acknowledgements and flow control, carry payload in packets of MaxPayload
 * bytes, each with ReadHeaderBytes (completions of reads) or WriteHeaderBytes. Reads are also
 * bounded by ReadCredits requests of MaxReadRequest bytes each ReadLatency. Each direction is one
 * server, first come, first served.
 */
class RdmaHostInterface : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaHostInterface();
    ~RdmaHostInterface() override;

    /**
     * A work request is posted. The doorbell crosses PCIe. With it comes the work request itself
     * (BlueFlame), or the NIC reads it. The NIC looks the connection up, waits for its own and the
     * pair's message interval, and prepares the first frame.
     * @param queue of the pair
     * @param qpNumber of the pair, different for all pairs of all ports that share the interface
     * @param inlineBytes payload that lies in the work request itself
     * @param sgeCount pieces of memory that the payload lies in, if it is not inline
     * @param now time steps
     * @return when its first frame could go, time steps; payload that is not inline is to be
     * fetched
     */
    int64_t Post(RdmaHostQueue& queue,
                 uint32_t qpNumber,
                 uint32_t inlineBytes,
                 uint32_t sgeCount,
                 int64_t now);

    /**
     * A frame's turn has come: its payload is read from host memory. The NIC asks for it so far
     * ahead that it is there in time, but not before it knows the message.
     * @param bytes of the frame's payload
     * @param requestReady when the NIC knew the message: Post()'s answer, or the arrival of a READ
     * request
     * @param first it is the message's first frame: its data cannot be asked for before
     * @p requestReady
     * @param now time steps
     * @return when the payload is there, time steps
     */
    int64_t Fetch(uint64_t bytes, int64_t requestReady, bool first, int64_t now);

    /**
     * The last frame of a pair's message goes.
     * @param queue of the pair; its `turned` is when the next message's first frame may go
     * @param end of the frame on the wire, time steps
     */
    void Sent(RdmaHostQueue& queue, int64_t end) const
    {
        queue.turned = end + m_turnaround.GetTimeStep();
    }

    /**
     * Payload has arrived; with 0 bytes, an acknowledgement.
     * @param bytes of it
     * @param now time steps
     * @return when it is visible in host memory, time steps
     */
    int64_t Place(uint64_t bytes, int64_t now);

    /**
     * A completion entry follows.
     * @param placed what Place() said of the payload, or of the acknowledgement
     * @return when who polls sees the entry, time steps
     */
    int64_t Report(int64_t placed);

    /**
     * Looks a connection up.
     * @param qpNumber of the pair, as with Post()
     * @param now time steps
     * @return time steps until its state is at hand
     */
    int64_t Context(uint32_t qpNumber, int64_t now);

    /// @param bytes read @return time that they take of PCIe's way in, time steps
    int64_t ReadSteps(uint64_t bytes) const;

    /// @param bytes written @return time that they take of PCIe's way out, time steps
    int64_t WriteSteps(uint64_t bytes) const;

    /// @return time steps from a marked frame to its CNP
    int64_t GetCnpSteps() const
    {
        return m_cnpProcessing.GetTimeStep();
    }

    /// @return what went over it
    const RdmaHostCounters& GetCounters() const
    {
        return m_counters;
    }

  private:
    /// @param bytes to read @param known since when @param now book @return when they are there
    int64_t Read(uint64_t bytes, int64_t known, int64_t now);

    /// @param bytes to move @param header of each packet @return their time on PCIe, time steps
    int64_t TransferSteps(uint64_t bytes, uint32_t header) const;

    // attributes
    Time m_doorbellLatency;
    uint32_t m_blueFlameBytes{0};
    uint32_t m_wqeBytes{0};
    uint32_t m_sgeBytes{0};
    uint32_t m_inlineHeaderBytes{0};
    uint32_t m_completionBytes{0};
    uint32_t m_pcieGeneration{0};
    uint32_t m_pcieLanes{0};
    double m_linkLayerShare{0};
    uint32_t m_maxPayload{0};
    uint32_t m_maxReadRequest{0};
    uint32_t m_readHeaderBytes{0};
    uint32_t m_writeHeaderBytes{0};
    Time m_readLatency;
    Time m_writeLatency;
    uint32_t m_readCredits{0};
    Time m_qpMessageInterval;
    Time m_nicMessageInterval;
    Time m_turnaround;
    Time m_sendProcessing;
    Time m_receiveProcessing;
    Time m_cnpProcessing;
    uint32_t m_cacheEntries{0};
    uint32_t m_cacheWays{0};
    Time m_cacheMissCost;
    uint32_t m_cacheMisses{0};

    ConnectionCache m_cache;

    // clocks, time steps
    int64_t m_readFree{0};    ///< PCIe's way in is booked until then
    int64_t m_writeFree{0};   ///< PCIe's way out
    int64_t m_nextMessage{0}; ///< the NIC takes no message on before
    int64_t m_missFree{0};    ///< likewise no cache miss
    RdmaHostCounters m_counters;
};

} // namespace ns3

#endif // RDMA_HOST_INTERFACE_H
