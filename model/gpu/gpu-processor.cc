// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-processor.h"

#include "fair-share.h"

#include "ns3/abort.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuProcessor);

namespace
{

/// Half a time step: work that is so near to its end has reached it.
constexpr double NEARLY_DONE = 0.5;

} // namespace

TypeId
GpuProcessor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuProcessor")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<GpuProcessor>()
            .AddAttribute("Clock",
                          "SM clock as a part of the nominal one; below 1 the GPU is a slow one: "
                          "compute times and communication kernels take 1/Clock as long, the "
                          "memory stays as it is. May be set at any time.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&GpuProcessor::SetClock, &GpuProcessor::GetClock),
                          MakeDoubleChecker<double>(1e-6, 10))
            .AddAttribute(
                "ComputeInterference",
                "By how much a kernel is slower beside communication, beyond what the sharing of "
                "SMs and memory bandwidth explains (caches, power). The default is what is left of "
                "a measured mean of 18.9 % (Lee et al., arXiv 2507.03114, A100, H100, MI210 and "
                "MI250, training of GPT and LLaMA models) after the SMs: 16 of 132 held by "
                "communication slow a kernel that fills an H100 by 132/116; 1.189 / 1.138 = 1.045.",
                DoubleValue(0.045),
                MakeDoubleAccessor(&GpuProcessor::m_computeInterference),
                MakeDoubleChecker<double>(0))
            .AddAttribute("CommunicationInterference",
                          "Likewise for communication kernels beside kernels. No measurement that "
                          "separates it from the sharing was found: the default is none.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&GpuProcessor::m_communicationInterference),
                          MakeDoubleChecker<double>(0));
    return tid;
}

GpuProcessor::GpuProcessor()
    : m_wake(this)
{
}

GpuProcessor::~GpuProcessor() = default;

void
GpuProcessor::DoDispose()
{
    m_running.clear();
    Object::DoDispose();
}

void
GpuProcessor::SetSize(uint32_t count, DataRate memory)
{
    Advance();
    m_multiprocessors = count;
    m_memory = memory;
    Share();
}

void
GpuProcessor::SetClock(double clock)
{
    Advance();
    m_clock = clock;
    Share();
}

double
GpuProcessor::GetClock() const
{
    return m_clock;
}

double
GpuProcessor::BytesPerStep(DataRate rate)
{
    return rate.GetBitRate() / 8.0 / Seconds(1).GetTimeStep();
}

double
GpuProcessor::GetMemorySteps(const GpuWork& work) const
{
    return work.memoryBytes / (BytesPerStep(m_memory) * work.memoryEfficiency);
}

int64_t
GpuProcessor::GetTimeAlone(const GpuWork& work) const
{
    return std::max(work.compute.GetTimeStep(), int64_t(std::llround(GetMemorySteps(work))));
}

void
GpuProcessor::Start(const GpuWork& work, Done done)
{
    NS_ABORT_MSG_IF(!(work.memoryEfficiency > 0 && work.memoryEfficiency <= 1),
                    "GpuProcessor: a memory efficiency of " << work.memoryEfficiency
                                                            << "; it is above 0 and at most 1");
    NS_ABORT_MSG_IF(work.compute.IsStrictlyNegative(), "GpuProcessor: a negative compute time");
    Advance();
    Running running{};
    running.work = work;
    running.work.multiprocessors = std::min(work.multiprocessors, m_multiprocessors);
    running.compute = static_cast<double>(work.compute.GetTimeStep());
    running.alone = std::max(running.compute, GetMemorySteps(work));
    running.left = running.alone;
    running.done = std::move(done);
    m_running.push_back(std::move(running));
    Share();
}

void
GpuProcessor::BeginCommunication(uint32_t sms, DataRate memory)
{
    Advance();
    // One kernel alone is never slowed: it cannot want more than there is.
    m_communications.push_back({sms,
                                std::min(sms, m_multiprocessors),
                                std::min(memory.GetBitRate(), m_memory.GetBitRate())});
    Share();
}

void
GpuProcessor::EndCommunication(uint32_t sms)
{
    auto ended = std::find_if(m_communications.begin(),
                              m_communications.end(),
                              [sms](const Communication& c) { return c.asked == sms; });
    NS_ABORT_MSG_IF(ended == m_communications.end(),
                    "GpuProcessor: communication on " << sms << " SMs ends that has not begun");
    Advance();
    m_communications.erase(ended);
    Share();
}

