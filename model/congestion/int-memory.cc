// SPDX-License-Identifier: GPL-2.0-only
#include "int-memory.h"

#include "ns3/abort.h"
#include "ns3/int-header.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * Subtracts readings of a counter that may have wrapped. Inside a run readings are wide and do not
 * wrap; those that have crossed a wire of HPCC's format do. A reading from before the last one
 * looks like a wrap of more than half a turn, and stays negative.
 * @param now a reading
 * @param before the one before it
 * @param turn where the counter wraps; 0: nowhere
 * @return the difference
 */
int64_t
CounterDifference(int64_t now, int64_t before, int64_t turn)
{
    int64_t difference = now - before;
    bool wrapped = difference < 0 && before < turn && difference + turn < turn / 2;
    return wrapped ? difference + turn : difference;
}

} // namespace

double
IntHopInterval::GetTxRate() const
{
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    return 8 * static_cast<double>(txBytes) * stepsPerSecond / static_cast<double>(steps);
}

IntMemory::News
IntMemory::Observe(const RdmaAckSignal& signal)
{
    if (!signal.telemetry || signal.telemetry->telemetryFormat == TelemetryFormat::NONE)
    {
        return News::NOTHING; // a READ's or an atomic's answer
    }
    const SwitchHeader& told = *signal.telemetry;
    NS_ABORT_MSG_IF(told.mtuExceeded,
                    "congestion control needs the telemetry of every hop, but a hop's link had no "
                    "room for it: raise the Mtu of the devices");
    NS_ABORT_MSG_IF(told.telemetry.empty() && signal.hops > 0,
                    "congestion control needs telemetry, but none of the switches on the way has "
                    "written any: set FabricSwitch's attribute IntStamper");
    if (told.telemetry.empty())
    {
        return News::NOTHING;
    }
    bool same = IsSamePath(told);
    if (same && !Compare(told))
    {
        return News::NOTHING;
    }
    m_hops = told.telemetry;
    m_pathId = told.pathId;
    return same ? News::INTERVALS : News::PATH;
}

bool
IntMemory::IsSamePath(const SwitchHeader& told) const
{
    return told.pathId == m_pathId && std::equal(told.telemetry.begin(),
                                                 told.telemetry.end(),
                                                 m_hops.begin(),
                                                 m_hops.end(),
                                                 [](const IntHop& a, const IntHop& b) {
                                                     return a.switchId == b.switchId &&
                                                            a.egressPort == b.egressPort;
                                                 });
}

/// @return all hops speak of a later time than before; their intervals are set
bool
IntMemory::Compare(const SwitchHeader& told)
{
    bool wraps = told.telemetryFormat == TelemetryFormat::HPCC;
    int64_t timeTurn = wraps ? NanoSeconds(wire::HPCC_TIME_WRAP_NANOSECONDS).GetTimeStep() : 0;
    int64_t bytesTurn = wraps ? static_cast<int64_t>(wire::HPCC_TX_WRAP_BYTES) : 0;
    m_intervals.clear();
    for (size_t i = 0; i < m_hops.size(); ++i)
    {
        const IntHop& now = told.telemetry[i];
        const IntHop& before = m_hops[i];
        int64_t steps = CounterDifference(now.time, before.time, timeTurn);
        if (steps <= 0)
        {
            return false;
        }
        int64_t bytes = static_cast<int64_t>(now.txBytes) - static_cast<int64_t>(before.txBytes);
        bytes += bytes < 0 ? bytesTurn : 0;
        m_intervals.push_back({steps,
                               static_cast<uint64_t>(std::max<int64_t>(0, bytes)),
                               now.queueBytes,
                               before.queueBytes,
                               now.bitsPerSecond});
    }
    return true;
}

} // namespace ns3
