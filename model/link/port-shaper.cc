// SPDX-License-Identifier: GPL-2.0-only
#include "port-shaper.h"

#include "setting-text.h"

namespace ns3
{

namespace
{

/// A largest standard frame: with less a class would hardly send two frames in a row.
constexpr uint64_t DEFAULT_BURST_BYTES = 9238;

} // namespace

void
PortShaper::SetPortBucket(const TokenBucket& bucket)
{
    m_port = bucket;
}

std::string
PortShaper::SetClassBuckets(const std::string& text)
{
    m_classes = {};
    m_limited = 0;
    for (const std::string& entry : SplitText(text, ','))
    {
        if (std::string wrong = Add(entry); !wrong.empty())
        {
            return "in \"" + text + "\" the entry \"" + entry + "\" " + wrong;
        }
    }
    return "";
}

std::string
PortShaper::Add(const std::string& entry)
{
    std::vector<std::string> parts = SplitText(entry, ':');
    uint64_t trafficClass = 0;
    uint64_t burst = DEFAULT_BURST_BYTES;
    DataRateValue rate;
    if (parts.size() < 2 || parts.size() > 3 ||
        !ParseWhole(parts[0], N_TRAFFIC_CLASSES - 1, trafficClass) ||
        !rate.DeserializeFromString(parts[1], MakeDataRateChecker()) ||
        rate.Get().GetBitRate() == 0 ||
        (parts.size() == 3 && !ParseWhole(parts[2], 1ULL << 40, burst)))
    {
        return "must be CLASS:RATE or CLASS:RATE:BURST, with a class of 0 to 7, a rate above 0 as "
               "in 25Gbps, and a burst in bytes";
    }
    if (m_limited & (1U << trafficClass))
    {
        return "limits a class for the second time";
    }
    m_limited |= 1U << trafficClass;
    m_classes[trafficClass] = TokenBucket(rate.Get(), burst);
    return "";
}

uint8_t
PortShaper::GetClosedClasses(int64_t now) const
{
    if (m_port.ReadyAt() > now)
    {
        return 0xff;
    }
    uint8_t closed = 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        closed |= (m_classes[c].ReadyAt() > now) << c;
    }
    return closed;
}

void
PortShaper::Charge(uint32_t trafficClass, uint64_t wireBytes, int64_t now)
{
    if (m_port.IsLimiting())
    {
        m_port.Charge(wireBytes, now);
    }
    if (m_limited & (1U << trafficClass))
    {
        m_classes[trafficClass].Charge(wireBytes, now);
    }
}

} // namespace ns3
