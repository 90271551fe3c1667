// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRAM_RUN_H
#define PROGRAM_RUN_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/**
 * @file
 * @brief Runs the ai-fabric program as a user would, and reads what it wrote.
 */

namespace test
{

/// A folder that goes when the object goes.
class TemporaryFolder
{
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// @param name of a file @return its path in the folder
    std::string PathOf(const std::string& name) const;

    /// @param name of a new file @param text its content
    void Write(const std::string& name, const std::string& text) const;

    /// @return the folder's path
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

/// What a run of the program left.
struct ProgramResult
{
    int status;         ///< exit status
    std::string output; ///< standard output and error
};

/// @param arguments as in a shell @return how it went
ProgramResult RunProgram(const std::string& arguments);

/// A row of a CSV file by column name.
using CsvRow = std::map<std::string, std::string>;

/// @param path of a CSV file with a header and no quoted commas @return its rows
std::vector<CsvRow> ReadCsv(const std::string& path);

/**
 * Expects that bytes are those of clear-to-send writes, 64 each: one for each message of a
 * collective over the network, from its receiver. The last ones may be on their way when a run
 * ends.
 * @param bytes that ports sent beside the data
 * @param messages rows of messages.csv
 */
void ExpectClearToSend(uint64_t bytes, const std::vector<CsvRow>& messages);

/// @param path of a text file @return its lines, split at white space
std::vector<std::vector<std::string>> ReadWords(const std::string& path);

/// @param path of a file @return its bytes
std::string ReadBytes(const std::string& path);

/// @param text decimal microseconds with six decimals @return picoseconds, exactly
long long Picoseconds(const std::string& text);

} // namespace test

#endif // PROGRAM_RUN_H
