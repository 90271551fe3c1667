// SPDX-License-Identifier: GPL-2.0-only
#ifndef SETTING_TEXT_H
#define SETTING_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Cuts a text at each separator.
 * @param text the text; empty has no parts
 * @param separator between the parts
 * @return the parts, empty ones too
 */
std::vector<std::string> SplitText(const std::string& text, char separator);

/**
 * @brief Reads a whole number that is all of a text: digits only.
 * @param text the text
 * @param most the largest that is allowed
 * @param number receives it
 * @return false: it is none, or above @p most
 */
bool ParseWhole(const std::string& text, uint64_t most, uint64_t& number);

} // namespace ns3

#endif // SETTING_TEXT_H
