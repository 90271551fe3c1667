// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-tuner-file.h"

#include "json-document.h"
#include "line-reader.h"
#include "quantity.h"

#include "ns3/setting-text.h"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t MOST_CHANNELS = 64;
constexpr size_t LEAST_WORDS = 8;
const std::array<std::string, 10> NCCL_TUNER_FIELDS{"collective_type",
                                                    "min_bytes",
                                                    "max_bytes",
                                                    "algorithm",
                                                    "protocol",
                                                    "channels",
                                                    "nNodes",
                                                    "nRanks",
                                                    "numPipeOps",
                                                    "regBuff"};

template <typename T>
using WordTable = std::vector<std::pair<std::string, T>>;

const WordTable<CollectiveOperation> TUNED_OPERATIONS{
    {"allreduce", CollectiveOperation::ALL_REDUCE},
    {"allgather", CollectiveOperation::ALL_GATHER},
    {"reducescatter", CollectiveOperation::REDUCE_SCATTER},
    {"broadcast", CollectiveOperation::BROADCAST},
    {"reduce", CollectiveOperation::REDUCE}};
const WordTable<NcclAlgorithm> TUNED_ALGORITHMS{{"tree", NcclAlgorithm::TREE},
                                                {"ring", NcclAlgorithm::RING},
                                                {"nvls", NcclAlgorithm::NVLS},
                                                {"nvls_tree", NcclAlgorithm::NVLS_TREE},
                                                {"pat", NcclAlgorithm::PAT}};
const WordTable<CollectiveProtocol> TUNED_PROTOCOLS{{"ll", CollectiveProtocol::LL},
                                                    {"ll128", CollectiveProtocol::LL128},
                                                    {"simple", CollectiveProtocol::SIMPLE}};

/// A line of the file.
class RuleReader
{
  public:
    RuleReader(const LineReader& reader, std::vector<std::string> words)
        : m_reader(reader),
          m_words(std::move(words))
    {
    }

    NcclTunerRule Read() const
    {
        if (m_words.size() < LEAST_WORDS || m_words.size() > NCCL_TUNER_FIELDS.size())
        {
            throw InputError(m_reader.Place(),
                             "the line has " + std::to_string(m_words.size()) + " words",
                             "8 to 10, separated by commas: collective_type, min_bytes, "
                             "max_bytes, algorithm, protocol, channels, nNodes, nRanks, "
                             "numPipeOps, regBuff");
        }
        NcclTunerRule rule{};
        rule.operation = Find(0, TUNED_OPERATIONS);
        rule.leastBytes = ParseUnsigned(m_words[1], Place(1), 0, UINT64_MAX);
        rule.mostBytes = ParseUnsigned(m_words[2], Place(2), rule.leastBytes, UINT64_MAX);
        rule.algorithm = Find(3, TUNED_ALGORITHMS);
        rule.protocol = Find(4, TUNED_PROTOCOLS);
        rule.channels = Number(5, 1, MOST_CHANNELS);
        rule.nodes = Number(6, 1, UINT32_MAX);
        rule.ranks = Number(7, 1, UINT32_MAX);
        rule.pipelineOps = Number(8, 1, UINT32_MAX);
        if (auto registered = Number(9, 0, 1))
        {
            rule.registered = *registered == 1;
        }
        const InputPlace line = m_reader.Place();
        rule.name =
            std::filesystem::path(line.file).filename().string() + ":" + std::to_string(line.line);
        return rule;
    }

  private:
    InputPlace Place(size_t word) const
    {
        return m_reader.Place(NCCL_TUNER_FIELDS[word]);
    }

    template <typename T>
    T Find(size_t word, const WordTable<T>& table) const
    {
        std::vector<std::string> names;
        for (const auto& [name, value] : table)
        {
            if (m_words[word] == name)
            {
                return value;
            }
            names.push_back(name);
        }
        const bool collnet = m_words[word].rfind("collnet", 0) == 0;
        throw InputError(Place(word),
                         "\"" + m_words[word] + "\" " +
                             (collnet ? "is not simulated" : "is none that is known"),
                         ListWords(names));
    }

    /// @return a number; nothing for -1 or where the line has no such word
    std::optional<uint32_t> Number(size_t word, uint64_t least, uint64_t most) const
    {
        if (word >= m_words.size() || m_words[word] == "-1")
        {
            return std::nullopt;
        }
        return static_cast<uint32_t>(ParseUnsigned(m_words[word], Place(word), least, most));
    }

    const LineReader& m_reader;
    std::vector<std::string> m_words;
};

/// @param words of a line, as blanks divide it @return as commas do, without its comment
std::vector<std::string>
SplitAtCommas(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
    {
        line += word;
    }
    return SplitText(line.substr(0, line.find('#')), ',');
}

} // namespace

NcclTunerTable
ReadNcclTunerFile(const std::string& path)
{
    LineReader reader(path, "a table of NCCL's tuner");
    NcclTunerTable table;
    bool first = true;
    while (reader.Next())
    {
        std::vector<std::string> words = SplitAtCommas(reader.GetWords());
        const bool heading = first && !words.empty() && words[0] == NCCL_TUNER_FIELDS[0];
        if (!words.empty() && !heading)
        {
            table.push_back(RuleReader(reader, words).Read());
        }
        first = first && words.empty();
    }
    return table;
}

} // namespace ns3
