// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOW_REPORT_H
#define FLOW_REPORT_H

#include "ns3/rdma-flow-application.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Completion times and slowdowns of the flows of a run, as a few lines for a person.
 */
class FlowReport
{
  public:
    /// @param record a flow that has ended @param idealSteps its time if it were alone, time steps
    void Add(const FlowRecord& record, int64_t idealSteps);

    /// @return flows added, those that failed too
    size_t GetCount() const
    {
        return m_times.size() + m_failed;
    }

    /// @param out where to
    void Print(std::ostream& out) const;

    /// @return the same figures for summary.json
    nlohmann::ordered_json Summary() const;

  private:
    size_t m_failed{0};
    uint64_t m_bytes{0};
    int64_t m_firstStart{INT64_MAX};
    int64_t m_lastEnd{0};
    std::vector<double> m_times;     ///< microseconds
    std::vector<double> m_slowdowns; ///< completion over ideal
};

} // namespace ns3

#endif // FLOW_REPORT_H
