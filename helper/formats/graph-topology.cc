// SPDX-License-Identifier: GPL-2.0-only
#include "graph-topology.h"

#include "json-document.h"
#include "line-reader.h"
#include "quantity.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint64_t HIGHEST_TIER = 64;
constexpr uint64_t MOST_WEIGHT = 1U << 16;

/// Reads the statements of a file into a graph.
class GraphReader
{
  public:
    explicit GraphReader(const std::string& path)
        : m_reader(path, "a topology file")
    {
    }

    FabricGraph Read()
    {
        while (m_reader.Next())
        {
            m_words = WithoutComment(m_reader.GetWords());
            if (!m_words.empty())
            {
                ReadStatement();
            }
        }
        CheckWhole();
        return std::move(m_graph);
    }

  private:
    static std::vector<std::string> WithoutComment(std::vector<std::string> words)
    {
        for (size_t i = 0; i < words.size(); i++)
        {
            size_t hash = words[i].find('#');
            if (hash != std::string::npos)
            {
                words[i].resize(hash);
                words.resize(hash == 0 ? i : i + 1);
            }
        }
        return words;
    }

    void ReadStatement()
    {
        const std::string& statement = m_words[0];
        if (statement == "host")
        {
            NeedWords(2, 2, "\"host NAME\"");
            AddName(m_graph.AddHost(m_words[1]));
        }
        else if (statement == "switch")
        {
            NeedWords(2, 3, "\"switch NAME\" or \"switch NAME TIER\"");
            uint64_t tier = 0;
            if (m_words.size() == 3)
            {
                tier = ParseUnsigned(m_words[2], m_reader.Place("tier"), 1, HIGHEST_TIER);
            }
            AddName(m_graph.AddSwitch(m_words[1], static_cast<uint32_t>(tier)));
        }
        else if (statement == "link")
        {
            NeedWords(5, 7, "\"link NAME NAME RATE DELAY [weight=N] [loss=P]\"");
            m_graph.Connect(ReadLink());
        }
        else
        {
            const std::vector<std::string> known{"host", "switch", "link"};
            std::string near = NearestWord(statement, known);
            throw InputError(m_reader.Place(),
                             "\"" + statement + "\" is not known" +
                                 (near.empty() ? "" : "; did you mean \"" + near + "\"?"),
                             ListWords(known));
        }
    }

    void NeedWords(size_t least, size_t most, const std::string& form)
    {
        if (m_words.size() < least || m_words.size() > most)
        {
            throw InputError(m_reader.Place(m_words[0]),
                             "the line has " + std::to_string(m_words.size()) + " words",
                             form);
        }
    }

    void AddName(uint32_t vertex)
    {
        const std::string& name = m_words[1];
        bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
        });
        if (!plain)
        {
            throw InputError(m_reader.Place("name"),
                             "\"" + name + "\" cannot be a name",
                             "letters, digits, '-', '_' and '.'");
        }
        if (!m_vertexOf.emplace(name, vertex).second)
        {
            throw InputError(m_reader.Place("name"),
                             "\"" + name + "\" is there twice",
                             "each host and switch once");
        }
        m_hasLink.push_back(false);
    }

    uint32_t FindVertex(size_t word)
    {
        auto found = m_vertexOf.find(m_words[word]);
        if (found == m_vertexOf.end())
        {
            throw InputError(m_reader.Place("link"),
                             "\"" + m_words[word] + "\" is no host or switch so far",
                             "a name of a line before");
        }
        m_hasLink[found->second] = true;
        return found->second;
    }

    FabricGraph::Edge ReadLink()
    {
        FabricGraph::Edge edge;
        edge.a = FindVertex(1);
        edge.b = FindVertex(2);
        if (edge.a == edge.b)
        {
            throw InputError(m_reader.Place("link"),
                             "\"" + m_words[1] + "\" is linked with itself",
                             "two different names");
        }
        edge.rate = ParseLinkRate(m_words[3], m_reader.Place("rate"));
        edge.delay = ParseTime(m_words[4], m_reader.Place("delay"));
        for (size_t i = 5; i < m_words.size(); i++)
        {
            const std::string& word = m_words[i];
            if (word.rfind("weight=", 0) == 0)
            {
                edge.weight = static_cast<uint32_t>(
                    ParseUnsigned(word.substr(7), m_reader.Place("weight"), 1, MOST_WEIGHT));
            }
            else if (word.rfind("loss=", 0) == 0)
            {
                edge.lossRate = ParseDouble(word.substr(5), m_reader.Place("loss"), 0, 1);
            }
            else
            {
                throw InputError(m_reader.Place("link"),
                                 "\"" + word + "\" is not known",
                                 "weight=N or loss=P");
            }
        }
        return edge;
    }

    void CheckWhole()
    {
        if (m_graph.Count(FabricGraph::Role::HOST) < 2)
        {
            throw InputError(m_reader.Place("host"),
                             "the file ends with " +
                                 std::to_string(m_graph.Count(FabricGraph::Role::HOST)) + " hosts",
                             "at least 2");
        }
        for (const auto& [name, vertex] : m_vertexOf)
        {
            if (!m_hasLink[vertex])
            {
                throw InputError(m_reader.Place("link"),
                                 "the file ends, and \"" + name + "\" has no link",
                                 "at least 1");
            }
        }
    }

    LineReader m_reader;
    std::vector<std::string> m_words;
    FabricGraph m_graph;
    std::map<std::string, uint32_t> m_vertexOf;
    std::vector<bool> m_hasLink; ///< by vertex
};

} // namespace

FabricGraph
ReadGraphTopology(const std::string& path)
{
    return GraphReader(path).Read();
}

void
WriteGraphTopology(std::ostream& out, const FabricGraph& graph)
{
    const auto& vertices = graph.GetVertices();
    for (const FabricGraph::Vertex& vertex : vertices)
    {
        bool isHost = vertex.role == FabricGraph::Role::HOST;
        out << (isHost ? "host " : "switch ") << vertex.name;
        out << (vertex.tier > 0 ? " " + std::to_string(vertex.tier) : "") << "\n";
    }
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        out << "link " << vertices[edge.a].name << " " << vertices[edge.b].name << " "
            << FormatDataRate(edge.rate) << " " << FormatTime(edge.delay);
        if (edge.weight != 1)
        {
            out << " weight=" << edge.weight;
        }
        if (edge.lossRate > 0)
        {
            std::ostringstream loss;
            loss.precision(std::numeric_limits<double>::max_digits10);
            loss << edge.lossRate;
            out << " loss=" << loss.str();
        }
        out << "\n";
    }
}

} // namespace ns3
