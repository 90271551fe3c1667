// SPDX-License-Identifier: GPL-2.0-only
#ifndef MESSAGE_REPORT_H
#define MESSAGE_REPORT_H

#include "port-names.h"
#include "results-folder.h"

#include "ns3/ideal-time.h"
#include "ns3/message-record.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief messages.csv: a row a message, written when it ends.
 *
 * The parts of its time add up to its completion time, to the picosecond.
 */
class MessageReport
{
  public:
    /// What is needed to say how fast a message could have been.
    struct Wire
    {
        uint32_t mtu;          ///< payload of a full frame
        DataHeaders headers;   ///< of data frames
        uint32_t controlBytes; ///< see RdmaNic; 0: RoCEv2
    };

    /**
     * @param folder where to
     * @param names of the ports
     * @param wire how messages are cut
     */
    MessageReport(const ResultsFolder& folder, const PortNames& names, Wire wire);

    /**
     * Writes a row.
     * @param record the message
     * @param job its job's name
     * @param collective its collective's number in the job; empty where it belongs to none
     */
    void Write(const MessageRecord& record, const std::string& job, const std::string& collective);

    /// @param record a message @return its time if it were alone in the fabric, time steps
    int64_t IdealSteps(const MessageRecord& record);

    /// @return how messages are cut
    const Wire& GetWire() const
    {
        return m_wire;
    }

    /// @return messages written
    uint64_t GetCount() const
    {
        return m_count;
    }

  private:
    struct Paths
    {
        std::vector<PathHop> there;
        std::vector<PathHop> back;
    };

    const Paths& PathsOf(uint32_t source, uint32_t destination);

    const PortNames& m_names;
    Wire m_wire;
    std::ofstream m_file;
    uint64_t m_count{0};
    std::map<std::pair<uint32_t, uint32_t>, Paths> m_paths; ///< by addresses
};

} // namespace ns3

#endif // MESSAGE_REPORT_H
