// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_RUNNER_H
#define HPCC_RUNNER_H

#include "fabric-run.h"

#include "ns3/flow-report.h"
#include "ns3/hpcc-config.h"
#include "ns3/hpcc-flows.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/scenario.h"

#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Runs the input files of the HPCC family of simulators as they are: config.txt with its
 * topology, flows and trace nodes. Writes fct.txt and pfc.txt in their format beside our results.
 *
 * Time::SetResolution(Time::PS) must have been called.
 */
class HpccRunner
{
  public:
    /**
     * Builds the fabric; InputError where the configuration asks for what does not exist here.
     * @param config a configuration
     * @param wire sizes of frames, where they are to be as the peers'
     * @param options how the program was called
     * @param out where messages for the user go
     */
    HpccRunner(const HpccConfig& config,
               const WireConfig& wire,
               const RunOptions& options,
               std::ostream& out);
    ~HpccRunner();

    /// @return exit status: 0 done, 3 stalled or failed
    int Run();

  private:
    /// What the family makes of a path for windows and round trips.
    struct PathBounds
    {
        uint64_t windowBytes{0};   ///< its bandwidth-delay product
        int64_t roundTripSteps{0}; ///< 2 x delay + a payload's serialization on every link
    };

    void RefuseUnsupported() const;
    void MeasurePaths();
    void ConfigureFabric();
    void ConfigureTelemetry();
    void ConfigureRdma();
    void TakeLinkDown();
    void PlaceFlow(size_t index);
    PathBounds BoundsOf(const HpccFlow& flow) const;
    void FlowEnded(const FlowRecord& record);
    void PauseChanged(const ReportedPort& port, bool paused, int64_t at);

    HpccConfig m_config;
    WireConfig m_wire;
    std::ostream& m_out;
    HpccTopology m_topology;
    std::vector<HpccFlow> m_flows;
    FabricRun m_run;
    std::ofstream m_fct;
    std::ofstream m_pfc;
    std::vector<uint16_t> m_sourcePorts; ///< by flow
    std::map<std::pair<uint32_t, uint32_t>, uint16_t> m_nextPort;
    PathBounds m_longest; ///< of all pairs of hosts
    uint64_t m_bytesPlaced{0};
    uint64_t m_bytesDone{0};
    FlowReport m_flowReport;
};

} // namespace ns3

#endif // HPCC_RUNNER_H
