// SPDX-License-Identifier: GPL-2.0-only
#include "communicator.h"

#include "scale-up-connection.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/pointer.h"
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
                          MakeBooleanChecker())
            .AddAttribute("Pxn",
                          "A rank sends to one of another rail by the NIC of the GPU in its own "
                          "scale-up domain that is on that rail, if there is one (NCCL's PXN).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Communicator::m_pxn),
                          MakeBooleanChecker())
            .AddAttribute("Costs",
                          "What its kernels cost.",
                          PointerValue(),
                          MakePointerAccessor(&Communicator::m_costs),
                          MakePointerChecker<CollectiveCosts>());
    return tid;
}

Communicator::Communicator()
    : m_costs(CreateObject<CollectiveCosts>()),
      m_completions(CreateObject<CompletionQueue>())
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
    m_proxies.resize(gpus.size());
    m_streams.resize(gpus.size());
    m_bySource.resize(gpus.size());
    std::set<uint32_t> seen;
    std::vector<RankPlace> places;
    bool switchesReduce = true;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        NS_ABORT_MSG_UNLESS(seen.insert(gpu->GetId()).second,
                            "Communicator " << name << ": GPU " << gpu->GetId()
                                            << " has two ranks");
        // Domains and servers are numbered each on their own: odd and even keep them apart.
        bool domain = gpu->GetScaleUpPort() != nullptr;
        uint32_t group = domain ? 2 * gpu->GetScaleUpDomain() : 2 * gpu->GetServer() + 1;
        places.push_back({group, gpu->GetLocalIndex()});
        switchesReduce = switchesReduce && domain && gpu->GetScaleUpPort()->HasFrameGroups();
    }
    m_layout = RankLayout(places);
    m_layout.SetInSwitchReduction(switchesReduce);
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
Communicator::GetConnection(const ProgramMessage& message, uint32_t rank, bool sends)
{
    NS_ABORT_MSG_IF(rank >= GetSize() || message.peer >= GetSize() ||
                        (message.way == MessageWay::PEER && rank == message.peer),
                    "Communicator " << m_name << ": no connection joins rank " << rank
                                    << " and rank " << message.peer);
    bool peer = message.way == MessageWay::PEER;
    uint32_t first = peer && sends ? rank : message.peer;
    uint32_t second = !peer ? 0 : sends ? message.peer : rank;
    CollectiveConnection*& connection = m_bySource[first][{message.way, message.channel, second}];
    if (!connection)
    {
        m_connections.push_back(MakeConnection(FindEnds(message, rank, sends)));
        connection = m_connections.back().get();
    }
    return *connection;
}

CollectiveConnection::Ends
Communicator::FindEnds(const ProgramMessage& message, uint32_t rank, bool sends) const
{
    const std::vector<uint32_t>& group = m_layout.GetGroups()[m_layout.GetGroup(message.peer)];
    switch (message.way)
    {
    case MessageWay::REDUCTION:
        return {message.way, message.channel, group, {message.peer}};
    case MessageWay::MULTICAST:
        return {message.way, message.channel, {message.peer}, group};
    default:
        return {message.way,
                message.channel,
                {sends ? rank : message.peer},
                {sends ? message.peer : rank}};
    }
}

std::unique_ptr<CollectiveConnection>
Communicator::MakeConnection(const CollectiveConnection::Ends& ends)
{
    std::vector<Ptr<GpuEndpoint>> from;
    std::vector<Ptr<GpuEndpoint>> to;
    for (uint32_t rank : ends.sources)
    {
        from.push_back(m_gpus[rank]);
    }
    for (uint32_t rank : ends.destinations)
    {
        to.push_back(m_gpus[rank]);
    }
    const bool sameGroup =
        m_layout.GetGroup(ends.sources[0]) == m_layout.GetGroup(ends.destinations[0]);
    if (from[0]->GetScaleUpPort() && sameGroup)
    {
        return std::make_unique<ScaleUpConnection>(ends,
                                                   from,
                                                   to,
                                                   m_costs,
                                                   [this](const std::string& why) { Fail(why); });
    }
    NS_ABORT_MSG_IF(ends.way != MessageWay::PEER,
                    "Communicator " << m_name
                                    << ": a program reduces or multicasts in the switch, but the "
                                       "ranks have no scale-up domain");
    return MakeNetworkConnection(ends);
}

std::unique_ptr<CollectiveConnection>
Communicator::MakeNetworkConnection(const CollectiveConnection::Ends& ends)
{
    QueuePairConnection::Parts parts;
    parts.from = m_gpus[ends.sources[0]];
    const uint32_t carrier = FindCarrier(ends.sources[0], ends.destinations[0]);
    parts.carrier = m_gpus[carrier];
    parts.sending = &m_proxies[carrier];
    parts.receiving = &m_proxies[ends.destinations[0]];
    parts.to = m_gpus[ends.destinations[0]];
    const auto ways = static_cast<uint32_t>(FindNicWays(*parts.carrier, *parts.to).size());
    parts.pairs = std::max(m_queuePairs, ways); // every port is used
    parts.striping = m_splits ? Striping::SPLIT : Striping::ROUND_ROBIN;
    if (HaveOneCarrier(ends.sources[0], ends.destinations[0]))
    {
        parts.batches = &m_batches[{carrier, ends.destinations[0], ends.channel}];
    }
    auto connection =
        std::make_unique<QueuePairConnection>(ends,
                                              parts,
                                              m_costs,
                                              m_completions,
                                              static_cast<uint32_t>(m_networkConnections.size()),
                                              [this](const std::string& why) { Fail(why); });
    connection->SetJob(m_job);
    m_networkConnections.push_back(connection.get());
    return connection;
}

uint32_t
Communicator::FindCarrier(uint32_t source, uint32_t destination) const
{
    uint32_t rail = m_layout.GetRail(destination);
    if (!m_pxn || !m_gpus[source]->GetScaleUpPort() || m_layout.GetRail(source) == rail)
    {
        return source;
    }
    for (uint32_t rank : m_layout.GetGroups()[m_layout.GetGroup(source)])
    {
        if (m_layout.GetRail(rank) == rail &&
            !FindNicWays(*m_gpus[rank], *m_gpus[destination]).empty())
        {
            return rank;
        }
    }
    return source;
}

bool
Communicator::HaveOneCarrier(uint32_t source, uint32_t destination) const
{
    const std::vector<uint32_t>& group = m_layout.GetGroups()[m_layout.GetGroup(source)];
    return std::count_if(group.begin(),
                         group.end(),
                         [&](uint32_t rank) {
                             return m_layout.GetRail(rank) == m_layout.GetRail(destination);
                         }) == 1 &&
           m_layout.GetRail(FindCarrier(source, destination)) == m_layout.GetRail(destination) &&
           m_pxn && m_gpus[source]->GetScaleUpPort();
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
