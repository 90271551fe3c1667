// SPDX-License-Identifier: GPL-2.0-only
#include "nvls-tree-algorithm.h"

#include "nvls-program.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NvlsTreeAlgorithm);

TypeId
NvlsTreeAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NvlsTreeAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<NvlsTreeAlgorithm>();
    return tid;
}

std::string
NvlsTreeAlgorithm::GetName() const
{
    return "nvls-tree";
}

std::string
NvlsTreeAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    if (request.operation != CollectiveOperation::ALL_REDUCE &&
        request.operation != CollectiveOperation::BARRIER)
    {
        return std::string("NVLS-tree cannot do ") + ToString(request.operation);
    }
    if (layout.GetGroups().size() < 2)
    {
        return "NVLS-tree is for several groups; there is one";
    }
    return CheckNvlsGroups(layout);
}

uint32_t
NvlsTreeAlgorithm::GetDefaultChannels(const RankLayout&) const
{
    return NVLS_DEFAULT_CHANNELS;
}

std::shared_ptr<const CollectiveProgram>
NvlsTreeAlgorithm::Emit(const CollectiveRequest& request,
                        const RankLayout& layout,
                        const CollectivePlan& plan) const
{
    return std::make_shared<NvlsProgram>(request, layout, plan);
}

} // namespace ns3
