// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-environment.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int64_t MOST_BYTES = int64_t{1} << 30;

/// NCCL's name of an element, and whether it is modelled; in the order of our enumerations.
const std::vector<const char*> NCCL_ALGORITHM_NAMES{"tree",
                                                    "ring",
                                                    "nvls",
                                                    "nvlstree",
                                                    "pat",
                                                    "collnetdirect",
                                                    "collnetchain"};
const std::vector<const char*> NCCL_PROTOCOL_NAMES{"ll", "ll128", "simple"};
const std::vector<const char*> NCCL_FUNCTION_NAMES{"broadcast",
                                                   "reduce",
                                                   "allgather",
                                                   "reducescatter",
                                                   "allreduce"};

/// @param operation one that NCCL has an algorithm for @return its place in NCCL_FUNCTION_NAMES
uint32_t
FunctionOf(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::BROADCAST:
        return 0;
    case CollectiveOperation::REDUCE:
        return 1;
    case CollectiveOperation::ALL_GATHER:
        return 2;
    case CollectiveOperation::REDUCE_SCATTER:
        return 3;
    default:
        return 4;
    }
}

std::string
ToLower(std::string text)
{
    for (char& c : text)
    {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

/// @param text some @param separator between its words @return its words
std::vector<std::string>
SplitText(const std::string& text, char separator)
{
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, separator);)
    {
        words.push_back(word);
    }
    return words;
}

/// @param name one @param names many @return its place among them, or their number
size_t
FindName(const std::string& name, const std::vector<const char*>& names)
{
    auto same = [&name](const char* other) { return name == other; };
    return std::find_if(names.begin(), names.end(), same) - names.begin();
}

/// @param a a word @param b a word @return edits that turn one into the other
size_t
CountEdits(const std::string& a, const std::string& b)
{
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++)
    {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); i++)
    {
        size_t diagonal = row[0]++;
        for (size_t j = 1; j <= b.size(); j++)
        {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[b.size()];
}

/// @param name that nobody knows @return the error, with the nearest name that is known
std::string
RefuseName(const std::string& name)
{
    std::string nearest;
    size_t fewest = name.size() / 2 + 1;
    for (const NcclVariable& variable : GetNcclVariables())
    {
        size_t edits = CountEdits(name, variable.name);
        if (edits < fewest)
        {
            fewest = edits;
            nearest = variable.name;
        }
    }
    std::string error = name + " is not a variable of NCCL that has an effect here";
    return nearest.empty() ? error : error + "; the nearest one that has is " + nearest;
}

/// @param variable a number @param value its text @return empty, or what is wrong
std::string
CheckNumber(const NcclVariable& variable, const std::string& value)
{
    char* rest = nullptr;
    errno = 0;
    int64_t number = std::strtoll(value.c_str(), &rest, 0);
    if (value.empty() || *rest != '\0' || errno != 0 || number < variable.least ||
        number > variable.most)
    {
        return std::string(variable.name) + ": \"" + value + "\" is not a whole number from " +
               std::to_string(variable.least) + " to " + std::to_string(variable.most);
    }
    return "";
}

} // namespace

