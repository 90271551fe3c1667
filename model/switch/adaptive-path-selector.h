// SPDX-License-Identifier: GPL-2.0-only
#ifndef ADAPTIVE_PATH_SELECTOR_H
#define ADAPTIVE_PATH_SELECTOR_H

#include "flowlet-table.h"
#include "path-selector.h"

#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

class FabricNetDevice;
class UniformRandomVariable;

/**
 * @ingroup ai-fabric
 * @brief Adaptive routing by the local queues, as InfiniBand and Ethernet switches for AI do it: a
 * frame takes the preferred port while that is free, else one of the least loaded.
 *
 * What vendors publish: the output port follows from the ports' load, in one of two modes. "Free"
 * chooses for every frame; "bounded" does not change the port during a burst, and a burst is over
 * when nothing came for an ageing time, 30 us by default (Mellanox OFED user manual, adaptive
 * routing manager: AR_MODE, AGEING_TIME). Ethernet switches take queue occupancy and port
 * utilization into account (NVIDIA Cumulus Linux, adaptive routing). How load is graded is not
 * published; the rule here is:
 *
 * The grade of a port is its waiting bytes over GradeBytes, rounded down, at most Grades - 1; a
 * port on which PFC holds the frame's class is worse than all grades, and one without a link is not
 * considered. The preferred port (that of the burst before, else that of the flow's hash) is taken
 * while its grade is at most FreeGrade; otherwise one of those of the lowest grade at random, the
 * preferred one if it is among them.
 */
class AdaptivePathSelector : public PathSelector
{
  public:
    /// When the port may change.
    enum Mode
    {
        FREE,    ///< at every frame
        BOUNDED, ///< after a gap in the flow
    };

    /// What is taken while it is free.
    enum Preference
    {
        PREFER_HASHED, ///< the port of the flow's hash, or in bounded mode that of the last burst
        PREFER_NONE,   ///< nothing: always the lowest grade
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    AdaptivePathSelector();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    int64_t AssignStreams(int64_t stream) override;

    /**
     * @param device a port
     * @param trafficClass of a frame
     * @param now time steps
     * @return its load: 0 to Grades - 1; Grades: PFC holds the class; NO_LINK
     */
    uint32_t GetGrade(FabricNetDevice& device, uint32_t trafficClass, int64_t now) const;

    /// Grade of a port whose link is down.
    static constexpr uint32_t NO_LINK = UINT32_MAX;

  private:
    uint32_t Choose(FabricSwitch& fabricSwitch,
                    const FabricFrame& frame,
                    ForwardingTable::Ports ports,
                    uint32_t preferred,
                    int64_t now);

    Mode m_mode{FREE};
    Preference m_preference{PREFER_HASHED};
    uint64_t m_gradeBytes{1};
    uint32_t m_grades{1};
    uint32_t m_freeGrade{0};
    bool m_skipPaused{true};
    Time m_ageingTime;
    uint32_t m_tableSize{0};
    uint32_t m_seed{0};
    FlowletTable m_bursts;
    std::vector<uint32_t> m_best; ///< ports of the lowest grade, of the frame at hand
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // ADAPTIVE_PATH_SELECTOR_H
