// SPDX-License-Identifier: GPL-2.0-only
#ifndef TSHARK_H
#define TSHARK_H

#include "pcap-file.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/**
 * @file
 * @brief tshark as a second reader of what we write: fields as a table, and what it objects to.
 */

namespace tshark
{

/// Fields of one packet by their names; a field that the packet does not have is empty.
using Row = std::map<std::string, std::string>;

/// @return whether there is a tshark to ask
inline bool
IsInstalled()
{
    return std::system("tshark --version >/dev/null 2>&1") == 0;
}

/// Passed to every run. RoCEv2 leaves the UDP checksum zero, over IPv6 too (RFC 6935 allows it),
/// which tshark by default calls an error. And it is not to guess what a payload is: zeros are
/// taken for storage protocols, and then they are malformed.
constexpr const char* OPTIONS =
    " -n -o udp.ignore_ipv6_zero_checksum:TRUE"
    " --disable-protocol rpcordma --disable-protocol smb_direct"
    " --disable-protocol infiniband.eoib --disable-protocol infiniband_sdp"
    " --disable-protocol iser --disable-protocol nvme-rdma --disable-protocol smc"
    " --disable-protocol lnet --disable-protocol fcoib";

/// @param command for the shell @return what it prints, line by line
/// @throws std::runtime_error if it fails
inline std::vector<std::string>
RunCommand(const std::string& command)
{
    std::vector<std::string> lines;
    FILE* pipe = popen(command.c_str(), "r");
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    {
        if (c == '\n')
        {
            lines.push_back(line);
            line.clear();
        }
        else
        {
            line += static_cast<char>(c);
        }
    }
    if (pclose(pipe) != 0)
    {
        throw std::runtime_error("failed: " + command);
    }
    return lines;
}

/// @param line fields with '|' between them @return the fields
inline std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> fields(1);
    for (char c : line)
    {
        if (c == '|')
        {
            fields.emplace_back();
        }
        else
        {
            fields.back() += c;
        }
    }
    return fields;
}

/**
 * @param path of a capture
 * @param fields names that tshark knows them by, such as "infiniband.bth.psn"
 * @param filter display filter: only packets that pass it
 * @return the first value of each field, as tshark prints it, a row a packet
 */
inline std::vector<Row>
Read(const std::string& path,
     const std::vector<std::string>& fields,
     const std::string& filter = "frame")
{
    std::string command = "tshark -r '" + path + "' -Y '" + filter + "'" + OPTIONS +
                          " -T fields -E separator='|' -E occurrence=f";
    for (const std::string& field : fields)
    {
        command += " -e " + field;
    }
    std::vector<Row> rows;
    for (const std::string& line : RunCommand(command + " 2>/dev/null"))
    {
        std::vector<std::string> values = Split(line);
        values.resize(fields.size());
        Row row;
        for (size_t i = 0; i < fields.size(); ++i)
        {
            row[fields[i]] = values[i];
        }
        rows.push_back(row);
    }
    return rows;
}

/// @param path of a capture @return "frame N: what" of each packet that tshark calls malformed or
/// has an expert's error about
inline std::vector<std::string>
Errors(const std::string& path)
{
    std::vector<std::string> errors;
    for (const Row& row : Read(path,
                               {"frame.number", "_ws.malformed", "_ws.expert.message"},
                               "_ws.malformed || _ws.expert.severity == \"Error\""))
    {
        errors.push_back("frame " + row.at("frame.number") + ": " + row.at("_ws.malformed") + " " +
                         row.at("_ws.expert.message"));
    }
    return errors;
}

/// @param text a number as tshark prints it, whatever its base @return the number
inline uint64_t
ToNumber(const std::string& text)
{
    return std::stoull(text, nullptr, 0);
}

/// A capture in the directory for temporary files; it goes with the object.
class TemporaryCapture
{
  public:
    /// @param frames to write
    explicit TemporaryCapture(const std::vector<pcap::Bytes>& frames)
    {
        const char* directory = std::getenv("TMPDIR");
        std::string name = std::string(directory ? directory : "/tmp") + "/ai-fabric-XXXXXX";
        m_name.assign(name.c_str(), name.c_str() + name.size() + 1);
        int file = mkstemp(m_name.data());
        if (file < 0)
        {
            throw std::runtime_error("cannot write " + name);
        }
        std::fclose(fdopen(file, "w"));
        pcap::Write(Path(), frames);
    }

    ~TemporaryCapture()
    {
        std::remove(m_name.data());
    }

    TemporaryCapture(const TemporaryCapture&) = delete;
    TemporaryCapture& operator=(const TemporaryCapture&) = delete;

    /// @return path of the file
    std::string Path() const
    {
        return m_name.data();
    }

  private:
    std::vector<char> m_name; ///< with the zero at its end: mkstemp writes into it
};

} // namespace tshark

#endif // TSHARK_H
