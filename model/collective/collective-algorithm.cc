// SPDX-License-Identifier: GPL-2.0-only
#include "collective-algorithm.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
