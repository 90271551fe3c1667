// SPDX-License-Identifier: GPL-2.0-only
#include "collective-planner.h"

#include "channel-orders.h"

#include "ns3/boolean.h"
#include "ns3/collective-algorithms.h"
#include "ns3/gpu-platform.h"
#include "ns3/msccl-xml.h"
#include "ns3/nccl-tuner-file.h"
#include "ns3/nccl-tuner.h"
#include "ns3/object-factory.h"
#include "ns3/program-checker.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ns3
{

namespace
{

/// Steps of a thread that FindPeers() looks at: programs go on as they begin.
constexpr uint32_t STEPS_LOOKED_AT = 64;

/// @param nccl as the scenario has it @return NAME=VALUE, separated by blanks
std::string
AssignmentsOf(const NcclConfig& nccl)
{
    std::string all;
    for (const auto& [name, value] : nccl.environment)
    {
        if (!IsNcclFile(name)) // these are read here
        {
            all += (all.empty() ? "" : " ") + name + "=" + value;
        }
    }
    return all;
}

} // namespace

CollectivePlanner::CollectivePlanner(const CollectiveChoice& choice,
                                     Ptr<Communicator> communicator,
                                     const std::string& gpuModel,
                                     const InputPlace& place)
    : m_choice(choice),
      m_communicator(communicator),
      m_place(place)
{
    const NcclEnvironment environment = MakeEnvironment();
    SetUpTransport(environment);
    std::vector<Ptr<GpuEndpoint>> gpus;
    for (uint32_t rank = 0; rank < communicator->GetSize(); ++rank)
    {
        gpus.push_back(communicator->GetGpu(rank));
    }
    m_platform = MakePlatform(gpus, FindGpuPreset(gpuModel), choice.nccl.cpuVendor);
    BooleanValue pxn;
    communicator->GetAttribute("Pxn", pxn);
    m_platform.pxn = pxn.Get();
    LayOrders(environment);
    if (choice.algorithm == "auto")
    {
        MakeTuner();
        SetTunerTable(environment);
    }
}

NcclEnvironment
CollectivePlanner::MakeEnvironment() const
{
    NcclEnvironment environment;
    for (const auto& [name, value] : m_choice.nccl.environment)
    {
        const auto folder = std::filesystem::path(m_place.file).parent_path();
        // The reader has checked it.
        environment.Set(name, IsNcclFile(name) ? (folder / value).string() : value);
    }
    return environment;
}

void
CollectivePlanner::SetUpTransport(const NcclEnvironment& environment)
{
    const NcclTransportSettings transport = environment.GetTransport();
    if (transport.ackTimeoutPs || transport.retries || transport.trafficClass)
    {
        throw InputError({m_place.file, m_place.line, "nccl"},
                         "NCCL_IB_TIMEOUT, NCCL_IB_RETRY_CNT and NCCL_IB_TC have no effect in a "
                         "scenario",
                         "timer, retries and class of all queue pairs under \"network\"");
    }
    if (transport.queuePairsPerConnection)
    {
        m_communicator->SetAttribute("QueuePairsPerConnection",
                                     UintegerValue(*transport.queuePairsPerConnection));
    }
    if (transport.splitData)
    {
        m_communicator->SetAttribute("SplitData", BooleanValue(*transport.splitData));
    }
    if (transport.pxn)
    {
        m_communicator->SetAttribute("Pxn", BooleanValue(*transport.pxn));
    }
    if (transport.adaptiveRouting)
    {
        m_communicator->GetCosts()->SetAttribute("AdaptiveRouting",
                                                 BooleanValue(*transport.adaptiveRouting));
    }
    if (transport.adaptiveRoutingThreshold)
    {
        m_communicator->GetCosts()->SetAttribute(
            "AdaptiveRoutingThreshold",
            UintegerValue(*transport.adaptiveRoutingThreshold));
    }
}

void
CollectivePlanner::LayOrders(const NcclEnvironment& environment)
{
    if (environment.GetText("NCCL_TOPO_FILE").empty() && !environment.Find("NCCL_CROSS_NIC"))
    {
        return; // the built-in orders
    }
    std::string error;
    constexpr uint32_t MOST_ORDERS = 32; // NCCL's rings, before it doubles them
    auto orders = FindOrders(*m_communicator, environment, MOST_ORDERS, m_platform, error);
    if (!orders)
    {
        throw InputError(m_place, error);
    }
    m_communicator->SetOrders(orders);
}

void
CollectivePlanner::MakeTuner()
{
    ObjectFactory factory(m_choice.tuner.empty() ? "ns3::NcclTuner" : m_choice.tuner);
    auto set = [&factory](const std::string& name, const std::string& value) {
        TypeId::AttributeInformation information;
        if (!value.empty() && factory.GetTypeId().LookupAttributeByName(name, &information))
        {
            factory.Set(name, StringValue(value));
        }
    };
    NcclConfig nccl = m_choice.nccl;
    if (m_choice.protocol != "auto")
    {
        nccl.environment.emplace_back("NCCL_PROTO", m_choice.protocol);
    }
    if (m_choice.channels > 0)
    {
        const std::string channels = std::to_string(m_choice.channels);
        nccl.environment.emplace_back("NCCL_MIN_NCHANNELS", channels);
        nccl.environment.emplace_back("NCCL_MAX_NCHANNELS", channels);
    }
    set("Version", nccl.version);
    set("Environment", AssignmentsOf(nccl));
    ApplyAttributes(m_choice.tunerParameters, factory);
    m_tuner = factory.Create<CollectiveTuner>();
    m_chooser = m_tuner->GetName();
}

void
CollectivePlanner::SetTunerTable(const NcclEnvironment& environment)
{
    // A tuner that is not NCCL's has no use for it, as for the version and the other variables.
    const std::string file = environment.GetText("NCCL_TUNER_CONFIG_FILE");
    Ptr<NcclTuner> tuner = DynamicCast<NcclTuner>(m_tuner);
    if (tuner && !file.empty())
    {
        tuner->SetTable(ReadNcclTunerFile(file));
    }
}

Ptr<CollectiveAlgorithm>
CollectivePlanner::FindAlgorithm(const std::string& name)
{
    Ptr<CollectiveAlgorithm>& algorithm = m_algorithms[name];
    if (!algorithm && name == "msccl")
    {
        algorithm = ReadMscclAlgorithm(m_choice.mscclFile); // its attributes are the program's
    }
    else if (!algorithm)
    {
        algorithm = MakeCollectiveAlgorithm(name);
        if (m_choice.protocol != "auto")
        {
            algorithm->SetAttribute("Protocol", StringValue(m_choice.protocol));
        }
        if (m_choice.channels > 0)
        {
            algorithm->SetAttribute("Channels", UintegerValue(m_choice.channels));
        }
        if (m_choice.chunkBytes > 0)
        {
            algorithm->SetAttribute("ChunkSize", UintegerValue(m_choice.chunkBytes));
        }
    }
    return algorithm;
}

PlannedCollective
CollectivePlanner::PlanByTuner(const CollectiveRequest& request)
{
    std::string error;
    PlannedCollective planned{request, nullptr, {}};
    planned.plan = m_tuner->Choose(request, m_communicator->GetLayout(), m_platform, error);
    if (!error.empty())
    {
        throw InputError(m_place, error);
    }
    if (m_choice.chunkBytes > 0)
    {
        planned.plan.chunkBytes = m_choice.chunkBytes;
        planned.plan.sliceBytes = std::min(planned.plan.sliceBytes, m_choice.chunkBytes);
    }
    planned.algorithm = FindAlgorithm(planned.plan.algorithm);
    return planned;
}

PlannedCollective
CollectivePlanner::Plan(const CollectiveRequest& request)
{
    const RankLayout& layout = m_communicator->GetLayout();
    const std::string objection = CheckRequest(request, layout.GetSize());
    if (!objection.empty())
    {
        throw InputError(m_place, objection);
    }
    PlannedCollective planned;
    if (m_tuner)
    {
        planned = PlanByTuner(request);
    }
    else
    {
        planned = {request, FindAlgorithm(m_choice.algorithm), {}};
    }
    const std::string refusal = planned.algorithm->Check(request, layout);
    if (!refusal.empty())
    {
        throw InputError(m_place, refusal);
    }
    if (!m_tuner)
    {
        planned.plan = planned.algorithm->MakePlan(request, layout);
    }
    if (m_choice.algorithm == "msccl")
    {
        const std::string wrong = Check(planned);
        if (!wrong.empty())
        {
            throw InputError({m_choice.mscclFile, 0, ""},
                             std::string("does not do ") + ToString(request.operation) + ": " +
                                 wrong);
        }
    }
    return planned;
}

std::string
CollectivePlanner::Check(const PlannedCollective& planned) const
{
    const RankLayout& layout = m_communicator->GetLayout();
    const auto program = planned.algorithm->Emit(planned.request, layout, planned.plan);
    return CheckProgram(*program, planned.request, layout, planned.plan.window);
}

std::vector<std::pair<uint32_t, uint32_t>>
CollectivePlanner::FindPeers(const PlannedCollective& planned) const
{
    const RankLayout& layout = m_communicator->GetLayout();
    const auto program = planned.algorithm->Emit(planned.request, layout, planned.plan);
    std::set<std::pair<uint32_t, uint32_t>> peers;
    for (uint32_t rank = 0; rank < layout.GetSize(); ++rank)
    {
        for (uint32_t thread = 0; thread < program->GetThreads(rank); ++thread)
        {
            const auto steps = program->Open(rank, thread);
            ProgramStep step;
            for (uint32_t i = 0; i < STEPS_LOOKED_AT && steps->Next(step); ++i)
            {
                if (step.send.way == MessageWay::PEER && step.send.peer != rank)
                {
                    peers.emplace(rank, step.send.peer);
                }
            }
        }
    }
    return {peers.begin(), peers.end()};
}

} // namespace ns3
