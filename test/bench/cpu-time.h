// SPDX-License-Identifier: GPL-2.0-only
#ifndef CPU_TIME_H
#define CPU_TIME_H

#include <ctime>

namespace ns3
{

/// @return seconds of processor that this process has had
inline double
CpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    constexpr double NANO = 1e-9;
    return static_cast<double>(time.tv_sec) + NANO * static_cast<double>(time.tv_nsec);
}

} // namespace ns3

#endif // CPU_TIME_H
