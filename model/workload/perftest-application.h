// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_APPLICATION_H
#define PERFTEST_APPLICATION_H

#include "perftest-bandwidth.h"
#include "perftest-config.h"
#include "perftest-latency.h"
#include "perftest-result.h"
#include "perftest-side.h"

#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief linux-rdma/perftest as an application: one test between two ports, for each of some sizes.
 *
 * Set the test and the two ports, install it on the client's node, and listen to Result.
 */
class PerftestApplication : public Application
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PerftestApplication();
    ~PerftestApplication() override;

    /**
     * @param config what to measure; its defaults are filled in here, and it must pass
     * CheckPerftest
     * @param client port that begins; its node has an RdmaStack
     * @param server port of another node with one
     */
    void Set(const PerftestConfig& config,
             Ptr<FabricNetDevice> client,
             Ptr<FabricNetDevice> server);

    /// @return what is measured, complete
    const PerftestConfig& GetConfig() const
    {
        return m_config;
    }

    /// @param job number that reports group its messages by
    void SetJob(uint32_t job);

    /// @return the rows so far
    const std::vector<PerftestResult>& GetResults() const
    {
        return m_results;
    }

    /// @return all sizes are measured, or one has failed
    bool IsDone() const
    {
        return m_done;
    }

    /// Signature of Result. @param result a row
    typedef void (*ResultTracedCallback)(const PerftestResult& result);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Launch();
    void DirectionEnded();
    void Report();
    void Failed(const std::string& error);

    PerftestConfig m_config;
    PerftestSide m_client;
    PerftestSide m_server;
    std::unique_ptr<PerftestLatencyTest> m_latency;
    std::vector<std::unique_ptr<PerftestBandwidthTest>> m_directions;
    size_t m_size{0};    ///< index of the size that is measured
    size_t m_running{0}; ///< directions that are not done
    bool m_done{false};
    std::vector<PerftestResult> m_results;
    TracedCallback<const PerftestResult&> m_resultTrace;
};

} // namespace ns3

#endif // PERFTEST_APPLICATION_H
