// SPDX-License-Identifier: GPL-2.0-only
#include "route-file.h"

#include "line-reader.h"
#include "quantity.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t LARGEST_WEIGHT = 65535;

/// @param text items separated by commas @return them; empty ones too
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> items;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');)
    {
        items.push_back(item);
    }
    if (text.empty() || text.back() == ',')
    {
        items.emplace_back();
    }
    return items;
}

bool
IsNumber(const std::string& text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Knows the names of a fabric.
class RouteReader
{
  public:
    RouteReader(const std::string& path, const FabricGraph& graph)
        : m_reader(path, "a file of static routes"),
          m_graph(graph),
          m_cables(graph.GetVertices().size())
    {
        for (const FabricGraph::Edge& edge : graph.GetEdges())
        {
            m_cables[edge.a].push_back(edge.b);
            m_cables[edge.b].push_back(edge.a);
        }
        uint32_t endpoints = 0;
        for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
        {
            m_vertexOf[graph.GetVertices()[v].name] = v;
            bool isSwitch = IsSwitch(v);
            m_number.push_back(isSwitch ? m_switches++ : endpoints);
            endpoints += isSwitch ? 0 : static_cast<uint32_t>(m_cables[v].size());
        }
    }

    std::vector<StaticRoute> Read()
    {
        std::vector<StaticRoute> routes;
        while (m_reader.Next())
        {
            std::vector<std::string> words = m_reader.GetWords();
            auto comment = std::find_if(words.begin(), words.end(), [](const std::string& word) {
                return word[0] == '#';
            });
            words.erase(comment, words.end());
            if (!words.empty())
            {
                routes.push_back(ReadLine(words));
            }
        }
        return routes;
    }

  private:
    bool IsSwitch(uint32_t vertex) const
    {
        return m_graph.GetVertices()[vertex].role == FabricGraph::Role::SWITCH;
    }

    InputError Error(const std::string& field,
                     const std::string& found,
                     const std::string& expected) const
    {
        return InputError(m_reader.Place(field), found, expected);
    }

    /// @param name of a vertex @param isSwitch what it must be @param field for the message
    uint32_t Vertex(const std::string& name, bool isSwitch, const std::string& field) const
    {
        auto found = m_vertexOf.find(name);
        if (found == m_vertexOf.end() || IsSwitch(found->second) != isSwitch)
        {
            std::string what = isSwitch ? "switch" : "host";
            throw Error(field, "\"" + name + "\" is no " + what, "the name of a " + what);
        }
        return found->second;
    }

    StaticRoute ReadLine(const std::vector<std::string>& words)
    {
        if (words.size() != 3)
        {
            throw Error("",
                        "the line has " + std::to_string(words.size()) + " words, not 3",
                        "a switch, destinations, and ports or neighbours");
        }
        uint32_t at = Vertex(words[0], true, "switch");
        StaticRoute route;
        route.switchNumber = m_number[at];
        if (words[1] == "*")
        {
            RefuseSecond(at, ALL, "*");
        }
        else
        {
            for (const std::string& name : Split(words[1]))
            {
                AddDestination(at, name, route.endpoints);
            }
        }
        route.group = ReadGroup(at, words[2]);
        return route;
    }

    void AddDestination(uint32_t at, const std::string& name, std::vector<uint32_t>& endpoints)
    {
        size_t colon = name.rfind(':');
        bool isWhole = m_vertexOf.count(name) > 0 || colon == std::string::npos;
        uint32_t host = Vertex(isWhole ? name : name.substr(0, colon), false, "destination");
        auto ports = static_cast<uint32_t>(m_cables[host].size());
        if (ports == 0)
        {
            throw Error("destination", "host " + name + " has no cable", "a host with a cable");
        }
        uint32_t first = 0;
        if (!isWhole)
        {
            first = static_cast<uint32_t>(
                ParseUnsigned(name.substr(colon + 1), m_reader.Place("destination"), 0, ports - 1));
            ports = first + 1;
        }
        for (uint32_t p = first; p < ports; ++p)
        {
            RefuseSecond(at, m_number[host] + p, name);
            endpoints.push_back(m_number[host] + p);
        }
    }

    void RefuseSecond(uint32_t at, uint64_t destination, const std::string& name)
    {
        auto [first, isNew] = m_lineOf.try_emplace({at, destination}, m_reader.Place().line);
        if (!isNew)
        {
            throw Error("destination",
                        "\"" + name + "\" has a route at " + m_graph.GetVertices()[at].name +
                            " already, from line " + std::to_string(first->second),
                        "each destination once a switch");
        }
    }

    PortGroup ReadGroup(uint32_t at, const std::string& text) const
    {
        std::map<uint32_t, uint32_t> weightOf; // by port
        bool weighted = false;
        for (const std::string& item : Split(text))
        {
            size_t sign = item.rfind('@');
            uint32_t weight = 1;
            if (sign != std::string::npos)
            {
                weighted = true;
                weight = static_cast<uint32_t>(ParseUnsigned(item.substr(sign + 1),
                                                             m_reader.Place("weight"),
                                                             1,
                                                             LARGEST_WEIGHT));
            }
            for (uint32_t port : ReadPorts(at, item.substr(0, sign)))
            {
                if (!weightOf.emplace(port, weight).second)
                {
                    throw Error("port",
                                "\"" + item + "\" leads by port " + std::to_string(port) +
                                    ", which is there already",
                                "each port once");
                }
            }
        }
        PortGroup group;
        for (const auto& [port, weight] : weightOf)
        {
            group.ports.push_back(port);
            if (weighted)
            {
                group.weights.push_back(weight);
            }
        }
        return group;
    }

    std::vector<uint32_t> ReadPorts(uint32_t at, const std::string& text) const
    {
        const std::vector<uint32_t>& cables = m_cables[at];
        if (IsNumber(text))
        {
            auto port = static_cast<uint32_t>(
                ParseUnsigned(text, m_reader.Place("port"), 0, cables.size() - 1));
            if (!IsSwitch(cables[port]))
            {
                throw Error("port",
                            "port " + text + " of " + m_graph.GetVertices()[at].name +
                                " leads to a host",
                            "a port to another switch; a switch delivers to its own hosts anyway");
            }
            return {port};
        }
        uint32_t neighbor = Vertex(text, true, "neighbour");
        std::vector<uint32_t> ports;
        for (uint32_t p = 0; p < cables.size(); ++p)
        {
            if (cables[p] == neighbor)
            {
                ports.push_back(p);
            }
        }
        if (ports.empty())
        {
            throw Error("neighbour",
                        "no link leads from " + m_graph.GetVertices()[at].name + " to " + text,
                        "a neighbouring switch");
        }
        return ports;
    }

    static constexpr uint64_t ALL = UINT64_MAX; ///< the destination *

    LineReader m_reader;
    const FabricGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_cables; ///< by vertex and port: what is behind
    std::map<std::string, uint32_t> m_vertexOf;  ///< by name
    std::vector<uint32_t> m_number; ///< by vertex: of a switch its number, of a host that of its
                                    ///< first endpoint
    uint32_t m_switches{0};
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> m_lineOf; ///< by switch and endpoint
};

} // namespace

std::vector<StaticRoute>
ReadRouteFile(const std::string& path, const FabricGraph& graph)
{
    return RouteReader(path, graph).Read();
}

} // namespace ns3
