// SPDX-License-Identifier: GPL-2.0-only
#include "frame-exchange.h"

#ifdef NS3_MPI

#include "ns3/abort.h"
#include "ns3/mpi-interface.h"

#include <algorithm>
#include <climits>
#include <mpi.h>

namespace ns3
{

FrameExchange* FrameExchange::g_active = nullptr;

namespace
{
MPI_Comm g_exchangeCommunicator = MPI_COMM_NULL; ///< of our own
std::vector<MPI_Request> g_exchangeRequests;     ///< under way; kept for its memory
} // namespace

FrameExchange::FrameExchange()
    : m_rank(MpiInterface::GetSystemId()),
      m_out(MpiInterface::GetSize()),
      m_in(m_out.size()),
      m_told(m_out.size()),
      m_heard(m_out.size())
{
    MPI_Comm_dup(MpiInterface::GetCommunicator(), &g_exchangeCommunicator);
    g_active = this;
}

FrameExchange::~FrameExchange()
{
    MPI_Comm_free(&g_exchangeCommunicator);
    g_active = nullptr;
}

void
FrameExchange::Bound(int64_t lookahead)
{
    m_lookahead = std::min(m_lookahead, static_cast<uint64_t>(lookahead));
}

void
FrameExchange::Send(uint32_t process, uint32_t port, const FabricFrame& frame)
{
    m_firstArrival = std::min(m_firstArrival, static_cast<uint64_t>(frame.arrivalTime));
    m_out[process].Add(port, frame);
}

uint32_t
FrameExchange::GetRank() const
{
    return m_rank;
}

uint64_t
FrameExchange::Next(uint64_t next, bool stopped)
{
    next = std::min(next, m_firstArrival);
    m_firstArrival = NO_TIME;
    for (size_t process = 0; process < m_out.size(); ++process)
    {
        const uint64_t bytes = m_out[process].GetBytes().size();
        NS_ABORT_MSG_IF(bytes > INT_MAX, "FrameExchange: too many frames in one window");
        m_told[process] = {next, m_lookahead, stopped ? 1U : 0U, bytes};
    }
    MPI_Alltoall(m_told.data(),
                 sizeof(Word),
                 MPI_BYTE,
                 m_heard.data(),
                 sizeof(Word),
                 MPI_BYTE,
                 g_exchangeCommunicator);
    PassFrames();
    uint64_t lookahead = m_lookahead;
    for (const Word& word : m_heard)
    {
        next = std::min(next, word.next);
        lookahead = std::min(lookahead, word.lookahead);
        stopped = stopped || word.stopped;
    }
    if (stopped || next == NO_TIME)
    {
        return NO_TIME;
    }
    return lookahead < NO_TIME - next ? next + lookahead : NO_TIME - 1;
}

void
FrameExchange::PassFrames()
{
    g_exchangeRequests.clear();
    for (size_t process = 0; process < m_out.size(); ++process)
    {
        const auto other = static_cast<int>(process);
        const std::vector<uint8_t>& out = m_out[process].GetBytes();
        m_in[process].resize(m_heard[process].bytes);
        if (!m_in[process].empty())
        {
            MPI_Irecv(m_in[process].data(),
                      static_cast<int>(m_in[process].size()),
                      MPI_BYTE,
                      other,
                      0,
                      g_exchangeCommunicator,
                      &g_exchangeRequests.emplace_back());
        }
        if (!out.empty())
        {
            MPI_Isend(out.data(),
                      static_cast<int>(out.size()),
                      MPI_BYTE,
                      other,
                      0,
                      g_exchangeCommunicator,
                      &g_exchangeRequests.emplace_back());
        }
    }
    MPI_Waitall(static_cast<int>(g_exchangeRequests.size()),
                g_exchangeRequests.data(),
                MPI_STATUSES_IGNORE);
    for (size_t process = 0; process < m_in.size(); ++process)
    {
        m_out[process].Clear();
        FrameMessage::Read(m_in[process].data(), m_in[process].size(), m_receive);
    }
}

} // namespace ns3

#endif // NS3_MPI
