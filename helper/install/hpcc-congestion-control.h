// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_CONGESTION_CONTROL_H
#define HPCC_CONGESTION_CONTROL_H

#include "ns3/hpcc-config.h"
#include "ns3/object-factory.h"

namespace ns3
{

/**
 * The congestion control that a configuration of the HPCC family asks for, as the family's program
 * has it: the simulator's parameters, with the values of the configuration's keys. Windows are the
 * queue pairs' own (HAS_WIN, GLOBAL_T, VAR_WIN).
 * @param config a configuration
 * @param lineRate of the hosts' links
 * @return makes the RdmaCongestionOps of all queue pairs
 */
ObjectFactory MakeHpccCongestionControl(const HpccConfig& config, DataRate lineRate);

} // namespace ns3

#endif // HPCC_CONGESTION_CONTROL_H
