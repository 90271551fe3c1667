// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONTENT_HASH_H
#define CONTENT_HASH_H

#include <string>

namespace ns3
{

/// @param text any bytes @return their SHA-1, 40 hexadecimal digits
std::string Sha1OfText(const std::string& text);

/// @param path of a file @return the SHA-1 of its bytes; of none where it cannot be read
std::string Sha1OfFile(const std::string& path);

} // namespace ns3

#endif // CONTENT_HASH_H