const std::vector<NcclVariable>&
GetNcclVariables()
{
    static const std::vector<NcclVariable> variables{
        {"NCCL_ALGO", 1, 0, "algorithms that the tuner may choose"},
        {"NCCL_BUFFSIZE", 4096, MOST_BYTES, "buffer of a connection, Simple: chunk sizes"},
        {"NCCL_CHUNK_SIZE", 0, MOST_BYTES, "chunk of send and receive; 0: by the path"},
        {"NCCL_CROSS_NIC", 0, 2, "1: rings may change their rail; 0: never; 2: as 0 here"},
        {"NCCL_IB_ADAPTIVE_ROUTING", 0, 1, "1: long messages are announced apart"},
        {"NCCL_IB_AR_THRESHOLD", 0, MOST_BYTES, "bytes of a message that is not, with it"},
        {"NCCL_IB_QPS_PER_CONNECTION", 1, 128, "queue pairs of a connection"},
        {"NCCL_IB_RETRY_CNT", 0, 7, "retries of a queue pair"},
        {"NCCL_IB_SPLIT_DATA_ON_QPS", 0, 1, "1: each message goes over all queue pairs"},
        {"NCCL_IB_TC", 0, 255, "traffic class of the packets"},
        {"NCCL_IB_TIMEOUT", 0, 31, "ACK timeout: 4.096 us times 2 to this power; 0: none"},
        {"NCCL_LL128_BUFFSIZE", 4096, MOST_BYTES, "buffer of a connection, LL128: chunk sizes"},
        {"NCCL_LL128_NTHREADS", 32, 640, "most threads of a channel, LL128"},
        {"NCCL_LL_BUFFSIZE", 4096, MOST_BYTES, "buffer of a connection, LL: chunk sizes"},
        {"NCCL_MAX_CTAS", 1, 64, "most channels"},
        {"NCCL_MAX_NCHANNELS", 1, 64, "most channels, rings and trees"},
        {"NCCL_MAX_NRINGS", 1, 64, "as NCCL_MAX_NCHANNELS"},
        {"NCCL_MAX_P2P_NCHANNELS", 1, 64, "most channels of send and receive"},
        {"NCCL_MIN_CTAS", 1, 64, "least channels"},
        {"NCCL_MIN_NCHANNELS", 0, 64, "least channels, rings and trees"},
        {"NCCL_MIN_NRINGS", 0, 64, "as NCCL_MIN_NCHANNELS"},
        {"NCCL_MIN_P2P_NCHANNELS", 1, 64, "least channels of send and receive"},
        {"NCCL_NCHANNELS_PER_NET_PEER", 1, 64, "channels of send and receive between nodes"},
        {"NCCL_NET_OVERHEAD", 0, 1000000, "ns that posting a message costs, for the tuner"},
        {"NCCL_NTHREADS", 64, 512, "most threads of a channel, LL and Simple"},
        {"NCCL_NVLSTREE_MAX_CHUNKSIZE", 4096, MOST_BYTES, "most bytes of a chunk, NVLS tree"},
        {"NCCL_NVLS_CHUNKSIZE", 4096, MOST_BYTES, "most bytes of a chunk, NVLS"},
        {"NCCL_NVLS_ENABLE", 0, 2, "0: no NVLS; else where the machines have it"},
        {"NCCL_NVLS_NCHANNELS", 1, 64, "channels of NVLS"},
        {"NCCL_P2P_LL_THRESHOLD", 0, MOST_BYTES, "bytes that send and receive move by LL"},
        {"NCCL_P2P_NET_CHUNKSIZE", 4096, MOST_BYTES, "chunk of send and receive between nodes"},
        {"NCCL_P2P_NVL_CHUNKSIZE", 4096, MOST_BYTES, "chunk of send and receive by NVLink"},
        {"NCCL_P2P_PCI_CHUNKSIZE", 4096, MOST_BYTES, "chunk of send and receive by PCIe"},
        {"NCCL_P2P_PXN_LEVEL", 0, 2, "0: send and receive do not use PXN"},
        {"NCCL_PAT_ENABLE", 0, 2, "0: no PAT; else where each node has one GPU"},
        {"NCCL_PROTO", 1, 0, "protocols that the tuner may choose"},
        {"NCCL_PXN_DISABLE", 0, 1, "1: no GPU sends by the NIC of another one"},
        {"NCCL_THREAD_THRESHOLDS", 1, 0, "bytes of a thread below which channels are saved"},
        {"NCCL_TOPO_FILE", 1, 0, "topology of the server: an XML file"},
        {"NCCL_TUNER_CONFIG_FILE", 1, 0, "rules of NCCL's example of a tuner plugin: a table"},
    };
    return variables;
}

