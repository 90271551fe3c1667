// SPDX-License-Identifier: GPL-2.0-only
#include "msccl-xml.h"

#include "xml-document.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

constexpr int64_t MOST_GPUS = 4096;
constexpr int64_t MOST_CHUNKS = 1 << 20;
constexpr int64_t MOST_MSCCL_CHANNELS = 64; // MAXCHANNELS of NCCL

constexpr MscclStepType ALL_STEP_TYPES[] = {
    MscclStepType::SEND,
    MscclStepType::RECEIVE,
    MscclStepType::COPY,
    MscclStepType::REDUCE,
    MscclStepType::RECEIVE_COPY_SEND,
    MscclStepType::RECEIVE_REDUCE_COPY,
    MscclStepType::RECEIVE_REDUCE_SEND,
    MscclStepType::RECEIVE_REDUCE_COPY_SEND,
    MscclStepType::NOP,
};

/// A name of an operation in the files, and how many chunks inputs and outputs have.
struct MscclOperation
{
    const char* name;
    CollectiveOperation operation;
    bool inputIsBlock;  ///< one block of as many as there are GPUs
    bool outputIsBlock; ///< likewise
};

constexpr MscclOperation OPERATIONS_OF_MSCCL[] = {
    {"allreduce", CollectiveOperation::ALL_REDUCE, false, false},
    {"allgather", CollectiveOperation::ALL_GATHER, true, false},
    {"reducescatter", CollectiveOperation::REDUCE_SCATTER, false, true},
    {"reduce_scatter", CollectiveOperation::REDUCE_SCATTER, false, true},
    {"alltoall", CollectiveOperation::ALL_TO_ALL, false, false},
    {"broadcast", CollectiveOperation::BROADCAST, false, false},
    {"reduce", CollectiveOperation::REDUCE, false, false},
    {"gather", CollectiveOperation::GATHER, true, false},
    {"scatter", CollectiveOperation::SCATTER, false, true},
};

/// @param value some @return as a message shows it
std::string
QuoteMsccl(const std::string& value)
{
    return "\"" + value + "\"";
}

/// Reads the elements into a program.
class MscclReader
{
  public:
    explicit MscclReader(const XmlElement& root)
        : m_root(root)
    {
    }

    std::shared_ptr<const MscclProgram> Read();

  private:
    void ReadHead();
    void ReadPlacement();
    void ReadGpu(const XmlElement& element);
    uint64_t ReadChunks(const XmlElement& element, const char* key, bool isBlock) const;
    void ReadBlock(const XmlElement& element, MscclThreadBlock& block);
    void ReadStep(const XmlElement& element, MscclThreadBlock& block) const;
    MscclStepType ReadType(const XmlElement& element) const;
    void ReadPlace(const XmlElement& element,
                   bool source,
                   uint64_t chunks,
                   ProgramBuffer& buffer,
                   uint64_t& chunk) const;
    uint64_t GetChunks(ProgramBuffer buffer) const;
    void CheckPeers(const std::vector<const XmlElement*>& blocks) const;
    void CheckDependencies(const std::vector<const XmlElement*>& blocks) const;
    void CheckCycles(const std::vector<const XmlElement*>& blocks) const;
    void CheckConnections() const;

    /// Elements of a GPU's thread blocks, by id.
    std::vector<const XmlElement*> SortById(const XmlElement& parent,
                                            const char* child,
                                            const char* key,
                                            size_t count,
                                            const std::string& what) const;

    const XmlElement& m_root;
    std::shared_ptr<MscclProgram> m_program{std::make_shared<MscclProgram>()};
    const MscclOperation* m_operation{nullptr};
    std::vector<std::vector<const XmlElement*>> m_blocks; ///< by GPU, then id
    uint32_t m_gpu{0};                                    ///< that is being read
    uint64_t m_inputChunks{0};                            ///< of it
    uint64_t m_outputChunks{0};
};

std::shared_ptr<const MscclProgram>
MscclReader::Read()
{
    ReadHead();
    std::vector<const XmlElement*> gpus =
        SortById(m_root, "gpu", "id", m_program->gpus.size(), "GPU");
    for (const XmlElement* gpu : gpus)
    {
        ReadGpu(*gpu);
        ++m_gpu;
    }
    CheckConnections();
    return m_program;
}

