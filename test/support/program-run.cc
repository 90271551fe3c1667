// SPDX-License-Identifier: GPL-2.0-only
#include "program-run.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

namespace test
{

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "ai-fabric-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
    {
        throw std::runtime_error("no temporary folder could be made");
    }
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::string
TemporaryFolder::PathOf(const std::string& name) const
{
    return m_path + "/" + name;
}

void
TemporaryFolder::Write(const std::string& name, const std::string& text) const
{
    std::ofstream(PathOf(name)) << text;
}

ProgramResult
RunProgram(const std::string& arguments)
{
    std::string command = std::string(AI_FABRIC_PROGRAM) + " " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe)
    {
        throw std::runtime_error("cannot start " + command);
    }
    std::string output;
    std::array<char, 4096> buffer;
    while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    {
        output.append(buffer.data(), n);
    }
    int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::vector<CsvRow>
ReadCsv(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    std::vector<std::string> header;
    std::vector<CsvRow> rows;
    while (std::getline(file, line))
    {
        if (line.rfind('#', 0) == 0)
        {
            continue; // a comment
        }
        std::vector<std::string> cells;
        std::istringstream in(line);
        for (std::string cell; std::getline(in, cell, ',');)
        {
            cells.push_back(cell);
        }
        if (header.empty())
        {
            header = cells;
            continue;
        }
        CsvRow row;
        for (size_t c = 0; c < header.size(); ++c)
        {
            row[header[c]] = c < cells.size() ? cells[c] : "";
        }
        rows.push_back(row);
    }
    return rows;
}

void
ExpectClearToSend(uint64_t bytes, const std::vector<CsvRow>& messages)
{
    constexpr uint64_t WRITE = 64;
    uint64_t complete = 0;
    uint64_t data = 0;
    for (const CsvRow& row : messages)
    {
        ++(row.at("bytes") == std::to_string(WRITE) ? complete : data);
    }
    EXPECT_EQ(bytes % WRITE, 0u);
    EXPECT_GE(bytes / WRITE, complete);
    EXPECT_LE(bytes / WRITE, data);
}

std::vector<std::vector<std::string>>
ReadWords(const std::string& path)
{
    std::ifstream file(path);
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(file, line);)
    {
        std::istringstream in(line);
        lines.emplace_back(std::istream_iterator<std::string>(in),
                           std::istream_iterator<std::string>());
    }
    return lines;
}

std::string
ReadBytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

long long
Picoseconds(const std::string& text)
{
    size_t point = text.find('.');
    bool negative = !text.empty() && text[0] == '-';
    long long whole = std::stoll(text.substr(0, point));
    long long fraction = std::stoll(text.substr(point + 1));
    return whole * 1000000 + (negative ? -fraction : fraction);
}

} // namespace test
