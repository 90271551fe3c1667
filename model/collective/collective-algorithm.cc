// SPDX-License-Identifier: GPL-2.0-only
#include "collective-algorithm.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddAttribute("Protocol",
                          "How data and the news of them travel together: LL, LL128 or Simple.",
                          StringValue("Simple"),
                          MakeStringAccessor(&CollectiveAlgorithm::SetProtocol,
                                             &CollectiveAlgorithm::GetProtocol),
                          MakeStringChecker())
            .AddAttribute("Channels",
                          "That the data are divided over, each with connections and a thread of "
                          "its own; 0: as many as suit the algorithm.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveAlgorithm::m_channels),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("ChunkSize",
                          "Most bytes of a chunk, what an algorithm moves at a time. The default "
                          "is that of NCCL's all-reduce: 4 steps of 512 KiB.",
                          UintegerValue(2 * 1024 * 1024),
                          MakeUintegerAccessor(&CollectiveAlgorithm::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>(1, wire::MAX_MESSAGE_BYTES))
            .AddAttribute("SliceSize",
                          "Most bytes of a slice, the unit that is sent, reduced and forwarded: a "
                          "message.",
                          UintegerValue(128 * 1024),
                          MakeUintegerAccessor(&CollectiveAlgorithm::m_sliceBytes),
                          MakeUintegerChecker<uint64_t>(1, wire::MAX_MESSAGE_BYTES))
            .AddAttribute("EmptySlices",
                          "A chunk that is shorter than a full one is sent in as many messages, "
                          "the last ones empty, as NCCL does (rings).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CollectiveAlgorithm::m_emptySlices),
                          MakeBooleanChecker())
            .AddAttribute("Window",
                          "Messages that the receiver of a connection has room for: a sender is "
                          "never further ahead. 0: two chunks, at least 8.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveAlgorithm::m_window),
                          MakeUintegerChecker<uint32_t>(0));
    return tid;
}

void
CollectiveAlgorithm::SetProtocol(std::string name)
{
    NS_ABORT_MSG_UNLESS(ParseCollectiveProtocol(name, m_protocol),
                        "CollectiveAlgorithm: there is no protocol \""
                            << name << "\"; expected LL, LL128 or Simple");
}

std::string
CollectiveAlgorithm::GetProtocol() const
{
    return ToString(m_protocol);
}

CollectivePlan
CollectiveAlgorithm::MakePlan(const CollectiveRequest& request, const RankLayout& layout) const
{
    CollectivePlan plan;
    plan.algorithm = GetName();
    plan.protocol = m_protocol;
    plan.channels = m_channels > 0 ? m_channels : GetDefaultChannels(layout);
    plan.chunkBytes = std::max<uint64_t>(m_chunkBytes, request.typeBytes);
    plan.sliceBytes =
        std::max<uint64_t>(std::min(m_sliceBytes, plan.chunkBytes), request.typeBytes);
    uint64_t slices = (plan.chunkBytes + plan.sliceBytes - 1) / plan.sliceBytes;
    plan.window = m_window > 0
                      ? m_window
                      : static_cast<uint32_t>(std::max<uint64_t>(PROTOCOL_STEPS, 2 * slices));
    plan.emptySlices = m_emptySlices;
    plan.why = "asked for";
    return plan;
}

uint32_t
CollectiveAlgorithm::GetDefaultChannels(const RankLayout&) const
{
    return 1;
}

} // namespace ns3