void
MscclReader::ReadHead()
{
    if (m_root.name != "algo")
    {
        throw InputError(m_root.Place(), "<" + m_root.name + "> is no MSCCL program", "<algo>");
    }
    m_root.RejectOtherAttributes({"name",
                                  "proto",
                                  "nchannels",
                                  "nchunksperloop",
                                  "nthreadblocks",
                                  "ngpus",
                                  "coll",
                                  "inplace",
                                  "outofplace",
                                  "minBytes",
                                  "maxBytes",
                                  "redop"});
    m_root.RejectOtherChildren({"gpu"});
    m_program->name = m_root.Get("name");
    m_program->channels =
        static_cast<uint32_t>(m_root.GetInteger("nchannels", 1, MOST_MSCCL_CHANNELS));
    m_program->chunksPerLoop =
        static_cast<uint64_t>(m_root.GetInteger("nchunksperloop", 1, MOST_CHUNKS));
    int64_t there = std::max<int64_t>(1, static_cast<int64_t>(m_root.children.size()));
    m_program->gpus.resize(static_cast<size_t>(m_root.GetInteger("ngpus", 1, MOST_GPUS, there)));
    if (!ParseCollectiveProtocol(m_root.Get("proto"), m_program->protocol))
    {
        throw InputError(m_root.Place("proto"),
                         QuoteMsccl(m_root.Get("proto")) + " is no protocol",
                         "Simple, LL or LL128");
    }
    const std::string& name = m_root.Get("coll");
    std::string known;
    for (const MscclOperation& operation : OPERATIONS_OF_MSCCL)
    {
        known += (known.empty() ? "" : ", ") + std::string(operation.name);
        if (name == operation.name)
        {
            m_operation = &operation;
        }
    }
    if (!m_operation)
    {
        throw InputError(m_root.Place("coll"),
                         QuoteMsccl(name) + " is no operation whose results can be verified",
                         "one of " + known);
    }
    m_program->operation = m_operation->operation;
    ReadPlacement();
}

void
MscclReader::ReadPlacement()
{
    bool hasBlocks = m_operation->inputIsBlock || m_operation->outputIsBlock ||
                     m_program->operation == CollectiveOperation::ALL_TO_ALL;
    if (hasBlocks && m_program->chunksPerLoop % m_program->gpus.size() != 0)
    {
        throw InputError(m_root.Place("nchunksperloop"),
                         std::to_string(m_program->chunksPerLoop) +
                             " chunks cannot be divided into a block for each of " +
                             std::to_string(m_program->gpus.size()) + " GPUs",
                         "a multiple of ngpus");
    }
    m_program->inPlace = m_root.GetInteger("inplace", 0, 1, 0) == 1;
    m_program->outOfPlace = m_root.GetInteger("outofplace", 0, 1, m_program->inPlace ? 0 : 1) == 1;
    if (!m_program->inPlace && !m_program->outOfPlace)
    {
        throw InputError(m_root.Place("outofplace"),
                         "the program works neither in place nor out of place",
                         "inplace or outofplace 1");
    }
    if (m_program->inPlace && m_program->operation == CollectiveOperation::ALL_TO_ALL)
    {
        throw InputError(m_root.Place("inplace"), "1", "0: all-to-all has no form in place");
    }
    m_program->minBytes = static_cast<uint64_t>(m_root.GetInteger("minBytes", 0, INT64_MAX, 0));
    m_program->maxBytes =
        static_cast<uint64_t>(m_root.GetInteger("maxBytes",
                                                static_cast<int64_t>(m_program->minBytes),
                                                INT64_MAX,
                                                INT64_MAX));
}

std::vector<const XmlElement*>
MscclReader::SortById(const XmlElement& parent,
                      const char* child,
                      const char* key,
                      size_t count,
                      const std::string& what) const
{
    std::vector<const XmlElement*> sorted(count, nullptr);
    for (const XmlElement& element : parent.children)
    {
        int64_t id = element.GetInteger(key, 0, static_cast<int64_t>(count) - 1);
        if (sorted[id])
        {
            throw InputError(element.Place(key),
                             what + " " + std::to_string(id) + " is there twice, first in line " +
                                 std::to_string(sorted[id]->line),
                             "each id once");
        }
        sorted[id] = &element;
    }
    for (size_t id = 0; id < count; ++id)
    {
        if (!sorted[id])
        {
            throw InputError(parent.Place(),
                             what + " " + std::to_string(id) + " is missing",
                             "<" + std::string(child) + "> elements with ids 0 to " +
                                 std::to_string(count - 1));
        }
    }
    return sorted;
}

