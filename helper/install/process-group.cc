// SPDX-License-Identifier: GPL-2.0-only
#include "process-group.h"

#include "ns3/abort.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#ifdef NS3_MPI
#include "ns3/frame-exchange.h"
#include "ns3/mpi-interface.h"

#include <memory>
#include <mpi.h>
#endif

namespace ns3
{

namespace
{
bool g_isGroupActive = false;
#ifdef NS3_MPI
MPI_Comm g_groupCommunicator = MPI_COMM_NULL; ///< of our own: ns-3 has pending receives on its own
std::unique_ptr<FrameExchange> g_groupExchange;
#endif

/// Chooses the simulator of a group of one.
void
StartAlone()
{
    if (!FabricSimulatorImpl::Use())
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::ArrivalOrderScheduler"));
    }
}
} // namespace

uint32_t
ProcessGroup::GetLaunched()
{
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    {
        if (const char* size = std::getenv(name))
        {
            return static_cast<uint32_t>(std::strtoul(size, nullptr, 10));
        }
    }
    return 1;
}

bool
ProcessGroup::IsActive()
{
    return g_isGroupActive;
}

#ifdef NS3_MPI

bool
ProcessGroup::HasMpi()
{
    return true;
}

void
ProcessGroup::Start(ParallelSimulator simulator)
{
    g_isGroupActive = true;
    if (GetLaunched() < 2)
    {
        StartAlone();
        return;
    }
    const std::string type = simulator == ParallelSimulator::NULL_MESSAGE
                                 ? "ns3::NullMessageSimulatorImpl"
                                 : "ns3::DistributedSimulatorImpl";
    GlobalValue::Bind("SimulatorImplementationType", StringValue(type)); // tells MpiInterface how
    MpiInterface::Enable(nullptr, nullptr);
    MPI_Comm_dup(MpiInterface::GetCommunicator(), &g_groupCommunicator);
    if (simulator == ParallelSimulator::FABRIC)
    {
        g_groupExchange = std::make_unique<FrameExchange>();
        FabricSimulatorImpl::SetWindows(g_groupExchange.get());
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    }
    else
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::ArrivalOrderScheduler"));
    }
}

void
ProcessGroup::Stop()
{
    if (g_groupExchange)
    {
        FabricSimulatorImpl::SetWindows(nullptr);
        g_groupExchange.reset();
        MpiInterface::Destroy(); // ns-3's MPI simulators do it themselves
    }
    if (g_groupCommunicator != MPI_COMM_NULL)
    {
        MPI_Comm_free(&g_groupCommunicator);
        MpiInterface::Disable();
    }
    g_isGroupActive = false;
}

void
ProcessGroup::Abort(int status)
{
    if (GetSize() > 1)
    {
        MPI_Abort(g_groupCommunicator, status);
    }
}

uint32_t
ProcessGroup::GetRank()
{
    return g_groupCommunicator == MPI_COMM_NULL ? 0 : MpiInterface::GetSystemId();
}

uint32_t
ProcessGroup::GetSize()
{
    return g_groupCommunicator == MPI_COMM_NULL ? 1 : MpiInterface::GetSize();
}

void
ProcessGroup::Sum(std::vector<int64_t>& values)
{
    if (GetSize() > 1)
    {
        MPI_Allreduce(MPI_IN_PLACE,
                      values.data(),
                      static_cast<int>(values.size()),
                      MPI_INT64_T,
                      MPI_SUM,
                      g_groupCommunicator);
    }
}

int64_t
ProcessGroup::Max(int64_t value)
{
    if (GetSize() > 1)
    {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, g_groupCommunicator);
    }
    return value;
}

std::vector<std::string>
ProcessGroup::Gather(const std::string& bytes)
{
    if (GetSize() == 1)
    {
        return {bytes};
    }
    // One process after the other, in pieces that MPI's counts can express.
    constexpr uint64_t MOST_PIECE = 1U << 30;
    std::vector<std::string> all;
    if (GetRank() > 0)
    {
        uint64_t size = bytes.size();
        MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, g_groupCommunicator);
        for (uint64_t sent = 0; sent < size; sent += MOST_PIECE)
        {
            const auto piece = static_cast<int>(std::min(MOST_PIECE, size - sent));
            MPI_Send(bytes.data() + sent, piece, MPI_CHAR, 0, 0, g_groupCommunicator);
        }
        return all;
    }
    all.push_back(bytes);
    for (uint32_t rank = 1; rank < GetSize(); ++rank)
    {
        uint64_t size = 0;
        const auto from = static_cast<int>(rank);
        MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, g_groupCommunicator, MPI_STATUS_IGNORE);
        std::string& theirs = all.emplace_back(size, '\0');
        for (uint64_t got = 0; got < size; got += MOST_PIECE)
        {
            const auto piece = static_cast<int>(std::min(MOST_PIECE, size - got));
            MPI_Recv(theirs.data() + got,
                     piece,
                     MPI_CHAR,
                     from,
                     0,
                     g_groupCommunicator,
                     MPI_STATUS_IGNORE);
        }
    }
    return all;
}

#else

bool
ProcessGroup::HasMpi()
{
    return false;
}

void
ProcessGroup::Start(ParallelSimulator)
{
    NS_ABORT_MSG_IF(GetLaunched() > 1, "ProcessGroup: this ns-3 was built without MPI");
    g_isGroupActive = true;
    StartAlone();
}

void
ProcessGroup::Stop()
{
    g_isGroupActive = false;
}

void
ProcessGroup::Abort(int)
{
}

uint32_t
ProcessGroup::GetRank()
{
    return 0;
}

uint32_t
ProcessGroup::GetSize()
{
    return 1;
}

void
ProcessGroup::Sum(std::vector<int64_t>&)
{
}

int64_t
ProcessGroup::Max(int64_t value)
{
    return value;
}

std::vector<std::string>
ProcessGroup::Gather(const std::string& bytes)
{
    return {bytes};
}

#endif

} // namespace ns3
