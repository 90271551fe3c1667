// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_RESULTS_H
#define HPCC_RESULTS_H

#include <cstdint>
#include <ostream>

namespace ns3
{

/// A flow that has ended: a line of the HPCC family's fct.txt.
struct HpccFctRecord
{
    uint32_t source;          ///< node id
    uint32_t destination;     ///< node id
    uint16_t sourcePort;      ///< 10000 upwards for each source host
    uint16_t destinationPort; ///< as in the flow file
    uint64_t bytes;
    uint64_t startNs;
    uint64_t durationNs;
    uint64_t idealNs; ///< alone in the network
};

/// A PFC frame that a port has received: a line of the HPCC family's pfc.txt.
struct HpccPfcRecord
{
    uint64_t timeNs;
    uint32_t node; ///< node id
    bool isSwitch;
    uint32_t port; ///< from 1, in order of the topology's links
    bool pause;    ///< else resume
};

/// @param node id @return its IPv4 address in the family's numbering, 11.0.0.1 + 256 x id
uint32_t GetHpccAddress(uint32_t node);

/// @param out fct.txt @param record a line: addresses in hexadecimal, the rest decimal
void WriteHpccFct(std::ostream& out, const HpccFctRecord& record);

/// @param out pfc.txt @param record a line
void WriteHpccPfc(std::ostream& out, const HpccPfcRecord& record);

} // namespace ns3

#endif // HPCC_RESULTS_H
