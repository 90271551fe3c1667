// SPDX-License-Identifier: GPL-2.0-only
#include "nvls-algorithm.h"

#include "nvls-program.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NvlsAlgorithm);

TypeId
NvlsAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NvlsAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<NvlsAlgorithm>();
    return tid;
}

std::string
NvlsAlgorithm::GetName() const
{
    return "nvls";
}

std::string
NvlsAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    switch (request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::BARRIER:
        break;
    default:
        return std::string("NVLS cannot do ") + ToString(request.operation);
    }
    if (layout.GetGroups().size() != 1)
    {
        return "NVLS is for one group; there are " + std::to_string(layout.GetGroups().size());
    }
    return CheckNvlsGroups(layout);
}

uint32_t
NvlsAlgorithm::GetDefaultChannels(const RankLayout&) const
{
    return NVLS_DEFAULT_CHANNELS;
}

std::shared_ptr<const CollectiveProgram>
NvlsAlgorithm::Emit(const CollectiveRequest& request,
                    const RankLayout& layout,
                    const CollectivePlan& plan) const
{
    return std::make_shared<NvlsProgram>(request, layout, plan);
}

} // namespace ns3
