// SPDX-License-Identifier: GPL-2.0-only
#include "results-folder.h"

#include "ns3/input-error.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>

namespace ns3
{

namespace
{
bool g_resultsDiscarded = false;
} // namespace

void
ResultsFolder::Discard()
{
    g_resultsDiscarded = true;
}

ResultsFolder::ResultsFolder(const std::string& path)
    : m_path(path)
{
    if (g_resultsDiscarded)
    {
        return;
    }
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path))
    {
        throw InputError({path, 0, "output.dir"},
                         "the results folder cannot be made" +
                             (error ? " (" + error.message() + ")" : std::string()),
                         "a folder that can be written");
    }
}

std::string
ResultsFolder::PathOf(const std::string& name) const
{
    return (std::filesystem::path(m_path) / name).string();
}

std::ofstream
ResultsFolder::Create(const std::string& name) const
{
    if (g_resultsDiscarded)
    {
        return {}; // what is written goes nowhere
    }
    std::ofstream file(PathOf(name));
    if (!file)
    {
        throw InputError({PathOf(name), 0, "output.dir"}, "cannot be written", "a writable folder");
    }
    return file;
}

std::string
MicrosecondText(int64_t picoseconds)
{
    constexpr int64_t PER_MICROSECOND = 1000000;
    char text[40];
    bool negative = picoseconds < 0;
    int64_t magnitude = negative ? -picoseconds : picoseconds;
    std::snprintf(text,
                  sizeof(text),
                  "%s%" PRId64 ".%06" PRId64,
                  negative ? "-" : "",
                  magnitude / PER_MICROSECOND,
                  magnitude % PER_MICROSECOND);
    return text;
}

std::string
FixedText(double value, int decimals)
{
    char text[400];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

} // namespace ns3
