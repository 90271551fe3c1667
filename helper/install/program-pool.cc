// SPDX-License-Identifier: GPL-2.0-only
#include "program-pool.h"

#include "ns3/input-error.h"
#include "ns3/results-folder.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr size_t LOG_LINES = 15; ///< of a failed call that are shown

void
EndAll(std::vector<ProgramCall>& calls)
{
    for (ProgramCall& call : calls)
    {
        if (call.process > 0)
        {
            kill(call.process, SIGTERM);
            waitpid(call.process, nullptr, 0);
            call.process = 0;
        }
    }
}

} // namespace

bool
HasSucceeded(const ProgramCall& call)
{
    return WIFEXITED(call.status) && WEXITSTATUS(call.status) == 0;
}

std::string
DescribeFailure(const ProgramCall& call)
{
    return WIFEXITED(call.status) ? "exit status " + std::to_string(WEXITSTATUS(call.status))
                                  : "signal " + std::to_string(WTERMSIG(call.status));
}

std::string
LastLinesOf(const ProgramCall& call)
{
    std::ifstream file(call.folder + "/log.txt");
    std::deque<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
        if (lines.size() > LOG_LINES)
        {
            lines.pop_front();
        }
    }
    std::string text;
    for (const std::string& line : lines)
    {
        text += "    " + line + "\n";
    }
    return text;
}

ProgramPool::ProgramPool(const std::string& title, uint32_t jobs, bool stopsAtFailure)
    : m_title(title),
      m_jobs(jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency())),
      m_stopsAtFailure(stopsAtFailure),
      m_start(std::chrono::steady_clock::now())
{
}

const ProgramCall*
ProgramPool::RunAll(std::vector<ProgramCall>& calls)
{
    m_start = std::chrono::steady_clock::now();
    size_t started = 0;
    size_t done = 0;
    ShowProgress(done, calls.size(), "");
    while (done < calls.size())
    {
        while (started < calls.size() && started < done + m_jobs)
        {
            Start(calls[started++]);
        }
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        auto call = std::find_if(calls.begin(), calls.end(), [ended](const ProgramCall& each) {
            return each.process == ended && ended > 0;
        });
        if (call == calls.end())
        {
            continue; // a signal, or a child of somebody else
        }
        call->process = 0;
        call->status = status;
        if (m_stopsAtFailure && !HasSucceeded(*call))
        {
            EndAll(calls);
            return &*call;
        }
        ShowProgress(++done, calls.size(), call->name);
    }
    return nullptr;
}

void
ProgramPool::Start(ProgramCall& call) const
{
    // What an earlier call left is gone, so that no old file is taken for a new one.
    std::error_code error;
    std::filesystem::remove_all(call.folder, error);
    ResultsFolder folder(call.folder);
    const std::string log = folder.PathOf("log.txt");
    std::vector<std::string> words{"ai-fabric-run"};
    words.insert(words.end(), call.words.begin(), call.words.end());
    words.insert(words.end(), {"--out", call.folder});
    std::vector<char*> arguments;
    for (std::string& word : words)
    {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    std::cout.flush();
    const pid_t process = fork();
    if (process < 0)
    {
        throw InputError({m_title, 0, ""},
                         std::string("no process can be started (") + std::strerror(errno) + ")",
                         "fewer --jobs");
    }
    if (process == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody waits for a call whose caller was ended
        const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0)
        {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
        execv("/proc/self/exe", arguments.data());
        _exit(127);
    }
    call.process = process;
}

void
ProgramPool::ShowProgress(size_t done, size_t all, const std::string& last) const
{
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_start;
    const bool terminal = isatty(STDERR_FILENO);
    std::cerr << (terminal ? "\r\033[K" : "") << "  " << m_title << ": " << done << " of " << all
              << " runs done, " << FixedText(elapsed.count(), 0) << " s";
    if (!last.empty())
    {
        std::cerr << ", last " << last;
    }
    std::cerr << (terminal && done < all ? "" : "\n") << std::flush;
}

} // namespace ns3
