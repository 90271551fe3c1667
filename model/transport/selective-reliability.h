// SPDX-License-Identifier: GPL-2.0-only
#ifndef SELECTIVE_RELIABILITY_H
#define SELECTIVE_RELIABILITY_H

#include "rdma-reliability.h"

#include <boost/circular_buffer.hpp>
#include <memory>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What selective strategies share: a scoreboard of what has arrived, and a pass over what is
 * missing.
 *
 * A frame counts as lost when one that is ReorderDistance or more behind it has arrived, and the
 * responder has said that it itself has not. A pass repeats each lost frame once; what is lost
 * again is found by the timer, which repeats the oldest frame and starts a new pass.
 *
 * A frame that a switch has trimmed is known to be lost, each time anew: it is repeated at once,
 * ahead of what a pass has still to do.
 */
class SelectiveReliability : public RdmaReliability
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SelectiveReliability() = default;
    /// A copy has the attributes; its scoreboard starts anew. @param other to copy
    SelectiveReliability(const SelectiveReliability& other);

    bool IsSelective() const override;
    void Start(uint64_t firstPsn) override;
    uint64_t NextAfter(const RdmaSendWindow& window) override;
    void Confirmed(const RdmaSendWindow& window) override;
    void Sacked(RdmaSendWindow& window, uint64_t base, uint64_t bits) override;
    void Trimmed(RdmaSendWindow& window, uint64_t psn) override;
    void SequenceNak(RdmaSendWindow& window, uint64_t psn) override;
    void TimedOut(RdmaSendWindow& window) override;
    bool ResponseGap(RdmaSendWindow& window, uint64_t missing, uint64_t come) override;
    uint64_t GetGone() const override;
    size_t GetMemoryBytes() const override;

  protected:
    uint64_t m_reorderDistance{1}; ///< attribute of the subclasses

  private:
    /// What is known of a frame beyond the first one that the responder misses.
    enum State : uint8_t
    {
        UNKNOWN,  ///< no answer has spoken of it
        MISSING,  ///< an answer left it out
        ARRIVED,  ///< an answer named it
        REPEATED, ///< it was missing, and has gone again in this pass
        TRIMMED,  ///< only its headers have arrived; stands in m_trimmed
    };

    /// @param state of a frame @return it is not in the network
    static bool IsGone(State state)
    {
        return state == MISSING || state == ARRIVED || state == TRIMMED;
    }

    void Mark(uint64_t psn, State state);
    State StateOf(uint64_t psn) const;
    void MissOldest();
    void StartPass();
    uint64_t NextLost(const RdmaSendWindow& window);

    uint64_t m_base{0};    ///< the responder has taken all before, and misses this one
    uint64_t m_highest{0}; ///< behind the highest PSN that has arrived
    uint64_t m_scanAt{0};  ///< nothing before is missing and still to be repeated in this pass
    uint64_t m_gone{0};    ///< states that say so
    boost::circular_buffer<State> m_states; ///< from m_base on, as far as anything is known
    /// To be repeated, in the order of the news; null in a pair that has not heard of any.
    std::unique_ptr<boost::circular_buffer<uint64_t>> m_trimmed;
};

} // namespace ns3

#endif // SELECTIVE_RELIABILITY_H