bool
IsNcclFile(const std::string& name)
{
    return name == "NCCL_TOPO_FILE" || name == "NCCL_TUNER_CONFIG_FILE";
}

std::string
NcclEnvironment::Set(const std::string& name, const std::string& value)
{
    const auto& variables = GetNcclVariables();
    auto same = [&name](const NcclVariable& variable) { return name == variable.name; };
    auto variable = std::find_if(variables.begin(), variables.end(), same);
    if (variable == variables.end())
    {
        return RefuseName(name);
    }
    std::string error;
    if (name == "NCCL_ALGO")
    {
        error = ParseList(name, value, NCCL_ALGORITHM_NAMES, m_algorithms);
    }
    else if (name == "NCCL_PROTO")
    {
        error = ParseList(name, value, NCCL_PROTOCOL_NAMES, m_protocols);
    }
    else if (name == "NCCL_THREAD_THRESHOLDS")
    {
        error = ParseThresholds(value);
    }
    else if (variable->least <= variable->most)
    {
        error = CheckNumber(*variable, value);
    }
    if (error.empty())
    {
        m_settings[name] = value;
    }
    return error;
}

std::string
NcclEnvironment::SetAll(const std::string& assignments)
{
    std::istringstream in(assignments);
    for (std::string word; in >> word;)
    {
        size_t equals = word.find('=');
        if (equals == std::string::npos)
        {
            return "\"" + word + "\" is not of the form NAME=VALUE";
        }
        std::string error = Set(word.substr(0, equals), word.substr(equals + 1));
        if (!error.empty())
        {
            return error;
        }
    }
    return "";
}

std::string
NcclEnvironment::ParseList(const std::string& name,
                           const std::string& text,
                           const std::vector<const char*>& elements,
                           Choices& choices)
{
    auto refuse = [&](const std::string& what) { return name + "=\"" + text + "\": " + what; };
    Choices parsed(elements.size());
    std::vector<std::string> entries = SplitText(ToLower(text), ';');
    if (entries.empty())
    {
        return refuse("there is nothing in it");
    }
    for (size_t i = 0; i < entries.size(); i++)
    {
        size_t colon = entries[i].find(':');
        size_t function = NCCL_FUNCTION_NAMES.size();
        if (colon != std::string::npos)
        {
            function = FindName(entries[i].substr(0, colon), NCCL_FUNCTION_NAMES);
            if (function == NCCL_FUNCTION_NAMES.size())
            {
                return refuse("\"" + entries[i].substr(0, colon) +
                              "\" is not a function; expected broadcast, reduce, allgather, "
                              "reducescatter or allreduce");
            }
        }
        else if (i > 0)
        {
            return refuse("all entries but the first need a function, as in allreduce:ring");
        }
        std::string list = colon == std::string::npos ? entries[i] : entries[i].substr(colon + 1);
        bool excludes = list[0] == '^';
        std::vector<std::string> words = SplitText(list.substr(excludes), ',');
        if (words.empty())
        {
            return refuse("an entry without a name");
        }
        auto choose = [&](size_t element, bool choice) {
            for (uint32_t f = 0; f < FUNCTIONS; f++)
            {
                if (function == NCCL_FUNCTION_NAMES.size() || function == f)
                {
                    parsed[element][f] = choice;
                }
            }
        };
        for (size_t e = 0; e < elements.size(); e++)
        {
            choose(e, excludes);
        }
        for (const std::string& word : words)
        {
            size_t element = FindName(word, elements);
            if (element == elements.size())
            {
                std::string known;
                for (const char* other : elements)
                {
                    known += (known.empty() ? "" : ", ") + std::string(other);
                }
                return refuse("\"" + word + "\" is not known; expected some of " + known);
            }
            if (element >= NCCL_ALGORITHMS && !excludes)
            {
                return refuse(word + " needs SHARP in the network, which is not modelled");
            }
            choose(element, !excludes);
        }
    }
    choices = parsed;
    return "";
}

