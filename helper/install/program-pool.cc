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
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr size_t LOG_LINES = 15; ///< of a failed call that are shown

volatile std::sig_atomic_t g_poolInterrupted = 0;

void
NoteInterrupt(int)
{
    g_poolInterrupted = 1;
}

double
SecondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Takes over what the system says about a call that has ended.
void
NoteEnd(ProgramCall& call, int status, const rusage& usage)
{
    constexpr double MICRO = 1e-6;
    call.process = 0;
    call.status = status;
    call.wallSeconds = SecondsSince(call.started);
    call.userSeconds = static_cast<double>(usage.ru_utime.tv_sec) +
                       MICRO * static_cast<double>(usage.ru_utime.tv_usec);
    call.peakKib = static_cast<uint64_t>(usage.ru_maxrss);
}

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

void
ProgramPool::StopAtInterrupt()
{
    struct sigaction action = {};
    action.sa_handler = NoteInterrupt; // without SA_RESTART: it ends a wait
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
}

bool
ProgramPool::HasBeenInterrupted()
{
    return g_poolInterrupted != 0;
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
        rusage usage{};
        const pid_t ended = HasBeenInterrupted() ? -1 : wait4(-1, &status, 0, &usage);
        auto call = std::find_if(calls.begin(), calls.end(), [ended](const ProgramCall& each) {
            return each.process == ended && ended > 0;
        });
        if (call != calls.end())
        {
            NoteEnd(*call, status, usage);
        }
        if (HasBeenInterrupted())
        {
            if (call != calls.end() && WIFEXITED(status) && m_ended)
            {
                m_ended(*call);
            }
            EndAll(calls);
            return nullptr;
        }
        if (call == calls.end())
        {
            continue; // a signal, or a child of somebody else
        }
        if (m_stopsAtFailure && !HasSucceeded(*call))
        {
            EndAll(calls);
            return &*call;
        }
        if (m_ended)
        {
            m_ended(*call);
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
    call.started = std::chrono::steady_clock::now();
}

void
ProgramPool::ShowProgress(size_t done, size_t all, const std::string& last) const
{
    const double elapsed = SecondsSince(m_start);
    const bool terminal = isatty(STDERR_FILENO);
    std::cerr << (terminal ? "\r\033[K" : "") << "  " << m_title << ": " << done << " of " << all
              << " runs done, " << FixedText(elapsed, 0) << " s";
    if (done > 0 && done < all)
    {
        const double left = elapsed * static_cast<double>(all - done) / static_cast<double>(done);
        std::cerr << ", about " << FixedText(left, 0) << " s left";
    }
    if (!last.empty())
    {
        std::cerr << ", last " << last;
    }
    std::cerr << (terminal && done < all ? "" : "\n") << std::flush;
}

} // namespace ns3