uint64_t
MscclReader::ReadChunks(const XmlElement& element, const char* key, bool isBlock) const
{
    uint64_t chunks = m_program->chunksPerLoop / (isBlock ? m_program->gpus.size() : 1);
    uint64_t found = static_cast<uint64_t>(element.GetInteger(key, 0, MOST_CHUNKS));
    // In place the two are one memory, and writers leave out the one that they do not name.
    if (found != chunks && !(found == 0 && m_program->inPlace))
    {
        throw InputError(element.Place(key),
                         std::to_string(found) + " chunks",
                         std::to_string(chunks) + ", by coll, ngpus and nchunksperloop");
    }
    return found;
}

void
MscclReader::ReadGpu(const XmlElement& element)
{
    element.RejectOtherAttributes({"id", "i_chunks", "o_chunks", "s_chunks"});
    element.RejectOtherChildren({"tb"});
    MscclGpu& gpu = m_program->gpus[m_gpu];
    m_inputChunks = ReadChunks(element, "i_chunks", m_operation->inputIsBlock);
    m_outputChunks = ReadChunks(element, "o_chunks", m_operation->outputIsBlock);
    gpu.scratchChunks = static_cast<uint64_t>(element.GetInteger("s_chunks", 0, MOST_CHUNKS));
    std::vector<const XmlElement*> blocks =
        SortById(element, "tb", "id", element.children.size(), "thread block");
    gpu.threadBlocks.resize(blocks.size());
    for (size_t id = 0; id < blocks.size(); ++id)
    {
        ReadBlock(*blocks[id], gpu.threadBlocks[id]);
    }
    CheckPeers(blocks);
    CheckDependencies(blocks);
    CheckCycles(blocks);
    m_blocks.push_back(std::move(blocks));
}

void
MscclReader::ReadBlock(const XmlElement& element, MscclThreadBlock& block)
{
    element.RejectOtherAttributes({"id", "send", "recv", "chan"});
    element.RejectOtherChildren({"step"});
    int64_t last = static_cast<int64_t>(m_program->gpus.size()) - 1;
    for (const char* key : {"send", "recv"})
    {
        int64_t peer = element.GetInteger(key, -1, last);
        if (peer == m_gpu)
        {
            throw InputError(element.Place(key),
                             std::to_string(peer) + " is the GPU itself",
                             "another GPU, or -1; within a GPU there is cpy");
        }
        uint32_t& to = key[0] == 's' ? block.sendPeer : block.receivePeer;
        to = peer < 0 ? MscclThreadBlock::NO_PEER : static_cast<uint32_t>(peer);
    }
    block.channel = static_cast<uint32_t>(
        element.GetInteger("chan", 0, static_cast<int64_t>(m_program->channels) - 1));
    for (const XmlElement& step : element.children)
    {
        ReadStep(step, block);
    }
}

MscclStepType
MscclReader::ReadType(const XmlElement& element) const
{
    const std::string& name = element.Get("type");
    std::string known;
    for (MscclStepType type : ALL_STEP_TYPES)
    {
        if (name == GetMscclStepFacts(type).name)
        {
            return type;
        }
        known += (known.empty() ? "" : ", ") + std::string(GetMscclStepFacts(type).name);
    }
    throw InputError(element.Place("type"),
                     QuoteMsccl(name) + " is no type of step",
                     "one of " + known);
}