std::string
NcclEnvironment::ParseThresholds(const std::string& text)
{
    std::string words = text;
    std::replace(words.begin(), words.end(), ',', ' '); // what SetAll() and scenarios can pass
    std::istringstream in(words);
    std::array<std::optional<uint64_t>, 6> parsed;
    size_t i = 0;
    for (std::string word; in >> word; i++)
    {
        char* rest = nullptr;
        int64_t number = std::strtoll(word.c_str(), &rest, 10);
        if (i == parsed.size() || *rest != '\0' || number > MOST_BYTES)
        {
            return "NCCL_THREAD_THRESHOLDS: \"" + text +
                   "\" is not up to 6 whole numbers: tree LL, LL128, Simple, ring likewise";
        }
        if (number >= 0)
        {
            parsed[i] = number;
        }
    }
    m_thresholds = parsed;
    return "";
}

std::optional<int64_t>
NcclEnvironment::Find(const std::string& name) const
{
    auto found = m_settings.find(name);
    if (found == m_settings.end())
    {
        return {};
    }
    return std::strtoll(found->second.c_str(), nullptr, 0);
}

int64_t
NcclEnvironment::Get(const std::string& name, int64_t otherwise) const
{
    return Find(name).value_or(otherwise);
}

std::string
NcclEnvironment::GetText(const std::string& name) const
{
    auto found = m_settings.find(name);
    return found == m_settings.end() ? "" : found->second;
}

bool
NcclEnvironment::Allows(CollectiveOperation operation, NcclAlgorithm algorithm) const
{
    return m_algorithms.empty() ||
           m_algorithms[static_cast<size_t>(algorithm)][FunctionOf(operation)].value_or(true);
}

std::optional<bool>
NcclEnvironment::Allows(CollectiveOperation operation, CollectiveProtocol protocol) const
{
    return m_protocols.empty() ? Choice()
                               : m_protocols[static_cast<size_t>(protocol)][FunctionOf(operation)];
}

std::optional<uint64_t>
NcclEnvironment::GetThreadThreshold(NcclAlgorithm algorithm, CollectiveProtocol protocol) const
{
    uint32_t row = algorithm == NcclAlgorithm::TREE ? 0 : 3;
    return m_thresholds[row + static_cast<uint32_t>(protocol)];
}

NcclTransportSettings
NcclEnvironment::GetTransport() const
{
    NcclTransportSettings settings;
    if (auto number = Find("NCCL_IB_QPS_PER_CONNECTION"))
    {
        settings.queuePairsPerConnection = *number;
    }
    if (auto number = Find("NCCL_IB_SPLIT_DATA_ON_QPS"))
    {
        settings.splitData = *number == 1;
    }
    if (auto number = Find("NCCL_IB_TIMEOUT"))
    {
        settings.ackTimeoutPs = *number == 0 ? 0 : int64_t{4096000} << *number;
    }
    if (auto number = Find("NCCL_IB_RETRY_CNT"))
    {
        settings.retries = *number;
    }
    if (auto number = Find("NCCL_IB_TC"))
    {
        settings.trafficClass = *number;
    }
    if (Find("NCCL_PXN_DISABLE") || Find("NCCL_P2P_PXN_LEVEL"))
    {
        settings.pxn = Get("NCCL_PXN_DISABLE", 0) == 0 && Get("NCCL_P2P_PXN_LEVEL", 2) > 0;
    }
    if (auto number = Find("NCCL_IB_ADAPTIVE_ROUTING"))
    {
        settings.adaptiveRouting = *number == 1;
    }
    if (auto number = Find("NCCL_IB_AR_THRESHOLD"))
    {
        settings.adaptiveRoutingThreshold = *number;
    }
    if (auto number = Find("NCCL_CROSS_NIC"))
    {
        settings.crossNic = *number == 1;
    }
    return settings;
}

} // namespace ns3
