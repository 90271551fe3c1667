// SPDX-License-Identifier: GPL-2.0-only
#include "route-computation.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RouteComputation);

TypeId
RouteComputation::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RouteComputation").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
