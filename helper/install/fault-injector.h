// SPDX-License-Identifier: GPL-2.0-only
#ifndef FAULT_INJECTOR_H
#define FAULT_INJECTOR_H

#include "fabric-helper.h"

#include "ns3/fabric-graph.h"
#include "ns3/gpu-endpoint.h"
#include "ns3/scenario-faults.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Makes go wrong in a fabric what a scenario's faults say, each at its time, and says so.
 *
 * A link is up while no fault holds it down, so faults that hold the same link may overlap. What a
 * fault sets (a rate, a probability) is set back when it ends. It must live as long as the
 * simulation runs.
 */
class FaultInjector
{
  public:
    /// A fault begins, changes or ends.
    struct Event
    {
        Time at;
        uint32_t fault;   ///< index in the faults
        std::string what; ///< happened: "down", "up", "100Gbps", ...
    };

    /// Hears of each event when it happens.
    using Listener = std::function<void(const FaultConfig&, const Event&)>;

    /// @param graph the fabric on paper @param network the fabric as installed
    FaultInjector(const FabricGraph& graph, const FabricNetwork& network);

    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;

    /// @param listener hears of what happens
    void SetListener(Listener listener);

    /// @param gpus by number; faults of GPUs need them when they begin
    void SetGpus(const std::vector<Ptr<GpuEndpoint>>& gpus);

    /// Schedules faults; before the simulation starts, once. @param faults places as in the graph
    void Schedule(const std::vector<FaultConfig>& faults);

    /// @return the faults
    const std::vector<FaultConfig>& GetFaults() const
    {
        return m_faults;
    }

    /// @return what has happened so far, in order
    const std::vector<Event>& GetEvents() const
    {
        return m_events;
    }

    /// @return when the last of the faults begins or ends, as far as they end
    Time GetLastChange() const;

  private:
    /// Faults that hold a cable now.
    struct Holds
    {
        uint32_t down{0};                 ///< both ends see it
        std::array<uint32_t, 2> silent{}; ///< by sending end: nobody sees it
    };

    /// What a fault has changed, to set it back.
    struct Saved
    {
        double probability{0};
        std::string fec;
        DataRate rate{0};
        uint64_t bytes{0};
    };

    void Begin(uint32_t index, uint32_t time);
    void End(uint32_t index, uint32_t time);
    std::string Change(uint32_t index, bool begins);
    std::string HoldDown(uint32_t edge, bool held);
    void Silence(uint32_t edge, uint32_t fromEnd, bool held);
    void ApplySilence(uint32_t edge);
    std::string HoldSwitch(uint32_t vertex, bool held);
    std::string SetRate(uint32_t edge, DataRate rate);
    std::string SetBitErrors(uint32_t index, bool begins);
    std::string SetLoss(uint32_t index, bool begins);
    std::string SlowDown(uint32_t index, bool begins);
    std::string SetClock(uint32_t index, bool begins);
    void Tell(uint32_t index, const std::string& what);
    uint32_t EndOf(uint32_t edge, uint32_t vertex) const;
    Ptr<FabricNetDevice> EndPort(uint32_t edge, uint32_t end) const;
    Ptr<FabricNetDevice> PortOf(const FaultConfig& fault) const;

    const FabricGraph& m_graph;
    const FabricNetwork& m_network;
    std::vector<Ptr<GpuEndpoint>> m_gpus;
    Listener m_listener;
    std::vector<FaultConfig> m_faults;
    std::vector<Event> m_events;
    std::vector<Holds> m_holds;          ///< by edge
    std::vector<uint32_t> m_switchHolds; ///< by vertex
    std::vector<uint64_t> m_lostBefore;  ///< by fault: frames that its cable had lost
    std::vector<Saved> m_saved;          ///< by fault
};

} // namespace ns3

#endif // FAULT_INJECTOR_H
