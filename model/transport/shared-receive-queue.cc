// SPDX-License-Identifier: GPL-2.0-only
#include "shared-receive-queue.h"

#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SharedReceiveQueue);

TypeId
SharedReceiveQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SharedReceiveQueue")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<SharedReceiveQueue>()
            .AddAttribute("MaxWr",
                          "Most work requests that may wait.",
                          UintegerValue(UINT32_MAX),
                          MakeUintegerAccessor(&SharedReceiveQueue::m_maxWr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Limit",
                          "LimitReached is traced when fewer than this are left; 0: never.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharedReceiveQueue::m_limit),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("LimitReached",
                            "Fewer work requests than Limit are left.",
                            MakeTraceSourceAccessor(&SharedReceiveQueue::m_limitTrace),
                            "ns3::SharedReceiveQueue::LimitTracedCallback");
    return tid;
}

PostResult
SharedReceiveQueue::PostReceive(const ReceiveWorkRequest& request)
{
    if (m_queue.size() >= m_maxWr)
    {
        return PostResult::QUEUE_FULL;
    }
    m_queue.push_back(request);
    return PostResult::POSTED;
}

ReceiveWorkRequest
SharedReceiveQueue::Take()
{
    ReceiveWorkRequest request = m_queue.front();
    m_queue.pop_front();
    if (m_queue.size() + 1 == m_limit)
    {
        m_limitTrace(m_queue.size());
    }
    return request;
}

} // namespace ns3
