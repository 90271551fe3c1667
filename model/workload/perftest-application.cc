// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-application.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PerftestApplication);

TypeId
PerftestApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PerftestApplication")
            .SetParent<Application>()
            .SetGroupName("AiFabric")
            .AddConstructor<PerftestApplication>()
            .AddTraceSource("Result",
                            "A size has been measured, or the test has failed.",
                            MakeTraceSourceAccessor(&PerftestApplication::m_resultTrace),
                            "ns3::PerftestApplication::ResultTracedCallback");
    return tid;
}

PerftestApplication::PerftestApplication() = default;
PerftestApplication::~PerftestApplication() = default;

void
PerftestApplication::DoDispose()
{
    m_latency.reset();
    m_directions.clear();
    m_client.Clear();
    m_server.Clear();
    Application::DoDispose();
}

void
PerftestApplication::Set(const PerftestConfig& config,
                         Ptr<FabricNetDevice> client,
                         Ptr<FabricNetDevice> server)
{
    m_config = CompletePerftest(config);
    auto stackOf = [](Ptr<FabricNetDevice> port) {
        auto stack = port->GetNode()->GetObject<RdmaStack>();
        NS_ABORT_MSG_UNLESS(stack, "PerftestApplication: the port's node has no RdmaStack");
        return stack;
    };
    PerftestObjection objection = CheckPerftest(m_config, stackOf(client)->GetDefaultMtu());
    NS_ABORT_MSG_UNLESS(objection.key.empty(),
                        "PerftestApplication: " << objection.key << ": " << objection.found
                                                << "; expected: " << objection.expected);
    m_client.Create(m_config, stackOf(client), client);
    m_server.Create(m_config, stackOf(server), server);
    PerftestSide::Connect(m_config, m_client, m_server);
    for (PerftestSide* side : {&m_client, &m_server})
    {
        side->SetErrorHandler([this](const std::string& error) { Failed(error); });
    }
    auto ended = [this] { DirectionEnded(); };
    if (MeasuresLatency(m_config))
    {
        m_latency = std::make_unique<PerftestLatencyTest>(m_config, m_client, m_server, ended);
        return;
    }
    m_directions.push_back(
        std::make_unique<PerftestBandwidthTest>(m_config, m_client, m_server, ended));
    if (m_config.bidirectional)
    {
        m_directions.push_back(
            std::make_unique<PerftestBandwidthTest>(m_config, m_server, m_client, ended));
    }
}

void
PerftestApplication::SetJob(uint32_t job)
{
    for (PerftestSide* side : {&m_client, &m_server})
    {
        for (uint32_t pair = 0; pair < side->GetN(); ++pair)
        {
            side->GetPair(pair)->SetJob(job);
        }
    }
}

void
PerftestApplication::StartApplication()
{
    NS_ABORT_MSG_IF(m_client.GetN() == 0, "PerftestApplication: Set was not called");
    Launch();
}

void
PerftestApplication::StopApplication()
{
    // RDMA offers no way to call a posted message back: the size that runs is the last one.
    m_config.sizes.resize(std::min(m_config.sizes.size(), m_size + 1));
}

void
PerftestApplication::Launch()
{
    uint64_t bytes = m_config.sizes[m_size];
    m_running = m_latency ? 1 : m_directions.size();
    if (m_latency)
    {
        m_latency->Start(bytes);
    }
    for (auto& direction : m_directions)
    {
        direction->Start(bytes);
    }
}

void
PerftestApplication::DirectionEnded()
{
    if (--m_running == 0)
    {
        // In an event of its own: what ended is still in the middle of something.
        Simulator::ScheduleNow(&PerftestApplication::Report, this);
    }
}

void
PerftestApplication::Report()
{
    PerftestResult result;
    result.bytes = m_config.sizes[m_size];
    result.iterations = uint64_t{m_config.iterations} * m_config.queuePairs;
    result.isLatency = m_latency != nullptr;
    if (m_latency)
    {
        result.latency = m_latency->GetResult();
    }
    for (const auto& direction : m_directions)
    {
        PerftestBandwidth one = direction->GetResult();
        result.bandwidth.peakMibPerSecond += one.peakMibPerSecond;
        result.bandwidth.averageMibPerSecond += one.averageMibPerSecond;
        result.bandwidth.messagesPerMicrosecond += one.messagesPerMicrosecond;
    }
    m_results.push_back(result);
    ++m_size;
    m_done = m_size == m_config.sizes.size();
    m_resultTrace(result);
    if (!m_done)
    {
        Launch();
    }
}

void
PerftestApplication::Failed(const std::string& error)
{
    if (m_done)
    {
        return; // what was posted behind the failed request is flushed
    }
    m_done = true;
    PerftestResult result;
    result.bytes = m_config.sizes[m_size];
    result.isLatency = m_latency != nullptr;
    result.error = error;
    m_results.push_back(result);
    m_resultTrace(result);
}

} // namespace ns3
