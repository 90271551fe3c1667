// SPDX-License-Identifier: GPL-2.0-only
#include "topology-picture.h"

#include "results-folder.h"
#include "topology-drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ns3
{

namespace
{

constexpr double PI = 3.14159265358979323846;
constexpr const char* QUIET_COLOR = "#9aa7b4"; ///< of cables where nothing ran
constexpr size_t MOST_TURNED = 160;            ///< turned names in a row
constexpr size_t MOST_LINK_LABELS = 12;        ///< in a picture of many cables a few say little

struct Point
{
    double x{0};
    double y{0};
};

/// A number with a digit or so: the same text wherever it is computed.
std::string
Number(double value)
{
    std::string text = FixedText(value, 1);
    return text == "-0.0" ? "0.0" : text;
}

/// @param share 0 to 1 @return grey to blue to yellow to red, as #rrggbb
std::string
LoadColor(double share)
{
    using Rgb = std::array<double, 3>;
    static const std::array<Rgb, 5> STOPS{Rgb{208, 214, 220},
                                          Rgb{120, 170, 214},
                                          Rgb{246, 201, 69},
                                          Rgb{238, 126, 34},
                                          Rgb{176, 10, 20}};
    const double at = std::clamp(share, 0., 1.) * (STOPS.size() - 1);
    const auto below = std::min<size_t>(static_cast<size_t>(at), STOPS.size() - 2);
    std::string color = "#";
    for (size_t c = 0; c < 3; ++c)
    {
        const double value = STOPS[below][c] + (at - static_cast<double>(below)) *
                                                   (STOPS[below + 1][c] - STOPS[below][c]);
        const auto level = static_cast<int>(value + 0.5);
        color += "0123456789abcdef"[level / 16];
        color += "0123456789abcdef"[level % 16];
    }
    return color;
}

/// What is said of the cables from one node to another, in one direction.
struct Direction
{
    double busiest{0};
    double sum{0};
    int64_t pausedSteps{0};
    uint64_t drops{0};

    void Add(const PortLoad& load)
    {
        busiest = std::max(busiest, load.utilization);
        sum += load.utilization;
        pausedSteps += load.pausedSteps;
        drops += load.drops;
    }
};

/// Draws one fabric.
class Painter
{
  public:
    Painter(std::ostream& out, const FabricGraph& graph, const std::vector<CableLoad>& loads)
        : m_out(out),
          m_graph(graph),
          m_loads(loads),
          m_drawing(DrawTopology(graph)),
          m_places(m_drawing.nodes.size())
    {
        for (uint32_t n = 0; n < m_drawing.nodes.size(); ++n)
        {
            m_tiers[m_drawing.nodes[n].tier].push_back(n);
        }
        m_drawing.isRound ? PlaceOnCircle() : PlaceInRows();
    }

    void Paint()
    {
        m_out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << Number(m_width)
              << ' ' << Number(m_height) << "\" width=\"" << Number(m_width) << "\" height=\""
              << Number(m_height) << "\" font-family=\"Helvetica, Arial, sans-serif\">\n"
              << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
        PaintLinks();
        for (uint32_t n = 0; n < m_drawing.nodes.size(); ++n)
        {
            PaintNode(n);
        }
        PaintTierNames();
        m_out << "</svg>\n";
    }

  private:
    // ---- places

    void PlaceInRows()
    {
        constexpr double ROW = 130;
        constexpr double SIDE = 70;
        size_t longest = 1;
        for (const auto& [tier, nodes] : m_tiers)
        {
            longest = std::max(longest, nodes.size());
        }
        const double inner = std::clamp(longest * 24., 680., 4000.);
        double room = 12; // below, and to the right, for turned names
        for (const auto& [tier, nodes] : m_tiers)
        {
            double length = 0;
            for (uint32_t n : nodes)
            {
                length = std::max(length, 5.0 * m_drawing.nodes[n].label.size());
            }
            m_turned[tier] = length > inner / nodes.size();
            room =
                std::max(room, m_turned[tier] && nodes.size() <= MOST_TURNED ? 0.75 * length : 0);
        }
        m_width = inner + 2 * SIDE + 0.75 * room - 9;
        m_top = 40 + TopRoom();
        m_height = m_top + ROW * (m_tiers.size() - 1) + 30 + (m_turned[0] ? room : 12);
        double y = m_top + ROW * (m_tiers.size() - 1);
        for (const auto& [tier, nodes] : m_tiers) // hosts first, which are at the bottom
        {
            const double step = inner / nodes.size();
            for (size_t i = 0; i < nodes.size(); ++i)
            {
                m_places[nodes[i]] = {SIDE + (i + 0.5) * step, y};
            }
            m_rows[tier] = y;
            y -= ROW;
        }
    }

    /// Room above the highest row for the arcs of cables within it.
    double TopRoom() const
    {
        for (const TopologyDrawing::Link& link : m_drawing.links)
        {
            if (m_drawing.nodes[link.a].tier == m_drawing.nodes[link.b].tier)
            {
                return 70;
            }
        }
        return 0;
    }

    void PlaceOnCircle()
    {
        constexpr double ARC = 44; // between switches
        auto hosts = m_tiers.find(0);
        const bool mesh = m_tiers.size() == 1; // hosts alone
        std::vector<uint32_t> ring;
        for (const auto& [tier, nodes] : m_tiers)
        {
            if (tier > 0 || mesh)
            {
                ring.insert(ring.end(), nodes.begin(), nodes.end());
            }
        }
        const double radius = std::max(120., ring.size() * ARC / (2 * PI));
        const double outer = mesh ? radius : radius + 70;
        m_width = m_height = 2 * (outer + 90);
        const Point center{m_width / 2, m_height / 2};
        auto at = [&](double r, double turn) {
            return Point{center.x + r * std::sin(2 * PI * turn),
                         center.y - r * std::cos(2 * PI * turn)};
        };
        std::vector<double> turns(m_drawing.nodes.size(), 0);
        for (size_t i = 0; i < ring.size(); ++i)
        {
            turns[ring[i]] = static_cast<double>(i) / ring.size();
            m_places[ring[i]] = at(radius, turns[ring[i]]);
        }
        m_center = center;
        if (mesh || hosts == m_tiers.end())
        {
            return;
        }
        // Each host stands outside of its (first) switch, side by side with that one's others.
        std::map<uint32_t, std::vector<uint32_t>> hostsOf; // by switch
        std::vector<bool> placed(m_drawing.nodes.size(), false);
        for (const TopologyDrawing::Link& link : m_drawing.links)
        {
            for (auto [own, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
            {
                if (m_drawing.nodes[own].tier == 0 && m_drawing.nodes[other].tier > 0 &&
                    !placed[own])
                {
                    placed[own] = true;
                    hostsOf[other].push_back(own);
                }
            }
        }
        for (const auto& [node, list] : hostsOf)
        {
            for (size_t i = 0; i < list.size(); ++i)
            {
                const double shift = ((i + 0.5) / list.size() - 0.5) / ring.size();
                m_places[list[i]] = at(outer, turns[node] + 0.9 * shift);
            }
        }
    }

    // ---- links

    /// @return what the ports of node a's side did, and those of b's side
    std::pair<Direction, Direction> LoadOf(const TopologyDrawing::Link& link) const
    {
        Direction forth;
        Direction back;
        for (uint32_t e : link.edges)
        {
            if (m_loads.empty())
            {
                break;
            }
            // Within one node the two directions have no sides.
            const bool along = m_drawing.nodeOf[m_graph.GetEdges()[e].a] == link.a;
            (along ? forth : back).Add(m_loads[e].a);
            (along ? back : forth).Add(m_loads[e].b);
        }
        return {forth, back};
    }

    void PaintLinks()
    {
        // The busiest lie on top.
        std::vector<std::pair<double, uint32_t>> order;
        for (uint32_t l = 0; l < m_drawing.links.size(); ++l)
        {
            auto [forth, back] = LoadOf(m_drawing.links[l]);
            order.emplace_back(std::max(forth.busiest, back.busiest), l);
        }
        std::stable_sort(order.begin(), order.end(), [](const auto& one, const auto& other) {
            return one.first < other.first;
        });
        for (const auto& [busiest, l] : order)
        {
            PaintLink(m_drawing.links[l]);
        }
    }

    void PaintLink(const TopologyDrawing::Link& link)
    {
        const Point a = m_places[link.a];
        const Point b = m_places[link.b];
        const bool level = m_drawing.nodes[link.a].tier == m_drawing.nodes[link.b].tier;
        const bool arc = !m_drawing.isRound && level;
        const auto [forth, back] = LoadOf(link);
        const double width =
            std::min(4., 1.1 + 0.5 * std::log2(static_cast<double>(link.edges.size())));
        m_out << "<g fill=\"none\" stroke-width=\"" << Number(width) << "\">"
              << "<title>" << EscapeXml(TitleOf(link, forth, back)) << "</title>";
        if (link.a == link.b)
        {
            const std::string color = ColorOf(forth.busiest > back.busiest ? forth : back);
            m_out << "<ellipse cx=\"" << Number(a.x) << "\" cy=\"" << Number(a.y - 22)
                  << "\" rx=\"14\" ry=\"18\" stroke=\"" << color << "\"/></g>\n";
            return;
        }
        Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
        if (arc)
        {
            // The middle of the quadratic curve whose control point is twice as high.
            const double height = std::min(60., 14 + std::abs(a.x - b.x) / 8);
            PaintArc(a, {(3 * a.x + b.x) / 4, a.y - height}, {middle.x, a.y - height}, forth);
            PaintArc(b, {(a.x + 3 * b.x) / 4, b.y - height}, {middle.x, b.y - height}, back);
            middle.y -= height;
        }
        else
        {
            PaintHalf(a, middle, forth);
            PaintHalf(b, middle, back);
        }
        PaintMarks(a, middle, forth);
        PaintMarks(b, middle, back);
        m_out << "</g>\n";
        if (m_drawing.links.size() <= MOST_LINK_LABELS)
        {
            PaintText(middle.x + 6, middle.y + 3, "start", DescribeCables(m_graph, link.edges));
        }
    }

    std::string ColorOf(const Direction& direction) const
    {
        return m_loads.empty() ? QUIET_COLOR : LoadColor(direction.busiest);
    }

    void PaintHalf(const Point& from, const Point& to, const Direction& direction)
    {
        m_out << "<line x1=\"" << Number(from.x) << "\" y1=\"" << Number(from.y) << "\" x2=\""
              << Number(to.x) << "\" y2=\"" << Number(to.y) << "\" stroke=\"" << ColorOf(direction)
              << "\"/>";
    }

    void PaintArc(const Point& from, const Point& by, const Point& to, const Direction& direction)
    {
        m_out << "<path d=\"M" << Number(from.x) << ' ' << Number(from.y) << "Q" << Number(by.x)
              << ' ' << Number(by.y) << ' ' << Number(to.x) << ' ' << Number(to.y) << "\" stroke=\""
              << ColorOf(direction) << "\"/>";
    }

    /// An orange square near a port that was paused, a red cross near one that dropped.
    void PaintMarks(const Point& from, const Point& to, const Direction& direction)
    {
        auto at = [&](double pixels) {
            const double length = std::hypot(to.x - from.x, to.y - from.y);
            const double share = std::min(0.9, pixels / std::max(1., length));
            return Point{from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
        };
        if (direction.pausedSteps > 0)
        {
            const Point mark = at(16);
            m_out << "<rect x=\"" << Number(mark.x - 3) << "\" y=\"" << Number(mark.y - 3)
                  << "\" width=\"6\" height=\"6\" stroke=\"none\" fill=\"#e07000\"/>";
        }
        if (direction.drops > 0)
        {
            const Point mark = at(25);
            m_out << "<path d=\"M" << Number(mark.x - 4) << ' ' << Number(mark.y - 4)
                  << "l8 8m0 -8l-8 8\" stroke=\"#c00000\" stroke-width=\"2\"/>";
        }
    }

    std::string TitleOf(const TopologyDrawing::Link& link,
                        const Direction& forth,
                        const Direction& back) const
    {
        const std::string& a = m_drawing.nodes[link.a].label;
        const std::string& b = m_drawing.nodes[link.b].label;
        std::string title = a + " - " + b + ": " + DescribeCables(m_graph, link.edges);
        if (m_loads.empty())
        {
            return title;
        }
        const bool several = link.edges.size() > 1;
        for (const auto& [direction, from] : {std::pair(&forth, &a), std::pair(&back, &b)})
        {
            title += "\nfrom " + *from + ": " + FixedText(100 * direction->busiest, 1) + " % busy";
            title += several ? " (the busiest; mean " +
                                   FixedText(100 * direction->sum / link.edges.size(), 1) + " %)"
                             : "";
            if (direction->pausedSteps > 0)
            {
                title += ", paused " + MicrosecondText(direction->pausedSteps) + " us";
            }
            if (direction->drops > 0)
            {
                title += ", " + std::to_string(direction->drops) + " frames dropped or lost";
            }
        }
        return title;
    }

    // ---- nodes

    void PaintNode(uint32_t n)
    {
        const TopologyDrawing::Node& node = m_drawing.nodes[n];
        const Point at = m_places[n];
        static const char* const FILLS[] = {"#ffffff", "#dbe7f3", "#b9d0e8", "#94b6da", "#6f9bca"};
        const char* fill = FILLS[std::min<size_t>(node.tier, std::size(FILLS) - 1)];
        m_out << "<g stroke=\"#33475b\"><title>" << EscapeXml(node.label) << "</title>";
        if (node.tier == 0)
        {
            m_out << "<circle cx=\"" << Number(at.x) << "\" cy=\"" << Number(at.y)
                  << "\" r=\"5\" fill=\"" << fill << "\"/>";
        }
        else
        {
            m_out << "<rect x=\"" << Number(at.x - 8) << "\" y=\"" << Number(at.y - 6)
                  << "\" width=\"16\" height=\"12\" rx=\"2\" fill=\"" << fill << "\"/>";
        }
        m_out << "</g>\n";
        m_drawing.isRound ? PaintRoundLabel(n) : PaintRowLabel(n);
    }

    void PaintRowLabel(uint32_t n)
    {
        const TopologyDrawing::Node& node = m_drawing.nodes[n];
        const Point at = m_places[n];
        const bool host = node.tier == 0;
        if (!m_turned[node.tier])
        {
            PaintText(at.x, host ? at.y + 17 : at.y - 10, "middle", node.label);
        }
        else if (m_tiers[node.tier].size() <= MOST_TURNED) // else they would touch
        {
            const double y = host ? at.y + 14 : at.y - 9;
            m_out << "<text x=\"" << Number(at.x) << "\" y=\"" << Number(y)
                  << "\" font-size=\"9\" fill=\"#1d2b38\" transform=\"rotate(" << (host ? 50 : -35)
                  << ' ' << Number(at.x) << ' ' << Number(y) << ")\">" << EscapeXml(node.label)
                  << "</text>\n";
        }
    }

    void PaintRoundLabel(uint32_t n)
    {
        constexpr size_t MOST_NAMES = 120;
        if (m_drawing.nodes.size() > MOST_NAMES)
        {
            return;
        }
        // Along the radius. Switches have their hosts outside, and their names inside.
        const Point at = m_places[n];
        const Point out{at.x - m_center.x, at.y - m_center.y};
        const double length = std::max(1., std::hypot(out.x, out.y));
        const bool inside = m_drawing.nodes[n].tier > 0;
        const double shift = inside ? -12 : 9;
        const double x = at.x + shift * out.x / length;
        const double y = at.y + shift * out.y / length;
        const bool right = out.x >= 0;
        const double angle = std::atan2(out.y, out.x) * 180 / PI + (right ? 0 : 180);
        m_out << "<text x=\"" << Number(x) << "\" y=\"" << Number(y + 3)
              << "\" font-size=\"9\" fill=\"#1d2b38\" text-anchor=\""
              << (right == inside ? "end" : "start") << "\" transform=\"rotate(" << Number(angle)
              << ' ' << Number(x) << ' ' << Number(y) << ")\">"
              << EscapeXml(m_drawing.nodes[n].label) << "</text>\n";
    }

    void PaintText(double x, double y, const char* anchor, const std::string& text)
    {
        m_out << "<text x=\"" << Number(x) << "\" y=\"" << Number(y)
              << "\" font-size=\"9\" text-anchor=\"" << anchor << "\" fill=\"#1d2b38\" "
              << "stroke=\"#ffffff\" stroke-width=\"2.5\" paint-order=\"stroke\">"
              << EscapeXml(text) << "</text>\n";
    }

    void PaintTierNames()
    {
        for (const auto& [tier, y] : m_rows)
        {
            m_out << "<text x=\"6\" y=\"" << Number(y + 4)
                  << "\" font-size=\"11\" fill=\"#607080\">"
                  << (tier == 0 ? "hosts" : "tier " + std::to_string(tier)) << "</text>\n";
        }
    }

    std::ostream& m_out;
    const FabricGraph& m_graph;
    const std::vector<CableLoad>& m_loads;
    TopologyDrawing m_drawing;
    std::vector<Point> m_places;                       ///< by node
    std::map<uint32_t, std::vector<uint32_t>> m_tiers; ///< nodes
    std::map<uint32_t, bool> m_turned;                 ///< by tier: names take too much room
    std::map<uint32_t, double> m_rows;                 ///< by tier: height of its row
    double m_width{0};
    double m_height{0};
    double m_top{0};
    Point m_center;
};

} // namespace

void
WriteTopologySvg(std::ostream& out, const FabricGraph& graph, const std::vector<CableLoad>& loads)
{
    Painter(out, graph, loads).Paint();
}

void
WriteLoadLegend(std::ostream& out)
{
    constexpr int CELLS = 20;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"34\" viewBox=\"0 0 "
           "560 "
           "34\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">\n";
    for (int cell = 0; cell < CELLS; ++cell)
    {
        out << "<rect x=\"" << 10 + cell * 10 << "\" y=\"4\" width=\"10\" height=\"10\" fill=\""
            << LoadColor((cell + 0.5) / CELLS) << "\"/>";
    }
    out << "\n<text x=\"10\" y=\"28\">0 %</text><text x=\"110\" y=\"28\" "
           "text-anchor=\"middle\">busy"
           "</text><text x=\"210\" y=\"28\" text-anchor=\"end\">100 %</text>\n"
           "<rect x=\"250\" y=\"6\" width=\"6\" height=\"6\" fill=\"#e07000\"/><text x=\"262\" "
           "y=\"13\">port was paused</text>\n"
           "<path d=\"M380 5l8 8m0 -8l-8 8\" stroke=\"#c00000\" stroke-width=\"2\" fill=\"none\"/>"
           "<text x=\"394\" y=\"13\">frames dropped or lost at it</text>\n</svg>\n";
}

std::string
EscapeXml(const std::string& text)
{
    std::string escaped;
    for (char c : text)
    {
        switch (c)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

} // namespace ns3
