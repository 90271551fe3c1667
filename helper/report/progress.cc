// SPDX-License-Identifier: GPL-2.0-only
#include "progress.h"

#include "results-folder.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace ns3
{

Progress::Progress(bool quiet, std::function<double()> shareDone)
    : m_quiet(quiet),
      m_terminal(isatty(STDERR_FILENO)),
      m_shareDone(std::move(shareDone)),
      m_interval(MicroSeconds(10))
{
}

Progress::~Progress()
{
    Finish();
}

void
Progress::Start()
{
    if (m_quiet)
    {
        return;
    }
    m_running = true;
    m_start = m_lastLook = m_lastShown = Clock::now();
    Simulator::Schedule(m_interval, &Progress::Look, this);
}

void
Progress::Finish()
{
    m_running = false;
    Clear();
}

void
Progress::Clear()
{
    if (m_shown && m_terminal)
    {
        std::cerr << "\r\033[K" << std::flush;
    }
    m_shown = false;
}

void
Progress::Look()
{
    if (!m_running)
    {
        return;
    }
    Clock::time_point now = Clock::now();
    std::chrono::duration<double> sinceLook = now - m_lastLook;
    std::chrono::duration<double> sinceShown = now - m_lastShown;
    m_lastLook = now;
    // About twenty looks a second, whatever a simulated microsecond costs.
    if (sinceLook.count() < 0.02)
    {
        m_interval = m_interval * 2;
    }
    else if (sinceLook.count() > 0.1 && m_interval > NanoSeconds(100))
    {
        m_interval = m_interval / 2;
    }
    if (sinceShown.count() > (m_terminal ? 0.5 : 10))
    {
        m_lastShown = now;
        Show(std::chrono::duration<double>(now - m_start).count());
    }
    m_interval = std::min(m_interval, MilliSeconds(10));
    Simulator::Schedule(m_interval, &Progress::Look, this);
}

void
Progress::Show(double elapsed)
{
    double done = m_shareDone();
    std::ostringstream line;
    line << "  " << FixedText(Simulator::Now().GetSeconds() * 1e6, 1) << " us simulated, ";
    if (done > 0) // what has not ended, such as a single collective, does not count
    {
        line << FixedText(100 * done, 1) << " % done, ";
    }
    line << FixedText(static_cast<double>(Simulator::GetEventCount()) / elapsed / 1e6, 2)
         << " M events/s";
    if (done > 0.01)
    {
        line << ", " << FixedText(elapsed * (1 - done) / done, 0) << " s left";
    }
    std::cerr << (m_terminal ? "\r\033[K" : "") << line.str() << (m_terminal ? "" : "\n")
              << std::flush;
    m_shown = true;
}

} // namespace ns3
