// SPDX-License-Identifier: GPL-2.0-only
#include "go-back-n.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GoBackN);

TypeId
GoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GoBackN")
                            .SetParent<RdmaReliability>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<GoBackN>();
    return tid;
}

std::string
GoBackN::GetName() const
{
    return "go-back-n";
}

Ptr<RdmaReliability>
GoBackN::Fork() const
{
    return Ptr<RdmaReliability>(const_cast<GoBackN*>(this)); // it has no state to keep apart
}

void
GoBackN::SequenceNak(RdmaSendWindow& window, uint64_t psn)
{
    window.send = psn;
}

void
GoBackN::TimedOut(RdmaSendWindow& window)
{
    window.send = window.acked;
}

bool
GoBackN::ResponseGap(RdmaSendWindow& window, uint64_t missing, uint64_t)
{
    window.send = missing;
    return true;
}

} // namespace ns3
