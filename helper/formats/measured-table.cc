// SPDX-License-Identifier: GPL-2.0-only
#include "measured-table.h"

#include "json-document.h"
#include "nccl-tests-config.h"
#include "quantity.h"
#include "scenario-sections.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint64_t ONE_MIB = uint64_t{1} << 20;

std::vector<std::string>
SplitCells(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
    {
        cells.push_back(cell);
    }
    return cells;
}

/// @return number of a column; InputError where there is none
size_t
FindColumn(const std::vector<std::string>& header, const std::string& name, const InputPlace& place)
{
    auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end())
    {
        throw InputError(place, "there is no column \"" + name + "\"", ListWords(header));
    }
    return at - header.begin();
}

/// Reads the rows of a table that count.
void
ReadMeasuredRows(const std::string& file, MeasuredTable& table)
{
    std::ifstream in(file);
    if (!in)
    {
        throw InputError({file, 0, ""}, "cannot be read", "a measured table");
    }
    InputPlace place{file, 0, ""};
    std::vector<std::string> header;
    size_t size = 0;
    size_t time = 0;
    // A table with one half of the columns has the half that its source has.
    for (std::string line; std::getline(in, line);)
    {
        ++place.line;
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        const std::vector<std::string> cells = SplitCells(line);
        if (header.empty())
        {
            header = cells;
            const bool both =
                std::find(header.begin(), header.end(), "inplace_time_us") != header.end();
            size = FindColumn(header, "size_bytes", place);
            time = FindColumn(header, both && table.inPlace ? "inplace_time_us" : "time_us", place);
            continue;
        }
        if (cells.size() != header.size())
        {
            throw InputError(place,
                             std::to_string(cells.size()) + " cells are not as many as columns",
                             std::to_string(header.size()));
        }
        MeasuredRow row{};
        row.bytes = ParseUnsigned(cells[size], place, 1, MOST_BYTES);
        row.microseconds = ParseDouble(cells[time], place, 1e-3, 1e12);
        row.busGBps = static_cast<double>(row.bytes) / row.microseconds / 1e3 *
                      BusBandwidthFactor(FindNcclTest(table.test)->operation, table.ranks);
        if (row.bytes >= table.from)
        {
            table.rows.push_back(row);
        }
    }
    if (table.rows.empty())
    {
        throw InputError({file, 0, ""}, "has no rows to compare", "at least one");
    }
}

MeasuredTable
ReadEntry(const JsonValue& value,
          const std::string& path,
          const std::string& folder,
          const nlohmann::ordered_json& raw)
{
    JsonReader reader(value, path);
    MeasuredTable table;
    std::string place = "out-of-place";
    for (const char* key : {"table", "platform", "test", "ranks", "groups", "dataType", "fitted"})
    {
        reader.Get(key);
    }
    reader.Read("table", table.name);
    reader.Read("platform", table.platform);
    reader.ReadName("test", table.test, GetNcclTestNames());
    reader.Read("ranks", table.ranks, 2, 1U << 20);
    reader.Read("groups", table.groups, 1, 1U << 20);
    reader.ReadName("dataType", table.dataType, GetNcclTypeNames());
    reader.ReadName("place", place, {"out-of-place", "in-place"});
    reader.Read("nccl", table.ncclVersion);
    reader.Read("fitted", table.fitted);
    reader.ReadBytes("from", table.from, 0, MOST_BYTES);
    reader.Read("note", table.note);
    reader.Find("scenario");
    reader.RejectUnknownKeys();
    table.inPlace = place == "in-place";
    table.scenario = raw.contains("scenario") ? raw["scenario"].dump() : "{}";
    ReadMeasuredRows((std::filesystem::path(folder) / (table.name + ".csv")).string(), table);
    return table;
}

} // namespace

const std::vector<SizeClass>&
GetSizeClasses()
{
    static const std::vector<SizeClass> classes{
        {"below 1 MiB", 0, ONE_MIB, 20},
        {"1 to 64 MiB", ONE_MIB, 64 * ONE_MIB, 10},
        {"from 64 MiB", 64 * ONE_MIB, std::numeric_limits<uint64_t>::max(), 5},
    };
    return classes;
}

size_t
FindSizeClass(uint64_t bytes)
{
    size_t index = 0;
    while (bytes >= GetSizeClasses()[index].below)
    {
        ++index;
    }
    return index;
}

std::vector<MeasuredTable>
ReadMeasuredTables(const std::string& path)
{
    const JsonDocument document = ReadJson(path);
    std::ifstream in(path);
    const auto raw = nlohmann::ordered_json::parse(in);
    JsonReader reader(document.root, "");
    const std::vector<JsonValue>& entries = GetArray(reader.Get("tables"), "tables", "tables");
    reader.RejectUnknownKeys();
    const std::string folder = std::filesystem::path(path).parent_path().string();
    std::vector<MeasuredTable> tables;
    for (size_t i = 0; i < entries.size(); ++i)
    {
        tables.push_back(ReadEntry(entries[i], ElementPath("tables", i), folder, raw["tables"][i]));
    }
    return tables;
}

std::vector<MeasuredTable>
SelectMeasuredTables(const std::vector<MeasuredTable>& tables,
                     const std::vector<std::string>& names)
{
    std::vector<bool> wanted(tables.size(), names.empty());
    std::vector<std::string> all;
    for (const MeasuredTable& table : tables)
    {
        all.push_back(table.name);
    }
    for (const std::string& name : names)
    {
        bool found = false;
        for (size_t i = 0; i < tables.size(); ++i)
        {
            const bool fits = tables[i].name.find(name) != std::string::npos;
            wanted[i] = wanted[i] || fits;
            found = found || fits;
        }
        if (!found)
        {
            const std::string nearest = NearestWord(name, all);
            throw InputError({"ai-fabric", 0, "validate"},
                             "no table is called \"" + name + "\"" +
                                 (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                             ListWords(all) + ", or a part of a name");
        }
    }
    std::vector<MeasuredTable> selected;
    for (size_t i = 0; i < tables.size(); ++i)
    {
        if (wanted[i])
        {
            selected.push_back(tables[i]);
        }
    }
    return selected;
}

} // namespace ns3
