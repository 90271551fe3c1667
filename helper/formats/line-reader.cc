// SPDX-License-Identifier: GPL-2.0-only
#include "line-reader.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace ns3
{

LineReader::LineReader(const std::string& path, const std::string& what)
    : m_path(path),
      m_in(path)
{
    if (!m_in || std::filesystem::is_directory(path))
    {
        std::string why = m_in ? "it is a folder" : std::strerror(errno);
        throw InputError({path, 0, ""}, "cannot be read: " + why, what);
    }
}

bool
LineReader::Next()
{
    std::string line;
    while (std::getline(m_in, line))
    {
        m_line++;
        std::istringstream in(line);
        m_words.clear();
        for (std::string word; in >> word;)
        {
            m_words.push_back(word);
        }
        if (!m_words.empty())
        {
            return true;
        }
    }
    return false;
}

void
LineReader::Need(const std::string& what, size_t words)
{
    if (!Next())
    {
        throw InputError(Place(), "the file ends here", what);
    }
    if (words > 0 && m_words.size() != words)
    {
        throw InputError(Place(),
                         "the line has " + std::to_string(m_words.size()) + " words, not " +
                             std::to_string(words),
                         what);
    }
}

InputPlace
LineReader::Place(const std::string& key) const
{
    return {m_path, m_line, key};
}

} // namespace ns3
