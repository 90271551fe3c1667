// SPDX-License-Identifier: GPL-2.0-only
#include "message-report.h"

namespace ns3
{

namespace
{
/// An ACK: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, ICRC 4, FCS 4.
constexpr uint64_t ACK_BYTES = wire::ROCEV2_BASE_BYTES + wire::AETH_BYTES;
} // namespace

MessageReport::MessageReport(const ResultsFolder& folder, const PortNames& names, Wire wire)
    : m_names(names),
      m_wire(wire),
      m_file(folder.Create("messages.csv"))
{
    m_file << "id,job,collective,source,destination,bytes,start_us,end_us,completion_us,ideal_us,"
              "slowdown,serialization_us,propagation_us,queueing_us,pause_us,congestion_control_us,"
              "window_us,nic_contention_us,host_interface_us,retransmission_us,status\n";
}

const MessageReport::Paths&
MessageReport::PathsOf(uint32_t source, uint32_t destination)
{
    auto [found, isNew] = m_paths.try_emplace({source, destination});
    if (isNew)
    {
        Ptr<FabricNetDevice> from = m_names.PortOfAddress(source);
        Ptr<FabricNetDevice> to = m_names.PortOfAddress(destination);
        found->second = {FindPath(from, to), FindPath(to, from)};
    }
    return found->second;
}

int64_t
MessageReport::IdealSteps(const MessageRecord& record)
{
    const Paths& paths = PathsOf(record.srcAddress, record.dstAddress);
    FrameTrain data = MakeFrameTrain(record.operation, record.bytes, m_wire.mtu, m_wire.headers);
    if (ReturnsData(record.operation))
    {
        uint64_t bytes = RequestFrameBytes(record.operation, m_wire.headers);
        return IdealTrainSteps(paths.there, {1, bytes, bytes, bytes}) +
               IdealTrainSteps(paths.back, data);
    }
    uint64_t ackBytes =
        ACK_BYTES + m_wire.headers.extraBytes + (m_wire.headers.selective ? wire::SACK_BYTES : 0);
    if (m_wire.controlBytes > 0)
    {
        ackBytes = m_wire.controlBytes;
    }
    FrameTrain ack{1, ackBytes, ackBytes, ackBytes};
    return IdealTrainSteps(paths.there, data) + IdealTrainSteps(paths.back, ack);
}

void
MessageReport::Write(const MessageRecord& record,
                     const std::string& job,
                     const std::string& collective)
{
    int64_t completion = record.end - record.start;
    int64_t ideal = IdealSteps(record);
    // No ideal where no route is left: a link has failed.
    double slowdown = ideal > 0 ? static_cast<double>(completion) / static_cast<double>(ideal) : 0;
    const TimeShares& shares = record.shares;
    m_file << m_count++ << ',' << job << ',' << collective << ','
           << m_names.NameOfAddress(record.srcAddress) << ','
           << m_names.NameOfAddress(record.dstAddress) << ',' << record.bytes << ','
           << MicrosecondText(record.start) << ',' << MicrosecondText(record.end) << ','
           << MicrosecondText(completion) << ',' << MicrosecondText(ideal) << ','
           << FixedText(slowdown, 4) << ',' << MicrosecondText(shares.serialization) << ','
           << MicrosecondText(shares.propagation) << ',' << MicrosecondText(shares.queueing) << ','
           << MicrosecondText(shares.paused) << ',' << MicrosecondText(shares.congestionControl)
           << ',' << MicrosecondText(shares.window) << ',' << MicrosecondText(shares.nicContention)
           << ',' << MicrosecondText(shares.hostInterface) << ','
           << MicrosecondText(shares.retransmission) << ',' << ToString(record.status) << '\n';
}

} // namespace ns3
