// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONWEAVE_SOURCE_H
#define CONWEAVE_SOURCE_H

#include "conweave-parameters.h"
#include "conweave-paths.h"

#include "ns3/random-variable-stream.h"

#include <unordered_map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief ConWeave at the switch where a flow enters: chooses paths, and says so in each frame.
 *
 * A flow's life is a row of epochs. The first frame of an epoch asks for a reply. If the reply is
 * back within the base round-trip time and a margin, the path is well and the next frame starts
 * the next epoch. If not, the next frame looks for another path. Where one is found, that frame is
 * the last one of the old path (TAIL), and all that follow go the new way, marked as rerouted,
 * until the destination says that nothing is left on the old one (CLEAR); then the next epoch
 * starts. So a flow's frames are on two paths at most. A flow that was silent for long starts
 * afresh.
 */
class ConWeaveSource
{
  public:
    /// @param parameters of the switch @param counters of the switch
    ConWeaveSource(const ConWeaveParameters& parameters, ConWeaveCounters& counters);

    /// A change of path that was just decided on.
    struct Reroute
    {
        uint16_t from{0};
        uint16_t to{0};
        bool happened{false};
    };

    /**
     * Gives a frame its path and fields, unless its destination leaves no choice.
     * @param fabricSwitch the switch where it enters
     * @param frame from a host
     * @return what was decided
     */
    Reroute Send(FabricSwitch& fabricSwitch, FabricFrame& frame);

    /// An answer of a flow's destination has come. @param fabricSwitch the switch @param frame it
    void Answered(FabricSwitch& fabricSwitch, const FabricFrame& frame);

    /// Routes have changed.
    void ForgetPaths()
    {
        m_paths.Clear();
    }

    /// @param stream of the choice of paths
    void SetStream(int64_t stream)
    {
        m_random->SetStream(stream);
    }

  private:
    /// Where a flow stands in its epoch.
    enum class State : uint8_t
    {
        ANSWERED, ///< the next frame starts an epoch
        ASKED,    ///< a reply is awaited
        REROUTED, ///< a CLEAR is awaited
    };

    struct Flow
    {
        int64_t lastFrame{-1}; ///< -1: none yet
        int64_t deadline{0};   ///< of the reply
        int64_t tailTime{0};
        uint16_t path{0};
        uint8_t epoch{0};
        State state{State::ANSWERED};
    };

    /// Draws paths until one is not busy. @param besides not this one @param path the last one
    /// drawn
    /// @return whether it is not busy
    bool FindPath(const ConWeavePaths::Destination& to,
                  int32_t besides,
                  int64_t now,
                  uint16_t& path);
    void StartEpoch(Flow& flow, const ConWeavePaths::Destination& to, FabricFrame& frame);
    bool LeavePath(Flow& flow, const ConWeavePaths::Destination& to, ConWeaveFields& fields);

    const ConWeaveParameters& m_parameters;
    ConWeaveCounters& m_counters;
    ConWeavePaths m_paths;
    std::unordered_map<ConWeaveFlowKey, Flow, ConWeaveFlowKey::Hash> m_flows;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // CONWEAVE_SOURCE_H
