// SPDX-License-Identifier: GPL-2.0-only
#include "kernel-table.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(KernelTable);

namespace
{

std::string
ShapeName(const KernelTable::Shape& shape)
{
    std::string text;
    for (uint64_t size : shape)
    {
        text += (text.empty() ? "" : " x ") + std::to_string(size);
    }
    return text.empty() ? "no shape" : text;
}

std::vector<std::string>
SplitAtCommas(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
    {
        size_t first = cell.find_first_not_of(" \t\r");
        size_t last = cell.find_last_not_of(" \t\r");
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

/// @return seconds of a unit of the column, 0 if the column is not one of times
double
UnitOfColumn(const std::string& column)
{
    for (auto [name, unit] : {std::make_pair("time_s", 1.0),
                              std::make_pair("time_ms", 1e-3),
                              std::make_pair("time_us", 1e-6),
                              std::make_pair("time_ns", 1e-9)})
    {
        if (column == name)
        {
            return unit;
        }
    }
    return 0;
}

/// The sizes of one dimension that enclose a size, and how far it is from the lower to the upper.
struct Bracket
{
    uint64_t lower;
    uint64_t upper;
    double part; ///< 0: at the lower one, 1: at the upper one
};

/// @return whether the sizes that occur in a dimension enclose the size
bool
FindBracket(const std::map<KernelTable::Shape, Time>& rows,
            size_t dimension,
            uint64_t size,
            Bracket& bracket)
{
    bracket = {0, 0, 0};
    for (const auto& [shape, time] : rows)
    {
        uint64_t known = shape[dimension];
        if (known <= size)
        {
            bracket.lower = std::max(bracket.lower, known);
        }
        if (known >= size)
        {
            bracket.upper = bracket.upper ? std::min(bracket.upper, known) : known;
        }
    }
    if (bracket.lower == 0 || bracket.upper == 0)
    {
        return false;
    }
    if (bracket.lower < bracket.upper)
    {
        bracket.part = std::log(static_cast<double>(size) / bracket.lower) /
                       std::log(static_cast<double>(bracket.upper) / bracket.lower);
    }
    return true;
}

} // namespace

TypeId
KernelTable::GetTypeId()
{
    static TypeId tid = TypeId("ns3::KernelTable")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<KernelTable>();
    return tid;
}

KernelTable::KernelTable() = default;
KernelTable::~KernelTable() = default;

std::string
KernelTable::Load(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        return path + ": cannot be read";
    }
    size_t columns = 0;
    double unit = 0;
    size_t number = 0;
    for (std::string line; std::getline(file, line);)
    {
        ++number;
        std::vector<std::string> cells = SplitAtCommas(line);
        if (line[0] == '#' || cells.empty() || (cells.size() == 1 && cells[0].empty()))
        {
            continue;
        }
        std::string error;
        if (columns == 0)
        {
            columns = cells.size();
            unit = UnitOfColumn(cells.back());
            if (columns < 2 || cells.front() != "name" || unit == 0)
            {
                error = "the first line names the columns: name, the dimensions, and time_s, "
                        "time_ms, time_us or time_ns";
            }
        }
        else
        {
            error = LoadLine(line, columns, unit);
        }
        if (!error.empty())
        {
            return path + ":" + std::to_string(number) + ": " + error;
        }
    }
    return columns ? "" : path + ": is empty";
}

std::string
KernelTable::LoadLine(const std::string& line, size_t columns, double unit)
{
    std::vector<std::string> cells = SplitAtCommas(line);
    if (cells.size() != columns)
    {
        return std::to_string(cells.size()) + " columns; the first line names " +
               std::to_string(columns);
    }
    Shape shape;
    for (size_t c = 1; c + 1 < columns; ++c)
    {
        std::istringstream cell(cells[c]);
        uint64_t size = 0;
        if (cells[c].empty() || cells[c][0] == '-' || !(cell >> size) || !cell.eof())
        {
            return "\"" + cells[c] + "\" is not a size";
        }
        shape.push_back(size);
    }
    std::istringstream cell(cells.back());
    double value = 0;
    if (!(cell >> value) || !cell.eof())
    {
        return "\"" + cells.back() + "\" is not a time";
    }
    double steps = value * unit * Seconds(1).GetTimeStep();
    return Add(cells.front(), shape, TimeStep(std::llround(steps)));
}

std::string
KernelTable::Add(const std::string& name, const Shape& shape, Time time)
{
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    {
        return name + ": a size of 0";
    }
    if (!time.IsStrictlyPositive())
    {
        return name + ": a time that is not above 0";
    }
    Rows& rows = m_kernels[name];
    if (!rows.empty() && rows.begin()->first.size() != shape.size())
    {
        return name + ": " + std::to_string(shape.size()) + " dimensions, and " +
               std::to_string(rows.begin()->first.size()) + " before";
    }
    if (!rows.emplace(shape, time).second)
    {
        return name + ": " + ShapeName(shape) + " a second time";
    }
    return "";
}

std::string
KernelTable::Find(const std::string& name, const Shape& shape, Time& time) const
{
    auto kernel = m_kernels.find(name);
    if (kernel == m_kernels.end())
    {
        return "no kernel \"" + name + "\" in the table";
    }
    const Rows& rows = kernel->second;
    if (rows.begin()->first.size() != shape.size())
    {
        return name + ": " + std::to_string(shape.size()) + " dimensions; the table has " +
               std::to_string(rows.begin()->first.size());
    }
    std::vector<Bracket> brackets(shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
    {
        if (!FindBracket(rows, d, shape[d], brackets[d]))
        {
            return name + ": " + ShapeName(shape) + " is outside the table: " + DescribeRange(rows);
        }
    }
    // The corners of the cell, each with the product of how near it is in each dimension.
    double logarithm = 0;
    for (size_t corner = 0; corner < size_t{1} << shape.size(); ++corner)
    {
        double weight = 1;
        Shape at;
        for (size_t d = 0; d < shape.size(); ++d)
        {
            bool upper = corner >> d & 1;
            weight *= upper ? brackets[d].part : 1 - brackets[d].part;
            at.push_back(upper ? brackets[d].upper : brackets[d].lower);
        }
        if (weight == 0)
        {
            continue;
        }
        auto row = rows.find(at);
        if (row == rows.end())
        {
            return name + ": " + ShapeName(at) + " is missing in the table, next to " +
                   ShapeName(shape);
        }
        if (weight == 1)
        {
            time = row->second;
            return "";
        }
        logarithm += weight * std::log(static_cast<double>(row->second.GetTimeStep()));
    }
    time = TimeStep(std::llround(std::exp(logarithm)));
    return "";
}

std::string
KernelTable::DescribeRange(const Rows& rows)
{
    std::string text;
    for (size_t d = 0; d < rows.begin()->first.size(); ++d)
    {
        uint64_t least = rows.begin()->first[d];
        uint64_t most = least;
        for (const auto& [shape, time] : rows)
        {
            least = std::min(least, shape[d]);
            most = std::max(most, shape[d]);
        }
        text += (d ? " x " : "") + std::to_string(least) + ".." + std::to_string(most);
    }
    return text;
}

std::vector<std::string>
KernelTable::GetNames() const
{
    std::vector<std::string> names;
    for (const auto& [name, rows] : m_kernels)
    {
        names.push_back(name);
    }
    return names;
}

} // namespace ns3
