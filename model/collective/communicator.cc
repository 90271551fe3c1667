// SPDX-License-Identifier: GPL-2.0-only
#include "communicator.h"

#include "queue-pair-connection.h"
#include "scale-up-connection.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Communicator);

TypeId
Communicator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Communicator")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<Communicator>()
            .AddAttribute("QueuePairsPerConnection",
                          "Pairs of queue pairs of each connection over the network "
                          "(NCCL_IB_QPS_PER_CONNECTION).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&Communicator::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 128))
            .AddAttribute("SplitData",
                          "Each message is split over all of them "
                          "(NCCL_IB_SPLIT_DATA_ON_QPS); else they take whole "
                          "messages in turn.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Communicator::m_splits),
                          MakeBooleanChecker());
    return tid;
}

Communicator::Communicator()
    : m_completions(CreateObject<CompletionQueue>())
{
    m_completions->SetCallback(MakeCallback(&Communicator::Completed, this));
}

Communicator::~Communicator() = default;

void
Communicator::DoDispose()
{
    m_completions->SetCallback(Callback<void, const WorkCompletion&>());
    m_failureCallbacks.clear();
    m_connections.clear();
    m_networkConnections.clear();
    m_bySource.clear();
    m_streams.clear();
    m_gpus.clear();
    Object::DoDispose();
}

void
Communicator::SetRanks(const std::string& name, const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    NS_ABORT_MSG_IF(!m_gpus.empty(), "Communicator " << m_name << ": the ranks are set already");
    NS_ABORT_MSG_IF(gpus.empty(), "Communicator " << name << " has no rank");
    m_name = name;
    m_gpus = gpus;
    m_streams.resize(gpus.size());
    m_bySource.resize(gpus.size());
    std::set<uint32_t> seen;
    std::vector<RankPlace> places;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        NS_ABORT_MSG_UNLESS(seen.insert(gpu->GetId()).second,
                            "Communicator " << name << ": GPU " << gpu->GetId()
                                            << " has two ranks");
        // Domains and servers are numbered each on their own: odd and even keep them apart.
        bool domain = gpu->GetScaleUpPort() != nullptr;
        uint32_t group = domain ? 2 * gpu->GetScaleUpDomain() : 2 * gpu->GetServer() + 1;
        places.push_back({group, gpu->GetLocalIndex()});
    }
    m_layout = RankLayout(places);
}

Ptr<GpuStream>
Communicator::GetStream(uint32_t rank)
{
    Ptr<GpuStream>& stream = m_streams.at(rank);
    if (!stream)
    {
        stream = m_gpus[rank]->CreateStream();
    }
    return stream;
}

void
Communicator::SetStream(uint32_t rank, Ptr<GpuStream> stream)
{
    m_streams.at(rank) = stream;
}

CollectiveConnection&
Communicator::GetConnection(uint32_t channel, uint32_t source, uint32_t destination)
{
    NS_ABORT_MSG_IF(source >= GetSize() || destination >= GetSize() || source == destination,
                    "Communicator " << m_name << ": no connection leads from rank " << source
                                    << " to rank " << destination);
    CollectiveConnection*& connection = m_bySource[source][{channel, destination}];
    if (!connection)
    {
        m_connections.push_back(MakeConnection({channel, source, destination}));
        connection = m_connections.back().get();
    }
    return *connection;
}

std::unique_ptr<CollectiveConnection>
Communicator::MakeConnection(const CollectiveConnection::Ends& ends)
{
    const GpuEndpoint& from = *m_gpus[ends.source];
    const GpuEndpoint& to = *m_gpus[ends.destination];
    auto failure = [this](const std::string& why) { Fail(why); };
    if (from.GetScaleUpPort() && to.GetScaleUpPort() &&
        from.GetScaleUpDomain() == to.GetScaleUpDomain())
    {
        return std::make_unique<ScaleUpConnection>(ends, from, to, failure);
    }
    const auto ways = static_cast<uint32_t>(FindNicWays(from, to).size());
    auto connection =
        std::make_unique<QueuePairConnection>(ends,
                                              from,
                                              to,
                                              std::max(m_queuePairs, ways), // every port is used
                                              m_splits ? Striping::SPLIT : Striping::ROUND_ROBIN,
                                              m_completions,
                                              static_cast<uint32_t>(m_networkConnections.size()),
                                              failure);
    connection->SetJob(m_job);
    m_networkConnections.push_back(connection.get());
    return connection;
}

void
Communicator::Completed(const WorkCompletion& completion)
{
    if (m_error.empty())
    {
        m_networkConnections[completion.id >> 32]->Completed(completion);
    }
}

void
Communicator::Fail(const std::string& why)
{
    if (m_error.empty())
    {
        m_error = "communicator " + m_name + ": " + why;
        Simulator::ScheduleNow(&Communicator::ReportFailure, this);
    }
}

void
Communicator::ReportFailure()
{
    for (const auto& connection : m_connections)
    {
        connection->Abandon();
    }
    for (const auto& callback : m_failureCallbacks)
    {
        callback();
    }
}

void
Communicator::AddFailureCallback(std::function<void()> callback)
{
    m_failureCallbacks.push_back(std::move(callback));
}

} // namespace ns3
