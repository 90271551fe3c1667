// SPDX-License-Identifier: GPL-2.0-only
#include "program-checker.h"

#include "buffer-layout.h"
#include "symbolic-memory.h"

#include "ns3/abort.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace ns3
{

namespace
{

using Operation = CollectiveOperation;

const char*
NameOf(ProgramBuffer buffer)
{
    switch (buffer)
    {
    case ProgramBuffer::INPUT:
        return "input";
    case ProgramBuffer::OUTPUT:
        return "output";
    case ProgramBuffer::SCRATCH:
        return "scratch";
    case ProgramBuffer::NONE:
        break;
    }
    return "nothing";
}

/// Says which connection a message belongs to.
std::string
Describe(const ProgramMessage& message, bool sends)
{
    std::string peer = "rank " + std::to_string(message.peer);
    std::string channel = ", channel " + std::to_string(message.channel);
    switch (message.way)
    {
    case MessageWay::PEER:
        return (sends ? "to " : "from ") + peer + channel;
    case MessageWay::REDUCTION:
        return "by reduction to " + peer + channel;
    case MessageWay::MULTICAST:
        return "by multicast from " + peer + channel;
    case MessageWay::NONE:
        break;
    }
    return "by no way";
}

/// What one rank remembers, and where its buffers lie in that.
struct SymbolicRank
{
    struct Range
    {
        uint64_t begin{0};
        uint64_t bytes{0};
    };

    SymbolicMemory data; ///< input and output; one behind the other unless in place
    SymbolicMemory scratch;
    Range input;
    Range output;
    uint64_t scratchBytes{0};

    Range GetRange(ProgramBuffer buffer) const
    {
        switch (buffer)
        {
        case ProgramBuffer::INPUT:
            return input;
        case ProgramBuffer::OUTPUT:
            return output;
        default:
            return {0, scratchBytes};
        }
    }

    SymbolicMemory& GetMemory(ProgramBuffer buffer)
    {
        return buffer == ProgramBuffer::SCRATCH ? scratch : data;
    }
};

/// A message that has not been received.
struct SymbolicMessage
{
    SymbolicValue value;
    uint64_t bytes;
    uint64_t hops;
};

/// The way from one sender to one receiver; a reduction has one for each sender, and so on.
struct SymbolicLane
{
    static constexpr uint32_t NOBODY = UINT32_MAX;

    std::deque<SymbolicMessage> messages;
    uint32_t sender{NOBODY}; ///< thread
    uint32_t receiver{NOBODY};
};

/// The lanes of a connection, and those that one end of it uses.
struct LaneRange
{
    SymbolicLane* begin_{nullptr};
    SymbolicLane* end_{nullptr};

    SymbolicLane* begin() const
    {
        return begin_;
    }

    SymbolicLane* end() const
    {
        return end_;
    }
};

struct SymbolicConnection
{
    ProgramMessage name; ///< as at its receiving end
    uint32_t receiver;   ///< rank of a peer's connection
    std::vector<SymbolicLane> lanes;
};

/// One execution of a program.
class SymbolicExecution
{
  public:
    SymbolicExecution(const CollectiveProgram& program,
                      const CollectiveRequest& request,
                      const RankLayout& layout,
                      uint32_t window);

    /**
     * @param newestFirst whether the thread that has become able to run last runs next
     * @return empty, or what is wrong
     */
    std::string Run(bool newestFirst);

    ProgramTotals TakeTotals()
    {
        return std::move(m_totals);
    }

  private:
    struct Thread
    {
        uint32_t rank;
        uint32_t number;
        std::unique_ptr<StepSource> source;
        ProgramStep step;
        LaneRange receives;
        LaneRange sends;
        uint64_t done{0}; ///< steps
        uint64_t hops{0}; ///< of the longest chain of messages that it knows of
        std::vector<std::pair<uint64_t, uint64_t>>
            learned; ///< steps at which hops grew, and to what
        bool finished{false};
        bool queued{true};
        std::vector<uint32_t> waiting; ///< threads that depend on it
    };

    void FillMemory(uint32_t rank);
    void Wake(uint32_t thread);
    bool Fetch(Thread& thread);
    void CheckStep(const Thread& thread);
    void CheckMessage(const Thread& thread, const ProgramMessage& message);
    void CheckOperand(const Thread& thread, const ProgramOperand& operand, bool written);
    LaneRange Claim(Thread& thread, const ProgramMessage& message, bool sends);
    SymbolicConnection& GetConnection(uint32_t rank, const ProgramMessage& message, bool sends);
    bool IsDependencyDone(const Thread& thread) const;
    bool IsMessageThere(const Thread& thread) const;
    bool IsRoomThere(const Thread& thread) const;
    bool Advance(uint32_t index);
    void Execute(Thread& thread);
    bool Receive(Thread& thread, SymbolicValue& value);
    bool Read(const Thread& thread, const ProgramOperand& operand, SymbolicValue& value);
    void Fail(const Thread& thread, const std::string& text);
    std::string DescribeDeadlock() const;
    std::string WhatFor(const Thread& thread) const;
    std::string FindLeftover() const;
    std::string CheckOutputs();
    std::string CheckBlock(uint32_t rank,
                           const Part& output,
                           uint64_t input,
                           const std::vector<uint32_t>& sources);
    std::string CheckTransferred();

    const CollectiveProgram& m_program;
    const CollectiveRequest& m_request;
    const RankLayout& m_layout;
    uint32_t m_ranks;
    uint32_t m_window;
    std::vector<uint32_t> m_position; ///< of each rank in its group
    std::vector<SymbolicRank> m_memory;
    std::vector<Thread> m_threads;
    std::vector<uint32_t> m_firstThread; ///< by rank
    std::deque<uint32_t> m_ready;
    std::deque<SymbolicConnection> m_connections; ///< in order of their first use
    std::unordered_map<uint64_t, uint32_t> m_connectionOf;
    ProgramTotals m_totals;
    std::string m_error;
};

SymbolicExecution::SymbolicExecution(const CollectiveProgram& program,
                                     const CollectiveRequest& request,
                                     const RankLayout& layout,
                                     uint32_t window)
    : m_program(program),
      m_request(request),
      m_layout(layout),
      m_ranks(layout.GetSize()),
      m_window(window),
      m_position(m_ranks, 0),
      m_memory(m_ranks)
{
    for (const std::vector<uint32_t>& group : layout.GetGroups())
    {
        for (uint32_t i = 0; i < group.size(); ++i)
        {
            m_position[group[i]] = i;
        }
    }
    m_totals.sent.resize(m_ranks);
    m_totals.steps.resize(m_ranks, 0);
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        FillMemory(rank);
        m_firstThread.push_back(static_cast<uint32_t>(m_threads.size()));
        for (uint32_t number = 0; number < program.GetThreads(rank); ++number)
        {
            m_ready.push_back(static_cast<uint32_t>(m_threads.size()));
            m_threads.emplace_back();
            m_threads.back().rank = rank;
            m_threads.back().number = number;
            m_threads.back().source = program.Open(rank, number);
        }
    }
}

void
SymbolicExecution::FillMemory(uint32_t rank)
{
    SymbolicRank& memory = m_memory[rank];
    uint64_t unit = m_request.typeBytes;
    memory.input.bytes = GetInputCount(m_request, m_ranks, rank) * unit;
    memory.output.bytes = GetOutputCount(m_request, m_ranks, rank) * unit;
    memory.scratchBytes = m_program.GetScratchBytes(rank);
    if (m_request.inPlace)
    {
        auto [input, output] = GetInPlaceOffsets(m_request, m_ranks, rank);
        memory.input.begin = input * unit;
        memory.output.begin = output * unit;
    }
    else
    {
        memory.output.begin = memory.input.bytes;
    }
    memory.data.Write(memory.input.begin, MakeContribution(0, memory.input.bytes, {rank}));
}

void
SymbolicExecution::Wake(uint32_t thread)
{
    if (thread != SymbolicLane::NOBODY && !m_threads[thread].queued)
    {
        m_threads[thread].queued = true;
        m_ready.push_back(thread);
    }
}

void
SymbolicExecution::Fail(const Thread& thread, const std::string& text)
{
    if (m_error.empty())
    {
        m_error = "rank " + std::to_string(thread.rank) + " thread " +
                  std::to_string(thread.number) + " step " + std::to_string(thread.done) + " " +
                  text;
    }
}

void
SymbolicExecution::CheckMessage(const Thread& thread, const ProgramMessage& message)
{
    if (message.peer >= m_ranks)
    {
        Fail(thread,
             "has a message with rank " + std::to_string(message.peer) + ", which there is not");
    }
    else if (message.channel >= m_program.GetChannels())
    {
        Fail(thread,
             "uses channel " + std::to_string(message.channel) + " of " +
                 std::to_string(m_program.GetChannels()));
    }
    else if (message.way == MessageWay::PEER && message.peer == thread.rank)
    {
        Fail(thread, "has a message with its own rank");
    }
    else if (message.way != MessageWay::PEER && !m_layout.HasInSwitchReduction())
    {
        Fail(thread, "needs a switch that reduces, which the layout has not");
    }
    else if (message.way != MessageWay::PEER &&
             m_layout.GetGroup(message.peer) != m_layout.GetGroup(thread.rank))
    {
        Fail(thread,
             "has a group's message with rank " + std::to_string(message.peer) +
                 ", which is in another group");
    }
}

void
SymbolicExecution::CheckOperand(const Thread& thread, const ProgramOperand& operand, bool written)
{
    uint64_t bytes = thread.step.bytes;
    SymbolicRank::Range range = m_memory[thread.rank].GetRange(operand.buffer);
    std::string verb = written ? "writes " : "reads ";
    if (operand.offset > range.bytes || bytes > range.bytes - operand.offset)
    {
        Fail(thread,
             verb + std::to_string(bytes) + " B at " + std::to_string(operand.offset) + " of its " +
                 NameOf(operand.buffer) + ", which has " + std::to_string(range.bytes) + " B");
    }
    if (operand.buffer != ProgramBuffer::SCRATCH && operand.offset % m_request.typeBytes != 0)
    {
        Fail(thread,
             verb + "its " + NameOf(operand.buffer) + " at " + std::to_string(operand.offset) +
                 " B, amid an element");
    }
    if (written && operand.buffer == ProgramBuffer::INPUT && !m_request.inPlace)
    {
        Fail(thread, "writes its input, which is not in place");
    }
}

void
SymbolicExecution::CheckStep(const Thread& thread)
{
    const ProgramStep& step = thread.step;
    for (const ProgramMessage* message : {&step.receive, &step.send})
    {
        if (*message)
        {
            CheckMessage(thread, *message);
        }
    }
    if (step.source)
    {
        CheckOperand(thread, step.source, false);
    }
    if (step.destination)
    {
        CheckOperand(thread, step.destination, true);
    }
    if (step.bytes % m_request.typeBytes != 0)
    {
        Fail(thread, "has " + std::to_string(step.bytes) + " B, which cuts an element");
    }
    if ((step.destination || step.send) && !step.receive && !step.source)
    {
        Fail(thread, "writes or sends, but has no value: it neither receives nor reads");
    }
    if (step.accumulates && !step.destination)
    {
        Fail(thread, "adds to a destination that it has not");
    }
    if (step.after.thread != ProgramStep::Dependency::NONE &&
        (step.after.thread >= m_program.GetThreads(thread.rank) ||
         step.after.thread == thread.number))
    {
        Fail(thread,
             "depends on thread " + std::to_string(step.after.thread) +
                 ", which is no other thread of its rank");
    }
}

SymbolicConnection&
SymbolicExecution::GetConnection(uint32_t rank, const ProgramMessage& message, bool sends)
{
    ProgramMessage name = message;
    uint32_t receiver = 0;
    size_t lanes = 1;
    if (message.way == MessageWay::PEER)
    {
        receiver = sends ? message.peer : rank;
        name.peer = sends ? rank : message.peer;
    }
    else
    {
        lanes = m_layout.GetGroups()[m_layout.GetGroup(rank)].size();
    }
    constexpr uint32_t RANK_BITS = 24;
    constexpr uint32_t CHANNEL_BITS = 14;
    NS_ABORT_MSG_IF(m_ranks >> RANK_BITS || message.channel >> CHANNEL_BITS,
                    "CheckProgram: too many ranks or channels");
    uint64_t key = static_cast<uint64_t>(name.way);
    key = key << CHANNEL_BITS | name.channel;
    key = key << RANK_BITS | name.peer;
    key = key << RANK_BITS | receiver;
    auto [entry, isNew] = m_connectionOf.emplace(key, static_cast<uint32_t>(m_connections.size()));
    if (isNew)
    {
        m_connections.push_back({name, receiver, std::vector<SymbolicLane>(lanes)});
    }
    return m_connections[entry->second];
}

LaneRange
SymbolicExecution::Claim(Thread& thread, const ProgramMessage& message, bool sends)
{
    if (!message)
    {
        return {};
    }
    std::vector<SymbolicLane>& lanes = GetConnection(thread.rank, message, sends).lanes;
    if (message.way == MessageWay::REDUCTION && !sends && message.peer != thread.rank)
    {
        Fail(thread, "receives a sum that goes to rank " + std::to_string(message.peer));
    }
    if (message.way == MessageWay::MULTICAST && sends && message.peer != thread.rank)
    {
        Fail(thread, "sends as rank " + std::to_string(message.peer));
    }
    SymbolicLane* first = lanes.data();
    SymbolicLane* last = first + lanes.size();
    // One of many senders, or of many receivers, has a lane of its own.
    if (sends ? message.way == MessageWay::REDUCTION : message.way == MessageWay::MULTICAST)
    {
        first += m_position[thread.rank];
        last = first + 1;
    }
    uint32_t index = m_firstThread[thread.rank] + thread.number;
    for (SymbolicLane& lane : LaneRange{first, last})
    {
        uint32_t& user = sends ? lane.sender : lane.receiver;
        if (user != SymbolicLane::NOBODY && user != index)
        {
            Fail(thread,
                 std::string(sends ? "sends " : "receives ") + Describe(message, sends) +
                     ", a connection that thread " + std::to_string(m_threads[user].number) +
                     " uses");
        }
        user = index;
    }
    return {first, last};
}

bool
SymbolicExecution::Fetch(Thread& thread)
{
    thread.step = ProgramStep();
    if (!thread.source->Next(thread.step))
    {
        thread.finished = true;
        return false;
    }
    CheckStep(thread);
    if (!m_error.empty())
    {
        return false;
    }
    thread.receives = Claim(thread, thread.step.receive, false);
    thread.sends = Claim(thread, thread.step.send, true);
    return m_error.empty();
}

bool
SymbolicExecution::IsDependencyDone(const Thread& thread) const
{
    const ProgramStep::Dependency& after = thread.step.after;
    return after.thread == ProgramStep::Dependency::NONE ||
           m_threads[m_firstThread[thread.rank] + after.thread].done > after.step;
}

bool
SymbolicExecution::IsMessageThere(const Thread& thread) const
{
    return std::none_of(thread.receives.begin(), thread.receives.end(), [](const auto& lane) {
        return lane.messages.empty();
    });
}

bool
SymbolicExecution::IsRoomThere(const Thread& thread) const
{
    return std::none_of(thread.sends.begin(), thread.sends.end(), [this](const auto& lane) {
        return lane.messages.size() >= m_window;
    });
}

/// Does one step if it can be done; @return whether the thread should be asked again at once.
bool
SymbolicExecution::Advance(uint32_t index)
{
    Thread& thread = m_threads[index];
    if (!IsDependencyDone(thread))
    {
        m_threads[m_firstThread[thread.rank] + thread.step.after.thread].waiting.push_back(index);
        return false;
    }
    if (!IsMessageThere(thread) || !IsRoomThere(thread))
    {
        return false;
    }
    Execute(thread);
    ++thread.done;
    for (uint32_t waiting : thread.waiting)
    {
        Wake(waiting);
    }
    thread.waiting.clear();
    return m_error.empty() && Fetch(thread);
}

bool
SymbolicExecution::Receive(Thread& thread, SymbolicValue& value)
{
    bool first = true;
    for (SymbolicLane& lane : thread.receives)
    {
        SymbolicMessage message = std::move(lane.messages.front());
        lane.messages.pop_front();
        Wake(lane.sender);
        if (message.bytes != thread.step.bytes)
        {
            Fail(thread,
                 "receives " + std::to_string(thread.step.bytes) + " B " +
                     Describe(thread.step.receive, false) + ", but the message has " +
                     std::to_string(message.bytes) + " B");
            return false;
        }
        thread.hops = std::max(thread.hops, message.hops);
        value = first ? std::move(message.value) : AddValues(value, message.value);
        first = false;
    }
    return true;
}

bool
SymbolicExecution::Read(const Thread& thread, const ProgramOperand& operand, SymbolicValue& value)
{
    SymbolicRank& memory = m_memory[thread.rank];
    uint64_t begin = memory.GetRange(operand.buffer).begin + operand.offset;
    uint64_t read = memory.GetMemory(operand.buffer).Read(begin, thread.step.bytes, value);
    if (read == thread.step.bytes)
    {
        return true;
    }
    uint64_t byte = operand.offset + read;
    Fail(thread,
         std::string("reads undefined memory: element ") +
             std::to_string(byte / m_request.typeBytes) + " (byte " + std::to_string(byte) +
             ") of its " + NameOf(operand.buffer));
    return false;
}

void
SymbolicExecution::Execute(Thread& thread)
{
    const ProgramStep& step = thread.step;
    const ProgramStep::Dependency& after = step.after;
    const uint64_t hopsBefore = thread.hops;
    if (after.thread != ProgramStep::Dependency::NONE)
    {
        const Thread& other = m_threads[m_firstThread[thread.rank] + after.thread];
        // It may be further than the step that is waited for.
        auto later =
            std::partition_point(other.learned.begin(),
                                 other.learned.end(),
                                 [&](const auto& entry) { return entry.first <= after.step; });
        uint64_t known = later == other.learned.begin() ? 0 : std::prev(later)->second;
        thread.hops = std::max(thread.hops, known);
    }
    SymbolicValue value;
    if (!Receive(thread, value))
    {
        return;
    }
    bool hasValue = bool(step.receive);
    const ProgramOperand none;
    for (const ProgramOperand& operand : {step.source, step.accumulates ? step.destination : none})
    {
        SymbolicValue read;
        if (operand)
        {
            if (!Read(thread, operand, read))
            {
                return;
            }
            value = hasValue ? AddValues(value, read) : std::move(read);
            hasValue = true;
        }
    }
    if (step.destination)
    {
        SymbolicRank& memory = m_memory[thread.rank];
        memory.GetMemory(step.destination.buffer)
            .Write(memory.GetRange(step.destination.buffer).begin + step.destination.offset, value);
    }
    for (SymbolicLane& lane : thread.sends)
    {
        lane.messages.push_back({value, step.bytes, thread.hops + 1});
        m_totals.hops = std::max(m_totals.hops, thread.hops + 1);
        Wake(lane.receiver);
    }
    if (step.send)
    {
        auto& sent = m_totals.sent[thread.rank][static_cast<size_t>(step.send.way)];
        ++sent.messages;
        sent.bytes += step.bytes;
    }
    ++m_totals.steps[thread.rank];
    if (thread.hops > hopsBefore)
    {
        thread.learned.emplace_back(thread.done, thread.hops);
    }
}

std::string
SymbolicExecution::Run(bool newestFirst)
{
    for (Thread& thread : m_threads)
    {
        Fetch(thread);
        if (!m_error.empty())
        {
            return m_error;
        }
    }
    while (!m_ready.empty())
    {
        uint32_t index = newestFirst ? m_ready.back() : m_ready.front();
        newestFirst ? m_ready.pop_back() : m_ready.pop_front();
        m_threads[index].queued = false;
        while (!m_threads[index].finished && Advance(index))
        {
        }
        if (!m_error.empty())
        {
            return m_error;
        }
    }
    for (const Thread& thread : m_threads)
    {
        if (!thread.finished)
        {
            return DescribeDeadlock();
        }
    }
    std::string leftover = FindLeftover();
    return leftover.empty() ? CheckOutputs() : leftover;
}

std::string
SymbolicExecution::WhatFor(const Thread& thread) const
{
    const ProgramStep& step = thread.step;
    if (!IsDependencyDone(thread))
    {
        return "step " + std::to_string(step.after.step) + " of thread " +
               std::to_string(step.after.thread);
    }
    if (!IsMessageThere(thread))
    {
        return "a message " + Describe(step.receive, false);
    }
    return "room for a message " + Describe(step.send, true) + " (window " +
           std::to_string(m_window) + ")";
}

std::string
SymbolicExecution::DescribeDeadlock() const
{
    constexpr size_t MOST_NAMED = 16;
    std::ostringstream text;
    text << "deadlock:";
    size_t blocked = 0;
    for (const Thread& thread : m_threads)
    {
        if (!thread.finished && ++blocked <= MOST_NAMED)
        {
            text << (blocked > 1 ? ";" : "") << " rank " << thread.rank << " thread "
                 << thread.number << " step " << thread.done << " waits for " << WhatFor(thread);
        }
    }
    if (blocked > MOST_NAMED)
    {
        text << "; and " << blocked - MOST_NAMED << " more threads";
    }
    return text.str();
}

std::string
SymbolicExecution::FindLeftover() const
{
    for (const SymbolicConnection& connection : m_connections)
    {
        for (size_t i = 0; i < connection.lanes.size(); ++i)
        {
            size_t left = connection.lanes[i].messages.size();
            if (left == 0)
            {
                continue;
            }
            const ProgramMessage& name = connection.name;
            const std::vector<uint32_t>& group = m_layout.GetGroups()[m_layout.GetGroup(name.peer)];
            std::string text = std::to_string(left) + " messages " + Describe(name, false);
            switch (name.way)
            {
            case MessageWay::REDUCTION:
                return text + ", sent by rank " + std::to_string(group[i]) + ", are left over";
            case MessageWay::MULTICAST:
                return text + ", are left over at rank " + std::to_string(group[i]);
            default:
                return text + ", are left over at rank " + std::to_string(connection.receiver);
            }
        }
    }
    return "";
}

/// Says what is wrong with an element of an output; the two sums differ.
std::string
Compare(const ContributionSum& found,
        uint64_t shift,
        uint64_t input,
        const std::vector<uint32_t>& ranks)
{
    std::map<std::pair<uint64_t, uint32_t>, uint64_t> times;
    for (const ContributionRun& run : found)
    {
        for (uint32_t rank = run.first; rank <= run.last; ++rank)
        {
            times[{run.offset + shift, rank}] += run.times;
        }
    }
    for (uint32_t rank : ranks)
    {
        auto entry = times.find({input, rank});
        if (entry == times.end())
        {
            return "lacks the input of rank " + std::to_string(rank);
        }
        if (entry->second != 1)
        {
            return "has the input of rank " + std::to_string(rank) + " " +
                   std::to_string(entry->second) + " times";
        }
        times.erase(entry);
    }
    return "has the input of rank " + std::to_string(times.begin()->first.second) +
           ", which does not belong there";
}

std::string
SymbolicExecution::CheckBlock(uint32_t rank,
                              const Part& output,
                              uint64_t input,
                              const std::vector<uint32_t>& sources)
{
    uint64_t unit = m_request.typeBytes;
    SymbolicValue found;
    uint64_t bytes = output.count * unit;
    uint64_t defined =
        m_memory[rank].data.Read(m_memory[rank].output.begin + output.offset * unit, bytes, found);
    SymbolicValue expected = MakeContribution(input * unit, bytes, sources);
    uint64_t at = 0;
    for (const SymbolicPiece& piece : found)
    {
        SymbolicPiece wanted{piece.length, at, expected[0].sum};
        if (!HasSameFormula(piece, wanted))
        {
            uint64_t element = at / unit;
            return "rank " + std::to_string(rank) + " ends with a wrong element " +
                   std::to_string(output.offset + element) +
                   " of its output: it should have element " + std::to_string(input + element) +
                   " of " +
                   (sources.size() == 1 ? "rank " + std::to_string(sources[0])
                                        : "all " + std::to_string(sources.size()) + " ranks") +
                   ", but it " + Compare(*piece.sum, piece.shift, input * unit + at, sources);
        }
        at += piece.length;
    }
    if (defined < bytes)
    {
        return "rank " + std::to_string(rank) + " ends with element " +
               std::to_string(output.offset + defined / unit) + " of its output undefined";
    }
    return "";
}

std::string
SymbolicExecution::CheckTransferred()
{
    std::vector<uint64_t> sent(m_ranks, 0);
    std::vector<uint64_t> received(m_ranks, 0);
    std::vector<PointToPoint> transfers = *m_request.transfers;
    if (m_request.operation == Operation::ALL_TO_ALL_V)
    {
        std::sort(transfers.begin(), transfers.end(), [](const auto& a, const auto& b) {
            return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
        });
    }
    for (const PointToPoint& transfer : transfers)
    {
        uint64_t& from = sent[transfer.source];
        uint64_t& to = received[transfer.destination];
        std::string wrong =
            CheckBlock(transfer.destination, {to, transfer.count}, from, {transfer.source});
        if (!wrong.empty())
        {
            return wrong;
        }
        from += transfer.count;
        to += transfer.count;
    }
    return "";
}

std::string
SymbolicExecution::CheckOutputs()
{
    if (m_request.transfers)
    {
        return CheckTransferred();
    }
    std::vector<uint32_t> everyone(m_ranks);
    std::iota(everyone.begin(), everyone.end(), 0);
    bool reduces = Reduces(m_request.operation);
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        for (uint32_t source = 0; source < (reduces ? 1 : m_ranks); ++source)
        {
            Part input = GetInputBlock(m_request, m_ranks, source, rank);
            Part output = GetOutputBlock(m_request, m_ranks, source, rank);
            std::string wrong = CheckBlock(rank,
                                           output,
                                           input.offset,
                                           reduces ? everyone : std::vector<uint32_t>{source});
            if (!wrong.empty())
            {
                return wrong;
            }
        }
    }
    return "";
}

} // namespace

std::string
CheckProgram(const CollectiveProgram& program,
             const CollectiveRequest& request,
             const RankLayout& layout,
             uint32_t window,
             ProgramTotals* totals)
{
    NS_ABORT_MSG_IF(window == 0, "CheckProgram: the window is at least 1");
    SymbolicExecution oldestFirst(program, request, layout, window);
    std::string wrong = oldestFirst.Run(false);
    if (totals != nullptr)
    {
        *totals = oldestFirst.TakeTotals();
    }
    return wrong.empty() ? SymbolicExecution(program, request, layout, window).Run(true) : wrong;
}

} // namespace ns3
