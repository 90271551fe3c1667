// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRAM_POOL_H
#define PROGRAM_POOL_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ns3
{

/// A call of this same program, as a process of its own.
struct ProgramCall
{
    std::string name;               ///< for messages
    std::string folder;             ///< of its results; emptied before it starts
    std::vector<std::string> words; ///< after the program's name; "--out FOLDER" is added
    pid_t process{0};               ///< while it runs
    int status{0};                  ///< as wait4() gave it, when it has ended

    // when it has ended
    double wallSeconds{0};
    double userSeconds{0}; ///< of processor
    uint64_t peakKib{0};   ///< of memory
    std::chrono::steady_clock::time_point started{};
};

/// @param call that has ended @return it did what it was to do
bool HasSucceeded(const ProgramCall& call);

/// @param call that has ended and failed @return how: exit status or signal
std::string DescribeFailure(const ProgramCall& call);

/// @param call that has ended @return the last lines that it printed, indented
std::string LastLinesOf(const ProgramCall& call);

/**
 * @ingroup ai-fabric
 * @brief Runs calls of this program side by side, as many at once as is wanted. Each call has a
 * folder of its own, with what it printed in log.txt.
 */
class ProgramPool
{
  public:
    /**
     * @param title for the progress line
     * @param jobs how many at once; 0: as many as the machine has cores
     * @param stopsAtFailure whether the first call that fails ends the others
     */
    ProgramPool(const std::string& title, uint32_t jobs, bool stopsAtFailure);

    /// @param ended hears of each call that ends by itself
    void SetEnded(std::function<void(const ProgramCall&)> ended)
    {
        m_ended = std::move(ended);
    }

    /**
     * Ctrl-C ends the calls that run, and RunAll() returns: HasBeenInterrupted() says so. Without
     * this it ends the program, and the calls with it.
     */
    void StopAtInterrupt();

    /// @return Ctrl-C came
    static bool HasBeenInterrupted();

    /**
     * @param calls to run, in this order
     * @return the first one that failed, if that ended the others; null: all have ended
     */
    const ProgramCall* RunAll(std::vector<ProgramCall>& calls);

    /// @return how many run at once
    uint32_t GetJobs() const
    {
        return m_jobs;
    }

  private:
    void Start(ProgramCall& call) const;
    void ShowProgress(size_t done, size_t all, const std::string& last) const;

    std::string m_title;
    uint32_t m_jobs;
    bool m_stopsAtFailure;
    std::function<void(const ProgramCall&)> m_ended;
    std::chrono::steady_clock::time_point m_start;
};

} // namespace ns3

#endif // PROGRAM_POOL_H
