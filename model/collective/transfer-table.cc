// SPDX-License-Identifier: GPL-2.0-only
#include "transfer-table.h"

#include "buffer-layout.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

TransferTable::TransferTable(const CollectiveRequest& request, uint32_t ranks)
    : m_request(request),
      m_ranks(ranks)
{
    if (request.transfers)
    {
        ReadList();
        return;
    }
    bool whole = request.operation == CollectiveOperation::BROADCAST ||
                 request.operation == CollectiveOperation::SEND_RECEIVE;
    m_longest = whole ? request.count : EvenPart(request.count, ranks, 0).count;
}

void
TransferTable::ReadList()
{
    const std::vector<PointToPoint>& given = *m_request.transfers;
    for (const PointToPoint& transfer : given)
    {
        m_list.push_back({transfer.source, transfer.destination, {0, 0, transfer.count}});
        m_longest = std::max(m_longest, transfer.count);
    }
    // Point-to-point has inputs and outputs in the list's order, all-to-all-v by peer.
    bool byPeer = m_request.operation == CollectiveOperation::ALL_TO_ALL_V;
    auto sort = [this] {
        std::stable_sort(m_list.begin(), m_list.end(), [](const Listed& a, const Listed& b) {
            return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
        });
    };
    if (byPeer)
    {
        sort();
    }
    std::vector<uint64_t> inputs(m_ranks, 0);
    std::vector<uint64_t> outputs(m_ranks, 0);
    for (Listed& listed : m_list)
    {
        listed.transfer.inputOffset = inputs[listed.source];
        listed.transfer.outputOffset = outputs[listed.destination];
        inputs[listed.source] += listed.transfer.count;
        outputs[listed.destination] += listed.transfer.count;
    }
    if (!byPeer)
    {
        sort();
    }
}

size_t
TransferTable::Find(uint32_t source, uint32_t destination) const
{
    auto first = std::partition_point(m_list.begin(), m_list.end(), [&](const Listed& listed) {
        return std::tie(listed.source, listed.destination) < std::tie(source, destination);
    });
    return static_cast<size_t>(first - m_list.begin());
}

uint32_t
TransferTable::Count(uint32_t source, uint32_t destination) const
{
    if (!m_request.transfers)
    {
        return 1;
    }
    return static_cast<uint32_t>(Find(source, destination + 1) - Find(source, destination));
}

TransferTable::Transfer
TransferTable::Get(uint32_t source, uint32_t destination, uint32_t index) const
{
    if (m_request.transfers)
    {
        return m_list[Find(source, destination) + index].transfer;
    }
    Part input = GetInputBlock(m_request, m_ranks, source, destination);
    Part output = GetOutputBlock(m_request, m_ranks, source, destination);
    return {input.offset, output.offset, input.count};
}

bool
TransferTable::IsInPlace(uint32_t rank, const Transfer& transfer) const
{
    if (!m_request.inPlace)
    {
        return false;
    }
    auto [input, output] = GetInPlaceOffsets(m_request, m_ranks, rank);
    return input + transfer.inputOffset == output + transfer.outputOffset;
}

bool
TransferTable::Holds(const CollectiveRequest& request)
{
    return !Reduces(request.operation);
}

} // namespace ns3
