// SPDX-License-Identifier: GPL-2.0-only
#include "class-values.h"

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace ns3
{

namespace
{

bool
ParseNumber(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
}

} // namespace

ClassValues
ClassValues::Parse(const std::string& text, std::string& error)
{
    ClassValues values;
    error.clear();
    std::istringstream list(text);
    std::string entry;
    while (std::getline(list, entry, ','))
    {
        size_t colon = entry.find(':');
        double number = 0;
        double value = 0;
        bool good = colon != std::string::npos && ParseNumber(entry.substr(0, colon), number) &&
                    number == std::floor(number) && number < N_TRAFFIC_CLASSES &&
                    ParseNumber(entry.substr(colon + 1), value);
        auto trafficClass = static_cast<uint32_t>(number);
        if (!good || values.Has(trafficClass))
        {
            error = "\"" + entry + "\" in \"" + text +
                    "\": entries are CLASS:VALUE, separated by commas, each class from 0 to 7 at "
                    "most once, each value 0 or more";
            return ClassValues();
        }
        values.m_classes |= 1U << trafficClass;
        values.m_values[trafficClass] = value;
    }
    return values;
}

} // namespace ns3
