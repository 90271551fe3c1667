// SPDX-License-Identifier: GPL-2.0-only
#ifndef TEST_PCAP_FILE_H
#define TEST_PCAP_FILE_H

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/**
 * @file
 * @brief The least that tests need of pcap files (libpcap's savefile format 2.4, Ethernet).
 *
 * On purpose not ns-3's PcapFile: what is checked should not be read by what is checked.
 */

namespace pcap
{

/// One captured frame.
using Bytes = std::vector<uint8_t>;

constexpr size_t FILE_HEADER_BYTES = 24;
constexpr size_t RECORD_HEADER_BYTES = 16;
constexpr uint32_t MAGIC_MICROSECONDS = 0xa1b2c3d4;
constexpr uint32_t MAGIC_NANOSECONDS = 0xa1b23c4d;
constexpr uint32_t LINK_ETHERNET = 1;

/// @param file contents @param at offset @param bigEndian byte order @return four bytes as a number
inline uint32_t
WordAt(const Bytes& file, size_t at, bool bigEndian)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i)
    {
        word = (word << 8) | file.at(bigEndian ? at + i : at + 3 - i);
    }
    return word;
}

/// @param magic first word of a file @return whether it is pcap's
inline bool
IsMagic(uint32_t magic)
{
    return magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS;
}

/**
 * @param path of a pcap file
 * @return its frames, in order
 * @throws std::runtime_error if it is not an Ethernet capture or a record is cut
 */
inline std::vector<Bytes>
Read(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (file.size() < FILE_HEADER_BYTES)
    {
        throw std::runtime_error(path + ": not a pcap file");
    }
    bool bigEndian = IsMagic(WordAt(file, 0, true));
    if (!IsMagic(WordAt(file, 0, bigEndian)) || WordAt(file, 20, bigEndian) != LINK_ETHERNET)
    {
        throw std::runtime_error(path + ": not a pcap file of Ethernet frames");
    }
    std::vector<Bytes> frames;
    for (size_t at = FILE_HEADER_BYTES; at < file.size();)
    {
        size_t bytes = WordAt(file, at + 8, bigEndian);
        at += RECORD_HEADER_BYTES;
        if (at + bytes > file.size())
        {
            throw std::runtime_error(path + ": the last record is cut");
        }
        frames.emplace_back(file.begin() + at, file.begin() + at + bytes);
        at += bytes;
    }
    return frames;
}

/// Appends a little-endian word. @param out where @param word what
inline void
PutWord(std::ofstream& out, uint32_t word)
{
    for (int shift = 0; shift < 32; shift += 8)
    {
        out.put(static_cast<char>(word >> shift));
    }
}

/// @param path of the file to write @param frames its records, a microsecond apart
inline void
Write(const std::string& path, const std::vector<Bytes>& frames)
{
    constexpr uint32_t VERSION_2_4 = 2 | (4 << 16);
    constexpr uint32_t SNAP_LENGTH = 65535;
    std::ofstream out(path, std::ios::binary);
    for (uint32_t word : {MAGIC_MICROSECONDS, VERSION_2_4, 0u, 0u, SNAP_LENGTH, LINK_ETHERNET})
    {
        PutWord(out, word);
    }
    uint32_t microseconds = 0;
    for (const Bytes& frame : frames)
    {
        uint32_t bytes = static_cast<uint32_t>(frame.size());
        for (uint32_t word : {0u, microseconds++, bytes, bytes})
        {
            PutWord(out, word);
        }
        out.write(reinterpret_cast<const char*>(frame.data()), frame.size());
    }
}

} // namespace pcap

#endif // TEST_PCAP_FILE_H
