// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-tests-config.h"

#include "json-document.h"
#include "quantity.h"
#include "scenario.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

/// A test cuts a rank's block to whole lines of so many bytes.
constexpr uint64_t NCCL_TEST_ALIGNMENT = 16;
constexpr uint32_t MOST_TEST_ITERATIONS = 1'000'000;

/// What the program calls a type that a scenario calls otherwise.
const std::map<std::string, std::string>&
TypeAliases()
{
    static const std::map<std::string, std::string> aliases{{"half", "float16"},
                                                            {"float", "float32"},
                                                            {"double", "float64"},
                                                            {"f8e4m3", "fp8-e4m3"},
                                                            {"f8e5m2", "fp8-e5m2"}};
    return aliases;
}

/// The words of a command line, one after the other.
class TestWords
{
  public:
    TestWords(const std::string& text, const InputPlace& place)
        : m_place(place)
    {
        std::istringstream in(text);
        for (std::string word; in >> word;)
        {
            m_words.push_back(word);
        }
    }

    bool Next(std::string& word)
    {
        if (m_at == m_words.size())
        {
            return false;
        }
        word = m_words[m_at++];
        return true;
    }

    std::string Value(const std::string& option)
    {
        std::string value;
        if (!Next(value))
        {
            throw InputError(m_place, "the value of " + option + " is missing");
        }
        return value;
    }

  private:
    InputPlace m_place;
    std::vector<std::string> m_words;
    size_t m_at{0};
};

uint32_t
ParseTestNumber(const std::string& text,
                const std::string& option,
                const InputPlace& place,
                uint64_t min,
                uint64_t max)
{
    try
    {
        return static_cast<uint32_t>(ParseUnsigned(text, place, min, max));
    }
    catch (const InputError& error)
    {
        throw InputError(place, option + ": " + error.GetFound(), error.GetExpected());
    }
}

std::string
ParseTestName(const std::string& text,
              const std::string& option,
              const InputPlace& place,
              const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), text) == known.end())
    {
        const std::string nearest = NearestWord(text, known);
        throw InputError(place,
                         option + ": \"" + text + "\" is not known" +
                             (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                         ListWords(known));
    }
    return text;
}

/// Long names of the options that are simulated.
const std::map<std::string, char>&
LongOptions()
{
    static const std::map<std::string, char> options{
        {"--nthreads", 't'},      {"--ngpus", 'g'},     {"--minbytes", 'b'},
        {"--maxbytes", 'e'},      {"--stepbytes", 'i'}, {"--stepfactor", 'f'},
        {"--iters", 'n'},         {"--agg_iters", 'm'}, {"--warmup_iters", 'w'},
        {"--run_cycles", 'N'},    {"--check", 'c'},     {"--op", 'o'},
        {"--datatype", 'd'},      {"--root", 'r'},      {"--parallel_init", 'p'},
        {"--blocking", 'z'},      {"--cudagraph", 'G'}, {"--report_cputime", 'C'},
        {"--average", 'a'},       {"--timeout", 'T'},   {"--stream_null", 'y'},
        {"--local_register", 'R'}};
    return options;
}

/// Options that may only say what is the case anyway, and what that is.
const std::map<char, std::string>&
FixedOptions()
{
    static const std::map<char, std::string>
        options{{'m', "1"}, {'N', "1"}, {'z', "0"}, {'G', "0"}, {'C', "0"}, {'y', "0"}, {'R', "0"}};
    return options;
}