void
MscclReader::ReadStep(const XmlElement& element, MscclThreadBlock& block) const
{
    element.RejectOtherAttributes(
        {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"});
    element.RejectOtherChildren({});
    int64_t number = static_cast<int64_t>(block.steps.size());
    element.GetInteger("s", number, number);
    MscclStep step;
    step.type = ReadType(element);
    const MscclStepFacts& facts = GetMscclStepFacts(step.type);
    if (facts.sends && block.sendPeer == MscclThreadBlock::NO_PEER)
    {
        throw InputError(element.Place("type"),
                         QuoteMsccl(facts.name) + " sends, but the thread block has send -1",
                         "a thread block with a GPU to send to");
    }
    if (facts.receives && block.receivePeer == MscclThreadBlock::NO_PEER)
    {
        throw InputError(element.Place("type"),
                         QuoteMsccl(facts.name) + " receives, but the thread block has recv -1",
                         "a thread block with a GPU to receive from");
    }
    if (step.type != MscclStepType::NOP)
    {
        step.chunks = static_cast<uint64_t>(element.GetInteger("cnt", 1, MOST_CHUNKS));
    }
    if (facts.reads)
    {
        ReadPlace(element, true, step.chunks, step.sourceBuffer, step.sourceChunk);
    }
    if (facts.writes)
    {
        ReadPlace(element, false, step.chunks, step.destinationBuffer, step.destinationChunk);
    }
    block.steps.push_back(step);
}

uint64_t
MscclReader::GetChunks(ProgramBuffer buffer) const
{
    switch (buffer)
    {
    case ProgramBuffer::INPUT:
        return m_inputChunks;
    case ProgramBuffer::OUTPUT:
        return m_outputChunks;
    case ProgramBuffer::SCRATCH:
        return m_program->gpus[m_gpu].scratchChunks;
    case ProgramBuffer::NONE:
        break;
    }
    return 0;
}

void
MscclReader::ReadPlace(const XmlElement& element,
                       bool source,
                       uint64_t chunks,
                       ProgramBuffer& buffer,
                       uint64_t& chunk) const
{
    const char* bufferKey = source ? "srcbuf" : "dstbuf";
    const char* offsetKey = source ? "srcoff" : "dstoff";
    static const std::map<std::string, ProgramBuffer> BUFFERS = {
        {"i", ProgramBuffer::INPUT},
        {"o", ProgramBuffer::OUTPUT},
        {"s", ProgramBuffer::SCRATCH},
    };
    const std::string& name = element.Get(bufferKey);
    auto found = BUFFERS.find(name);
    if (found == BUFFERS.end())
    {
        throw InputError(element.Place(bufferKey),
                         QuoteMsccl(name) + " is no buffer",
                         "i (input), o (output) or s (scratch)");
    }
    buffer = found->second;
    uint64_t size = GetChunks(buffer);
    if (chunks > size)
    {
        throw InputError(element.Place(bufferKey),
                         "the step works on " + std::to_string(chunks) + " chunks, and buffer " +
                             QuoteMsccl(name) + " of GPU " + std::to_string(m_gpu) + " has " +
                             std::to_string(size),
                         "a buffer that is as long");
    }
    chunk = static_cast<uint64_t>(
        element.GetInteger(offsetKey, 0, static_cast<int64_t>(size - chunks)));
}

void
MscclReader::CheckPeers(const std::vector<const XmlElement*>& blocks) const
{
    // A connection belongs to one thread block at either end.
    std::map<std::tuple<bool, uint32_t, uint32_t>, size_t> users;
    const MscclGpu& gpu = m_program->gpus[m_gpu];
    for (size_t id = 0; id < blocks.size(); ++id)
    {
        const MscclThreadBlock& block = gpu.threadBlocks[id];
        for (bool sends : {true, false})
        {
            uint32_t peer = sends ? block.sendPeer : block.receivePeer;
            if (peer == MscclThreadBlock::NO_PEER)
            {
                continue;
            }
            auto [user, isNew] = users.emplace(std::make_tuple(sends, peer, block.channel), id);
            if (!isNew)
            {
                throw InputError(blocks[id]->Place(sends ? "send" : "recv"),
                                 std::string(sends ? "sends to" : "receives from") + " GPU " +
                                     std::to_string(peer) + " on channel " +
                                     std::to_string(block.channel) + ", as thread block " +
                                     std::to_string(user->second) + " in line " +
                                     std::to_string(blocks[user->second]->line) + " does",
                                 "one thread block for a peer and channel");
            }
        }
    }
}

void
MscclReader::CheckDependencies(const std::vector<const XmlElement*>& blocks) const
{
    MscclGpu& gpu = m_program->gpus[m_gpu];
    int64_t last = static_cast<int64_t>(blocks.size()) - 1;
    for (size_t id = 0; id < blocks.size(); ++id)
    {
        for (size_t number = 0; number < blocks[id]->children.size(); ++number)
        {
            const XmlElement& element = blocks[id]->children[number];
            element.GetInteger("hasdep", 0, 1, 0);
            int64_t block = element.GetInteger("depid", -1, last, -1);
            if (block < 0)
            {
                continue;
            }
            const std::vector<XmlElement>& others = blocks[block]->children;
            if (others.empty())
            {
                throw InputError(element.Place("depid"),
                                 "thread block " + std::to_string(block) + " has no step",
                                 "a thread block with the step that is waited for");
            }
            int64_t step = element.GetInteger("deps", 0, static_cast<int64_t>(others.size()) - 1);
            if (others[step].GetInteger("hasdep", 0, 1, 0) == 0)
            {
                throw InputError(others[step].Place("hasdep"),
                                 "0, but step " + std::to_string(number) + " of thread block " +
                                     std::to_string(id) + " in line " +
                                     std::to_string(element.line) +
                                     " waits for it, and would wait for ever",
                                 "1");
            }
            gpu.threadBlocks[id].steps[number].after = {static_cast<uint32_t>(block),
                                                        static_cast<uint64_t>(step)};
        }
    }
}

void
MscclReader::CheckCycles(const std::vector<const XmlElement*>& blocks) const
{
    // Do what can be done; what is left over waits for itself.
    MscclGpu& gpu = m_program->gpus[m_gpu];
    std::vector<uint64_t> done(blocks.size(), 0);
    bool moves = true;
    while (moves)
    {
        moves = false;
        for (size_t id = 0; id < blocks.size(); ++id)
        {
            const std::vector<MscclStep>& steps = gpu.threadBlocks[id].steps;
            while (done[id] < steps.size())
            {
                const ProgramStep::Dependency& after = steps[done[id]].after;
                if (after.thread != ProgramStep::Dependency::NONE &&
                    done[after.thread] <= after.step)
                {
                    break;
                }
                ++done[id];
                moves = true;
            }
        }
    }
    for (size_t id = 0; id < blocks.size(); ++id)
    {
        if (done[id] < gpu.threadBlocks[id].steps.size())
        {
            const XmlElement& element = blocks[id]->children[done[id]];
            const ProgramStep::Dependency& after = gpu.threadBlocks[id].steps[done[id]].after;
            throw InputError(
                element.Place("depid"),
                "step " + std::to_string(done[id]) + " of thread block " + std::to_string(id) +
                    " waits for step " + std::to_string(after.step) + " of thread block " +
                    std::to_string(after.thread) + ", which cannot be done before it: a cycle",
                "dependencies without cycles");
        }
    }
}

void
MscclReader::CheckConnections() const
{
    /// Chunks of the messages of a connection, at one end.
    struct End
    {
        const XmlElement* element{nullptr};
        std::vector<std::pair<uint64_t, const XmlElement*>> messages;
    };

    using Key = std::tuple<uint32_t, uint32_t, uint32_t>; // from, to, channel
    std::map<Key, std::pair<End, End>> connections;
    for (uint32_t gpu = 0; gpu < m_blocks.size(); ++gpu)
    {
        for (size_t id = 0; id < m_blocks[gpu].size(); ++id)
        {
            const MscclThreadBlock& block = m_program->gpus[gpu].threadBlocks[id];
            for (size_t number = 0; number < block.steps.size(); ++number)
            {
                const MscclStep& step = block.steps[number];
                const MscclStepFacts& facts = GetMscclStepFacts(step.type);
                const XmlElement* element = &m_blocks[gpu][id]->children[number];
                if (facts.sends)
                {
                    End& end = connections[{gpu, block.sendPeer, block.channel}].first;
                    end.messages.emplace_back(step.chunks, element);
                }
                if (facts.receives)
                {
                    End& end = connections[{block.receivePeer, gpu, block.channel}].second;
                    end.messages.emplace_back(step.chunks, element);
                }
            }
        }
    }
    for (const auto& [key, ends] : connections)
    {
        const auto& [sent, received] = ends;
        auto [from, to, channel] = key;
        std::string which = "from GPU " + std::to_string(from) + " to GPU " + std::to_string(to) +
                            " on channel " + std::to_string(channel);
        size_t both = std::min(sent.messages.size(), received.messages.size());
        for (size_t i = 0; i < both; ++i)
        {
            if (sent.messages[i].first != received.messages[i].first)
            {
                throw InputError(received.messages[i].second->Place("cnt"),
                                 std::to_string(received.messages[i].first) + ", but message " +
                                     std::to_string(i) + " " + which + " is sent with cnt " +
                                     std::to_string(sent.messages[i].first) + " in line " +
                                     std::to_string(sent.messages[i].second->line),
                                 "the same cnt at both ends");
            }
        }
        if (sent.messages.size() != received.messages.size())
        {
            bool lost = sent.messages.size() > both;
            const XmlElement* element = (lost ? sent : received).messages[both].second;
            throw InputError(element->Place("type"),
                             "message " + std::to_string(both) + " " + which + " is never " +
                                 (lost ? "received" : "sent"),
                             "as many receives as sends");
        }
    }
}

} // namespace

std::shared_ptr<const MscclProgram>
ParseMscclXml(const std::string& text, const std::string& file)
{
    return MscclReader(ParseXml(text, file)).Read();
}

std::shared_ptr<const MscclProgram>
ReadMscclXml(const std::string& path)
{
    return MscclReader(ReadXml(path)).Read();
}

Ptr<MscclAlgorithm>
ReadMscclAlgorithm(const std::string& path)
{
    Ptr<MscclAlgorithm> algorithm = CreateObject<MscclAlgorithm>();
    algorithm->SetProgram(ReadMscclXml(path));
    return algorithm;
}

} // namespace ns3
