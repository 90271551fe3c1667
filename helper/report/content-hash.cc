// SPDX-License-Identifier: GPL-2.0-only
#include "content-hash.h"

#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace ns3
{

std::string
Sha1OfText(const std::string& text)
{
    boost::uuids::detail::sha1 hash;
    hash.process_bytes(text.data(), text.size());
    boost::uuids::detail::sha1::digest_type digest;
    hash.get_digest(digest);
    std::string digits;
    for (unsigned int word : digest)
    {
        std::array<char, 9> hex;
        std::snprintf(hex.data(), hex.size(), "%08x", word);
        digits += hex.data();
    }
    return digits;
}

std::string
Sha1OfFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return Sha1OfText({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

} // namespace ns3