/// Sets one option.
void
SetTestOption(char letter,
              const std::string& value,
              const InputPlace& place,
              NcclTestOptions& options)
{
    const std::string option = std::string("-") + letter;
    auto number = [&](uint64_t min, uint64_t max) {
        return ParseTestNumber(value, option, place, min, max);
    };
    switch (letter)
    {
    case 't':
        options.threads = number(1, 1U << 16);
        return;
    case 'g':
        options.gpus = number(1, 1U << 20);
        return;
    case 'b':
        options.minBytes = ParseNcclSize(value, place);
        return;
    case 'e':
        options.maxBytes = ParseNcclSize(value, place);
        return;
    case 'i':
        options.stepBytes = ParseNcclSize(value, place);
        return;
    case 'f':
        options.stepFactor = number(1, 1U << 20);
        return;
    case 'n':
        options.iterations = number(1, MOST_TEST_ITERATIONS);
        return;
    case 'w':
        options.warmUp = number(0, MOST_TEST_ITERATIONS);
        return;
    case 'c':
        options.check = number(0, MOST_TEST_ITERATIONS);
        return;
    case 'a':
        options.average = number(0, 3);
        return;
    case 'd':
        options.dataType = ParseTestName(value, option, place, GetNcclTypeNames());
        return;
    case 'o':
        options.reduction = ParseTestName(value, option, place, GetNcclReductionNames());
        return;
    case 'r':
        options.root = value == "-1" ? -1 : static_cast<int32_t>(number(0, INT32_MAX));
        return;
    case 'p':
    case 'T':
        number(0, UINT32_MAX); // how it starts, and when it would give up: not simulated
        return;
    default:
        break;
    }
    auto fixed = FixedOptions().find(letter);
    if (fixed == FixedOptions().end())
    {
        throw InputError(place,
                         option + " is no option of the simulated tests",
                         "one of -b -e -i -f -g -t -n -w -c -d -o -r -a");
    }
    if (value != fixed->second)
    {
        throw InputError(place,
                         option + " " + value + " is not simulated",
                         option + " " + fixed->second);
    }
}

/// @param word that is no option @return the test of that name, also of "./build/NAME_mpi"; or null
const NcclTest*
TestOfPath(const std::string& word)
{
    std::string name = word.substr(word.find_last_of('/') + 1);
    const std::string suffix = "_mpi";
    if (name.size() > suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
    {
        name.resize(name.size() - suffix.size());
    }
    return FindNcclTest(name);
}

} // namespace

bool
CanBeInPlace(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
    case CollectiveOperation::SEND_RECEIVE:
    case CollectiveOperation::POINT_TO_POINT:
        return false;
    default:
        return true;
    }
}

const std::vector<NcclTest>&
GetNcclTests()
{
    using Op = CollectiveOperation;
    static const std::vector<NcclTest> tests{
        {"all_reduce_perf", Op::ALL_REDUCE, "", false, "all-reduce"},
        {"all_gather_perf", Op::ALL_GATHER, "", true, "all-gather"},
        {"reduce_scatter_perf", Op::REDUCE_SCATTER, "", true, "reduce-scatter"},
        {"broadcast_perf", Op::BROADCAST, "", false, "broadcast"},
        {"reduce_perf", Op::REDUCE, "", false, "reduce"},
        {"alltoall_perf", Op::ALL_TO_ALL, "", true, "all-to-all"},
        {"sendrecv_perf", Op::SEND_RECEIVE, "", false, "each rank sends to the next one"},
        {"gather_perf", Op::GATHER, "", true, "gather"},
        {"scatter_perf", Op::SCATTER, "", true, "scatter"},
        {"hypercube_perf",
         Op::ALL_GATHER,
         "halving-doubling",
         true,
         "all-gather by exchanges along the edges of a hypercube"},
    };
    return tests;
}

std::vector<std::string>
GetNcclTestNames()
{
    std::vector<std::string> names;
    for (const NcclTest& test : GetNcclTests())
    {
        names.emplace_back(test.name);
    }
    return names;
}

const NcclTest*
FindNcclTest(const std::string& name)
{
    for (const NcclTest& test : GetNcclTests())
    {
        if (name == test.name)
        {
            return &test;
        }
    }
    return nullptr;
}

const std::vector<std::string>&
GetNcclReductionNames()
{
    static const std::vector<std::string> names{"sum", "prod", "max", "min", "avg", "mulsum"};
    return names;
}

std::vector<std::string>
GetNcclTypeNames()
{
    std::vector<std::string> names = GetScenarioNames("data-types");
    for (const auto& [alias, name] : TypeAliases())
    {
        names.push_back(alias);
    }
    return names;
}

uint32_t
GetNcclTypeBytes(const std::string& name)
{
    auto alias = TypeAliases().find(name);
    return GetElementBytes(alias == TypeAliases().end() ? name : alias->second);
}

uint64_t
ParseNcclSize(const std::string& text, const InputPlace& place)
{
    static const std::map<char, std::string> units{{'K', "KiB"}, {'M', "MiB"}, {'G', "GiB"}};
    if (!text.empty())
    {
        auto unit = units.find(static_cast<char>(std::toupper(text.back())));
        if (unit != units.end())
        {
            return ParseBytes(text.substr(0, text.size() - 1) + unit->second, place);
        }
    }
    return ParseBytes(text, place);
}

