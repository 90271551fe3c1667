// SPDX-License-Identifier: GPL-2.0-only
#include "adaptive-path-selector.h"

#include "fabric-switch.h"
#include "path-choice.h"

#include "ns3/boolean.h"
#include "ns3/enum-attribute.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AdaptivePathSelector);

TypeId
AdaptivePathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AdaptivePathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<AdaptivePathSelector>()
            .AddAttribute("Mode",
                          "Free: the port may change at every frame. Bounded: only after nothing "
                          "of the flow came for AgeingTime.",
                          EnumValue(AdaptivePathSelector::FREE),
                          MakeEnumAccessorFor<Mode>(&AdaptivePathSelector::m_mode),
                          MakeEnumChecker(AdaptivePathSelector::FREE,
                                          "Free",
                                          AdaptivePathSelector::BOUNDED,
                                          "Bounded"))
            .AddAttribute("Preference",
                          "Hashed: the port of the flow's hash, in bounded mode that of its burst "
                          "before, is kept while its grade is at most FreeGrade. None: always one "
                          "of the lowest grade.",
                          EnumValue(AdaptivePathSelector::PREFER_HASHED),
                          MakeEnumAccessorFor<Preference>(&AdaptivePathSelector::m_preference),
                          MakeEnumChecker(AdaptivePathSelector::PREFER_HASHED,
                                          "Hashed",
                                          AdaptivePathSelector::PREFER_NONE,
                                          "None"))
            .AddAttribute("GradeBytes",
                          "Waiting bytes of a port that make a grade.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&AdaptivePathSelector::m_gradeBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Grades",
                          "How many grades of load there are.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&AdaptivePathSelector::m_grades),
                          MakeUintegerChecker<uint32_t>(1, 1U << 20))
            .AddAttribute("FreeGrade",
                          "A port up to this grade counts as free.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptivePathSelector::m_freeGrade),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SkipPaused",
                          "Ports on which PFC holds the frame's class are taken last.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&AdaptivePathSelector::m_skipPaused),
                          MakeBooleanChecker())
            .AddAttribute("AgeingTime",
                          "A gap longer than this ends a burst, in bounded mode.",
                          TimeValue(MicroSeconds(30)),
                          MakeTimeAccessor(&AdaptivePathSelector::m_ageingTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TableSize",
                          "Entries of the table of bursts, in bounded mode.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&AdaptivePathSelector::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Seed",
                          "Mixed into the hash; a fabric gives each switch its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptivePathSelector::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

AdaptivePathSelector::AdaptivePathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
AdaptivePathSelector::GetGrade(FabricNetDevice& device, uint32_t trafficClass, int64_t now) const
{
    if (!device.IsLinkUp())
    {
        return NO_LINK;
    }
    if (m_skipPaused && (device.GetPausedClasses(now) & (1U << trafficClass)))
    {
        return m_grades;
    }
    return static_cast<uint32_t>(
        std::min<uint64_t>(m_grades - 1, device.GetQueuedBytes() / m_gradeBytes));
}

uint32_t
AdaptivePathSelector::Choose(FabricSwitch& fabricSwitch,
                             const FabricFrame& frame,
                             ForwardingTable::Ports ports,
                             uint32_t preferred,
                             int64_t now)
{
    bool keeps = m_preference == PREFER_HASHED;
    if (keeps && GetGrade(fabricSwitch.GetDevice(preferred), frame.trafficClass, now) <=
                     std::min(m_freeGrade, m_grades - 1))
    {
        return preferred;
    }
    uint32_t lowest = UINT32_MAX;
    m_best.clear();
    for (uint32_t i = 0; i < ports.count; ++i)
    {
        FabricNetDevice& device = fabricSwitch.GetDevice(ports.first[i]);
        uint32_t grade = GetGrade(device, frame.trafficClass, now);
        if (grade < lowest)
        {
            lowest = grade;
            m_best.clear();
        }
        if (grade == lowest)
        {
            m_best.push_back(ports.first[i]);
        }
    }
    if (keeps && std::find(m_best.begin(), m_best.end(), preferred) != m_best.end())
    {
        return preferred;
    }
    return m_best[m_random->GetInteger(0, static_cast<uint32_t>(m_best.size() - 1))];
}

uint32_t
AdaptivePathSelector::Select(FabricSwitch& fabricSwitch,
                             uint32_t,
                             FabricFrame& frame,
                             ForwardingTable::Ports ports)
{
    int64_t now = NowSteps();
    uint32_t hash = MixHash(frame.flowHash, m_seed);
    uint32_t hashed = PickByHash(ports, hash);
    if (m_mode == FREE)
    {
        return Choose(fabricSwitch, frame, ports, hashed, now);
    }
    FlowletTable::Entry& burst = m_bursts.At(hash, m_tableSize);
    bool mayStay = Contains(ports, burst.port) && fabricSwitch.GetDevice(burst.port).IsLinkUp();
    if (!mayStay || now - burst.lastFrame > m_ageingTime.GetTimeStep())
    {
        burst.port = Choose(fabricSwitch, frame, ports, mayStay ? burst.port : hashed, now);
    }
    burst.lastFrame = now;
    return burst.port;
}

int64_t
AdaptivePathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