double
GpuProcessor::GetBurstShare() const
{
    double wanted = BytesPerStep(m_memory);
    double others = 0;
    for (const Running& running : m_running)
    {
        others += running.memoryRate;
    }
    return wanted / (wanted + others);
}

double
GpuProcessor::GetMemoryBytes() const
{
    double bytes = m_memoryBytes;
    for (const Running& running : m_running)
    {
        bytes += running.memoryRate * (NowSteps() - m_now);
    }
    return bytes;
}

void
GpuProcessor::Advance()
{
    auto passed = static_cast<double>(NowSteps() - m_now);
    m_now = NowSteps();
    for (Running& running : m_running)
    {
        running.left -= running.speed * passed;
        m_memoryBytes += running.memoryRate * passed;
    }
}

std::vector<double>
GpuProcessor::ShareMultiprocessors() const
{
    std::vector<ShareClaim> claims;
    for (const Running& running : m_running)
    {
        claims.push_back({static_cast<double>(running.work.multiprocessors), 1});
    }
    // All communication kernels are one claim, the last.
    double wanted = 0;
    for (const Communication& communication : m_communications)
    {
        wanted += communication.sms;
    }
    claims.push_back({wanted, std::max<double>(m_communications.size(), 1)});
    return ShareFairly(m_multiprocessors, claims);
}

void
GpuProcessor::ShareMemory(double communicationSms)
{
    std::vector<ShareClaim> claims;
    for (const Running& running : m_running)
    {
        double whole = GetMemorySteps(running.work) / std::max(running.alone, 1.0);
        claims.push_back({running.speed * whole, 1});
    }
    double asked = 0;
    double wanted = 0;
    for (const Communication& communication : m_communications)
    {
        asked += communication.sms;
        wanted += static_cast<double>(communication.memory) / m_memory.GetBitRate();
    }
    double held = asked > 0 ? communicationSms / asked : 1;
    wanted *= held;
    claims.push_back({wanted, std::max<double>(m_communications.size(), 1)});
    std::vector<double> shares = ShareFairly(1, claims);
    for (size_t r = 0; r < m_running.size(); ++r)
    {
        m_running[r].speed *= claims[r].wanted > 0 ? shares[r] / claims[r].wanted : 1;
    }
    double given = wanted > 0 ? shares.back() / wanted : 1;
    m_communicationSlowdown = 1 / (held * given * m_clock);
}

void
GpuProcessor::Share()
{
    std::vector<double> sms = ShareMultiprocessors();
    bool kernels = false; // is there one that holds SMs
    for (size_t r = 0; r < m_running.size(); ++r)
    {
        Running& running = m_running[r];
        running.speed = 1;
        if (running.work.multiprocessors > 0)
        {
            double part = sms[r] / running.work.multiprocessors * m_clock;
            double pace = running.compute > 0 ? part * running.alone / running.compute : 1;
            double beside = !m_communications.empty() ? 1 + m_computeInterference : 1;
            running.speed = std::min(1.0, pace) / beside;
            kernels = true;
        }
    }
    ShareMemory(sms.back());
    if (kernels)
    {
        m_communicationSlowdown *= 1 + m_communicationInterference;
    }
    double next = -1;
    for (Running& running : m_running)
    {
        running.memoryRate =
            running.speed * (running.alone > 0 ? running.work.memoryBytes / running.alone : 0);
        double wait = std::max(0.0, running.left / running.speed);
        next = next < 0 ? wait : std::min(next, wait);
    }
    if (next >= 0)
    {
        m_wake.At(Simulator::GetContext(), m_now + std::llround(next), m_now);
    }
}

void
GpuProcessor::Wake()
{
    Advance();
    std::vector<Done> done;
    for (Running& running : m_running)
    {
        if (running.left <= NEARLY_DONE * running.speed * (1 + 1e-9))
        {
            m_memoryBytes += running.left / running.speed * running.memoryRate; // of its last step
            done.push_back(std::move(running.done));
            running.alone = -1;
        }
    }
    m_running.erase(std::remove_if(m_running.begin(),
                                   m_running.end(),
                                   [](const Running& running) { return running.alone < 0; }),
                    m_running.end());
    Share();
    for (Done& call : done)
    {
        call();
    }
}

} // namespace ns3
