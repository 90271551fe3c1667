// SPDX-License-Identifier: GPL-2.0-only
#include "drill-path-selector.h"

#include "fabric-switch.h"
#include "path-choice.h"

#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DrillPathSelector);

TypeId
DrillPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DrillPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("AiFabric")
            .AddConstructor<DrillPathSelector>()
            .AddAttribute("Samples",
                          "d: ports drawn at random for each frame, all different.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&DrillPathSelector::m_samples),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Memory",
                          "m: least loaded ports that are remembered for the next frame.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&DrillPathSelector::m_memory),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

DrillPathSelector::DrillPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
DrillPathSelector::Draw(ForwardingTable::Ports ports)
{
    // Floyd's way to draw d different ones of n, each set with the same probability: Bentley and
    // Floyd, "Programming Pearls: A Sample of Brilliance", CACM 30(9), 1987.
    m_drawn.clear();
    for (uint32_t j = ports.count - std::min(m_samples, ports.count); j < ports.count; ++j)
    {
        uint32_t port = ports.first[m_random->GetInteger(0, j)];
        bool isNew = std::find(m_drawn.begin(), m_drawn.end(), port) == m_drawn.end();
        m_drawn.push_back(isNew ? port : ports.first[j]);
    }
}

uint32_t
DrillPathSelector::Select(FabricSwitch& fabricSwitch,
                          uint32_t,
                          FabricFrame&,
                          ForwardingTable::Ports ports)
{
    Draw(ports);
    auto& before = m_leastBefore[uint64_t{ports.first[0]} << 32 | ports.count];
    for (uint32_t port : before)
    {
        if (Contains(ports, port) &&
            std::find(m_drawn.begin(), m_drawn.end(), port) == m_drawn.end())
        {
            m_drawn.push_back(port);
        }
    }
    int64_t now = NowSteps();
    auto load = [&](uint32_t port) {
        const FabricNetDevice& device = fabricSwitch.GetDevice(port);
        return device.IsLinkUp() ? DrainSteps(device, now) : INT64_MAX;
    };
    // Of equals the one drawn first: those drawn before those remembered.
    std::stable_sort(m_drawn.begin(), m_drawn.end(), [&](uint32_t a, uint32_t b) {
        return load(a) < load(b);
    });
    before.assign(m_drawn.begin(), m_drawn.begin() + std::min<size_t>(m_memory, m_drawn.size()));
    bool isUp = fabricSwitch.GetDevice(m_drawn.front()).IsLinkUp();
    return isUp ? m_drawn.front() : PickAtRandom(fabricSwitch, ports, *m_random);
}

int64_t
DrillPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
