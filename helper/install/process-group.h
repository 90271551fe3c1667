// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROCESS_GROUP_H
#define PROCESS_GROUP_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What simulates in each of several processes.
enum class ParallelSimulator
{
    FABRIC,              ///< ns3::FabricSimulatorImpl with a FrameExchange
    GRANTED_TIME_WINDOW, ///< ns3::DistributedSimulatorImpl
    NULL_MESSAGE,        ///< ns3::NullMessageSimulatorImpl
};

/**
 * @ingroup ai-fabric
 * @brief The processes that run a simulation together, by ns-3's MPI.
 *
 * Where ns-3 has no MPI, or one process was started, it is a group of one.
 */
class ProcessGroup
{
  public:
    /// @return ns-3 has MPI
    static bool HasMpi();

    /// @return how many processes mpirun has started this program as, by its environment; else 1
    static uint32_t GetLaunched();

    /**
     * Joins the group, and chooses the simulator, and the scheduler where it is one of ns-3's: to
     * be called before anything asks for the time.
     * @param simulator of several processes; a single one has FabricSimulatorImpl, unless another
     * one has been chosen by ns-3's global value
     */
    static void Start(ParallelSimulator simulator = ParallelSimulator::FABRIC);

    /// Leaves it. Simulator::Destroy() comes first.
    static void Stop();

    /// Ends all of several processes. @param status exit status
    static void Abort(int status);

    /// @return true: between Start() and Stop()
    static bool IsActive();

    /// @return number of this process
    static uint32_t GetRank();

    /// @return number of processes
    static uint32_t GetSize();

    // ---- Each of the following waits for all processes, which must call it too.

    /// @param values replaced by the sums over all processes
    static void Sum(std::vector<int64_t>& values);

    /// @param value of this process @return the largest one
    static int64_t Max(int64_t value);

    /// @param bytes of this process @return at process 0 those of all, by rank; else nothing
    static std::vector<std::string> Gather(const std::string& bytes);
};

} // namespace ns3

#endif // PROCESS_GROUP_H
