// SPDX-License-Identifier: GPL-2.0-only
#ifndef PFC_WATCHDOG_H
#define PFC_WATCHDOG_H

#include "ns3/fabric-net-device.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Keeps a pause storm from spreading, as the PFC watchdog of SONiC does.
 *
 * A queue in which a frame has waited for DetectionTime, held by PFC all that time, is in a storm:
 * what stops it is broken rather than busy. From then on its class is sacrificed at that port: what
 * waits and what comes is dropped (Drop), or is sent against the pause (Forward). When no pause
 * frame has stopped the class for RestorationTime, it is lossless again.
 *
 * One watchdog may watch the ports of any number of switches. It has no event while nothing is
 * paused.
 */
class PfcWatchdog : public Object
{
  public:
    /// What is done about a storm.
    enum Action
    {
        DROP,    ///< what waits and what comes is dropped: buffers become free, victims go on
        FORWARD, ///< the pause is ignored
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param port a port, once @param classes bit c: its queue of class c is watched
    void Watch(Ptr<FabricNetDevice> port, uint8_t classes);

    /// @return storms that were detected so far
    uint64_t GetStorms() const
    {
        return m_storms;
    }

    /// @return storms that are over
    uint64_t GetRestorations() const
    {
        return m_restorations;
    }

    /// @param port a port that is watched @return bit c: class c is in a storm
    uint8_t GetStormingClasses(Ptr<const FabricNetDevice> port) const;

    /// Signature of Storm. @param port where @param trafficClass which @param began or is over
    typedef void (*StormTracedCallback)(Ptr<FabricNetDevice> port,
                                        uint32_t trafficClass,
                                        bool began);

  protected:
    void DoDispose() override;

  private:
    /// A port under watch.
    struct Watched
    {
        Ptr<FabricNetDevice> port;
        uint8_t classes{0};
        uint8_t armed{0};    ///< bit c: an event will look at class c
        uint8_t storming{0}; ///< bit c: class c is in a storm
    };

    void PauseChanged(Watched* watched, uint32_t trafficClass, bool paused);
    void Arm(Watched* watched, uint32_t trafficClass, int64_t steps);
    void Look(Watched* watched, uint32_t trafficClass);
    void Begin(Watched* watched, uint32_t trafficClass);
    void LookForEnd(Watched* watched, uint32_t trafficClass);
    void End(Watched* watched, uint32_t trafficClass);
    void Act(Watched& watched) const;

    Time m_detectionTime;
    Time m_restorationTime;
    Action m_action{DROP};
    uint64_t m_storms{0};
    uint64_t m_restorations{0};
    std::vector<std::unique_ptr<Watched>> m_watched;
    TracedCallback<Ptr<FabricNetDevice>, uint32_t, bool> m_stormTrace;
};

} // namespace ns3

#endif // PFC_WATCHDOG_H
