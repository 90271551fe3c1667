// SPDX-License-Identifier: GPL-2.0-only
#ifndef LINE_READER_H
#define LINE_READER_H

#include "input-error.h"

#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/// Reads a text file of words line by line, and knows where it is.
class LineReader
{
  public:
    /// @param path of the file @param what it is, for the message when it cannot be read
    LineReader(const std::string& path, const std::string& what);

    /// Goes to the next line that has words. @return false at the end of the file
    bool Next();

    /**
     * Goes to the next line that has words; it must be there, with a number of words.
     * @param what it is, for the message
     * @param words that it must have; 0: any number
     */
    void Need(const std::string& what, size_t words = 0);

    /// @return the line's words
    const std::vector<std::string>& GetWords() const
    {
        return m_words;
    }

    /// @param key of a field @return this line's place
    InputPlace Place(const std::string& key = "") const;

  private:
    std::string m_path;
    std::ifstream m_in;
    uint32_t m_line{0};
    std::vector<std::string> m_words;
};

} // namespace ns3

#endif // LINE_READER_H