void
ParseNcclTestArguments(const std::string& text, const InputPlace& place, NcclTestOptions& options)
{
    TestWords words(text, place);
    for (std::string word; words.Next(word);)
    {
        if (word == "mpirun" || word == "mpiexec")
        {
            continue;
        }
        if (word == "-np")
        {
            options.processes = ParseTestNumber(words.Value(word), word, place, 1, 1U << 20);
            continue;
        }
        const size_t equals = word.find('=');
        auto known = LongOptions().find(word.substr(0, equals));
        if (known != LongOptions().end())
        {
            SetTestOption(known->second,
                          equals == std::string::npos ? words.Value(word) : word.substr(equals + 1),
                          place,
                          options);
            continue;
        }
        if (word.size() > 1 && word[0] == '-' && word[1] != '-')
        {
            SetTestOption(word[1],
                          word.size() > 2 ? word.substr(2) : words.Value(word),
                          place,
                          options);
            continue;
        }
        const NcclTest* test = TestOfPath(word);
        if (!test)
        {
            const std::string nearest = NearestWord(word, GetNcclTestNames());
            throw InputError(place,
                             "\"" + word + "\" is no test and no option" +
                                 (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                             ListWords(GetNcclTestNames()));
        }
        options.test = test->name;
    }
}

std::vector<uint64_t>
GetNcclTestSizes(const NcclTestOptions& options)
{
    if (!options.sizes.empty())
    {
        return options.sizes;
    }
    std::vector<uint64_t> sizes;
    for (uint64_t size = options.minBytes; size <= options.maxBytes;
         size = options.stepFactor > 1 ? size * options.stepFactor : size + options.stepBytes)
    {
        sizes.push_back(size);
    }
    return sizes;
}

void
CheckNcclTestOptions(const NcclTestOptions& options, const InputPlace& place)
{
    if (!options.sizes.empty())
    {
        return;
    }
    if (options.minBytes > options.maxBytes)
    {
        throw InputError(place,
                         "-b is " + FormatBytes(options.minBytes) + ", above -e, " +
                             FormatBytes(options.maxBytes),
                         "-b at most -e");
    }
    if (options.stepFactor > 1 && options.minBytes == 0)
    {
        throw InputError(place, "-b is 0, which no factor makes larger", "-b of at least 1 byte");
    }
    constexpr uint64_t MOST_SIZES = 100'000;
    const bool endless = options.stepBytes == 0 && options.minBytes < options.maxBytes;
    if (options.stepFactor == 1 &&
        (endless || (options.stepBytes > 0 &&
                     (options.maxBytes - options.minBytes) / options.stepBytes >= MOST_SIZES)))
    {
        throw InputError(place,
                         "-i " + FormatBytes(options.stepBytes) + " makes too many sizes",
                         "at most " + std::to_string(MOST_SIZES) + ", or -f 2");
    }
    if (options.maxBytes > MOST_BYTES / std::max(2U, options.stepFactor))
    {
        throw InputError(place,
                         "-e " + FormatBytes(options.maxBytes) + " is too large",
                         "less than 2^62 bytes");
    }
}

NcclTestSize
MakeNcclTestSize(const NcclTest& test, uint64_t size, uint32_t typeBytes, uint32_t ranks)
{
    uint64_t count = size / typeBytes;
    if (!test.divides)
    {
        return {count * typeBytes, count, count};
    }
    const uint64_t line = NCCL_TEST_ALIGNMENT / typeBytes;
    const uint64_t block = count / ranks / line * line;
    return {block * ranks * typeBytes, block, block * ranks};
}

NcclTestBandwidth
GetNcclTestBandwidth(const NcclTest& test,
                     const NcclTestSize& size,
                     uint32_t typeBytes,
                     uint32_t ranks,
                     double seconds)
{
    if (seconds <= 0)
    {
        return {0, 0};
    }
    double bytes = static_cast<double>(size.count) * typeBytes;
    if (*test.algorithm) // the hypercube counts what a rank receives, and needs no factor
    {
        bytes = bytes / ranks * (ranks - 1);
        return {bytes / seconds, bytes / seconds};
    }
    return {bytes / seconds, bytes / seconds * BusBandwidthFactor(test.operation, ranks)};
}

} // namespace ns3
