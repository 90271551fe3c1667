// SPDX-License-Identifier: GPL-2.0-only
#include "collective-tuner.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveTuner);

TypeId
CollectiveTuner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CollectiveTuner").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
