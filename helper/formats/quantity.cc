// SPDX-License-Identifier: GPL-2.0-only
#include "quantity.h"

#include "ns3/abort.h"
#include "ns3/uint128.h"

#include <cctype>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

/// 25 digits times the largest unit fit.
constexpr Uint128 MOST_DIGITS = static_cast<Uint128>(1'000'000'000'000) * 10'000'000'000'000;
constexpr int MOST_EXPONENT = 1000;

/// digits x 10^exponent, and what follows the number.
struct Decimal
{
    bool valid{false};
    bool negative{false};
    bool tooLong{false}; ///< more digits before the point than any quantity has
    bool cut{false};     ///< digits after the point were left out
    Uint128 digits{0};
    int exponent{0};
    std::string unit;
};

bool
IsDigit(const std::string& text, size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

void
AddDigit(Decimal& decimal, char c, bool fraction)
{
    if (decimal.digits >= MOST_DIGITS)
    {
        decimal.tooLong |= !fraction;
        decimal.cut |= c != '0';
        return;
    }
    decimal.digits = decimal.digits * 10 + static_cast<unsigned>(c - '0');
    decimal.exponent -= fraction ? 1 : 0;
}

void
ReadExponent(Decimal& decimal, const std::string& text, size_t& at)
{
    if (at >= text.size() || (text[at] != 'e' && text[at] != 'E'))
    {
        return;
    }
    size_t next = at + 1;
    bool down = next < text.size() && text[next] == '-';
    next += down || (next < text.size() && text[next] == '+') ? 1 : 0;
    if (!IsDigit(text, next))
    {
        return;
    }
    int exponent = 0;
    for (; IsDigit(text, next); next++)
    {
        exponent = std::min(exponent * 10 + (text[next] - '0'), MOST_EXPONENT);
    }
    decimal.exponent += down ? -exponent : exponent;
    at = next;
}

Decimal
ReadDecimal(const std::string& text)
{
    Decimal decimal;
    size_t at = 0;
    if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    {
        decimal.negative = text[0] == '-';
        at = 1;
    }
    for (; IsDigit(text, at); at++)
    {
        decimal.valid = true;
        AddDigit(decimal, text[at], false);
    }
    if (at < text.size() && text[at] == '.')
    {
        for (at++; IsDigit(text, at); at++)
        {
            decimal.valid = true;
            AddDigit(decimal, text[at], true);
        }
    }
    ReadExponent(decimal, text, at);
    while (at < text.size() && text[at] == ' ')
    {
        at++;
    }
    decimal.unit = text.substr(at);
    return decimal;
}

/// A decimal as a count of some unit.
struct Scaled
{
    uint64_t count{0}; ///< the whole part
    bool tooLarge{false};
    bool tooFine{false};
};

Scaled
Scale(const Decimal& decimal, uint64_t unit, uint64_t most)
{
    Scaled result;
    Uint128 value = decimal.digits * unit;
    result.tooFine = decimal.cut;
    for (int e = decimal.exponent; e < 0 && value > 0; e++)
    {
        result.tooFine |= value % 10 != 0;
        value /= 10;
    }
    for (int e = 0; e < decimal.exponent && value > 0 && value <= most; e++)
    {
        value *= 10;
    }
    result.tooLarge = decimal.tooLong || value > most;
    result.count = result.tooLarge ? most : static_cast<uint64_t>(value);
    return result;
}

struct Unit
{
    const char* name;
    uint64_t size;
};

constexpr uint64_t K = 1000;
constexpr uint64_t KI = 1024;

// The first of each list is the plain number's unit.
constexpr Unit RATE_UNITS[] = {
    {"", 1},
    {"bps", 1},
    {"Kbps", K},
    {"kbps", K},
    {"Mbps", K* K},
    {"Gbps", K* K* K},
    {"Tbps", K* K* K* K},
    {"b/s", 1},
    {"Kb/s", K},
    {"kb/s", K},
    {"Mb/s", K* K},
    {"Gb/s", K* K* K},
    {"Tb/s", K* K* K* K},
};

constexpr Unit TIME_UNITS[] = {
    {"", PS_PER_S},
    {"ps", 1},
    {"ns", K},
    {"us", K* K},
    {"ms", K* K* K},
    {"s", PS_PER_S},
};

constexpr Unit BYTE_UNITS[] = {
    {"", 1},
    {"B", 1},
    {"KB", K},
    {"kB", K},
    {"MB", K* K},
    {"GB", K* K* K},
    {"TB", K* K* K* K},
    {"KiB", KI},
    {"MiB", KI* KI},
    {"GiB", KI* KI* KI},
    {"TiB", KI* KI* KI* KI},
};

/// What a kind of quantity is called, and may be.
struct Kind
{
    const char* what;    ///< "... is not a data rate"
    const char* units;   ///< "expected a number with unit ..."
    const char* counted; ///< the smallest step
    uint64_t most;       ///< in that step
    const char* mostText;
};

constexpr Kind RATE{"a data rate",
                    "a number with unit bps, Kbps, Mbps, Gbps or Tbps, like \"400Gbps\"",
                    "a bit a second",
                    std::numeric_limits<int64_t>::max(),
                    "9223372Tbps"};
constexpr Kind TIME{"a time",
                    "a number with unit ps, ns, us, ms or s, like \"1.5us\"",
                    "a picosecond",
                    MOST_PS,
                    "1000000s"};
constexpr Kind BYTES{"a number of bytes",
                     "a number with unit B, KB, MB, GB, TB, KiB, MiB, GiB or TiB, like \"64MiB\"",
                     "a byte",
                     std::numeric_limits<int64_t>::max(),
                     "8388607TiB"};

std::string
Quoted(const std::string& text)
{
    return "\"" + text + "\"";
}

template <size_t N>
uint64_t
Parse(const std::string& text, const InputPlace& place, const Kind& kind, const Unit (&units)[N])
{
    Decimal decimal = ReadDecimal(text);
    const Unit* unit = nullptr;
    for (const Unit& candidate : units)
    {
        unit = decimal.unit == candidate.name ? &candidate : unit;
    }
    if (!decimal.valid || !unit)
    {
        throw InputError(place, Quoted(text) + " is not " + kind.what, kind.units);
    }
    if (decimal.negative && decimal.digits > 0)
    {
        throw InputError(place,
                         Quoted(text) + " is negative",
                         std::string("0 to ") + kind.mostText);
    }
    Scaled scaled = Scale(decimal, unit->size, kind.most);
    if (scaled.tooLarge)
    {
        throw InputError(place,
                         Quoted(text) + " is too large",
                         std::string("at most ") + kind.mostText);
    }
    if (scaled.tooFine)
    {
        throw InputError(place,
                         Quoted(text) + " is finer than " + kind.counted,
                         std::string("a whole multiple of ") + kind.counted);
    }
    return scaled.count;
}

std::string
Format(uint64_t count, const std::vector<Unit>& largestFirst)
{
    for (const Unit& unit : largestFirst)
    {
        if (count % unit.size == 0)
        {
            return std::to_string(count / unit.size) + unit.name;
        }
    }
    return std::to_string(count);
}

std::string
Shortest(double value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

} // namespace

DataRate
ParseDataRate(const std::string& text, const InputPlace& place)
{
    uint64_t rate = Parse(text, place, RATE, RATE_UNITS);
    if (rate == 0)
    {
        throw InputError(place, Quoted(text) + " is no rate to send at", "at least 1bps");
    }
    return DataRate(rate);
}

DataRate
ParseLinkRate(const std::string& text, const InputPlace& place)
{
    DataRate rate = ParseDataRate(text, place);
    if (rate.GetBitRate() > MOST_LINK_BPS)
    {
        throw InputError(place,
                         Quoted(text) + " is too fast for a link",
                         "at most " + FormatDataRate(DataRate(MOST_LINK_BPS)));
    }
    return rate;
}

Time
ParseTime(const std::string& text, const InputPlace& place)
{
    NS_ABORT_MSG_IF(Time::GetResolution() < Time::PS,
                    "call Time::SetResolution(Time::PS) before reading times");
    return PicoSeconds(Parse(text, place, TIME, TIME_UNITS));
}

uint64_t
ParseBytes(const std::string& text, const InputPlace& place)
{
    return Parse(text, place, BYTES, BYTE_UNITS);
}

std::vector<uint64_t>
ParseSizes(const std::string& text, const InputPlace& place)
{
    size_t first = text.find(':');
    size_t second = first == std::string::npos ? first : text.find(':', first + 1);
    bool range = second != std::string::npos;
    if (first != std::string::npos && (!range || text.find(':', second + 1) != std::string::npos))
    {
        throw InputError(place,
                         Quoted(text) + " is not a range of sizes",
                         "START:END:FACTOR, like \"1MiB:1GiB:2\"");
    }
    uint64_t start = ParseBytes(text.substr(0, first), place);
    if (start == 0)
    {
        throw InputError(place, Quoted(text) + " has a size of 0", "sizes of at least 1 byte");
    }
    if (!range)
    {
        return {start};
    }
    uint64_t end = ParseBytes(text.substr(first + 1, second - first - 1), place);
    uint64_t factor = ParseUnsigned(text.substr(second + 1), place, 2, 1 << 20);
    if (end < start)
    {
        throw InputError(place,
                         Quoted(text) + " ends below its start",
                         "START:END:FACTOR with START at most END");
    }
    std::vector<uint64_t> sizes{start};
    while (sizes.back() <= end / factor)
    {
        sizes.push_back(sizes.back() * factor);
    }
    return sizes;
}

uint64_t
ParseUnsigned(const std::string& text, const InputPlace& place, uint64_t min, uint64_t max)
{
    Decimal decimal = ReadDecimal(text);
    std::string allowed = "a whole number, " + std::to_string(min) +
                          (max == UINT64_MAX ? " or more" : " to " + std::to_string(max));
    if (!decimal.valid || !decimal.unit.empty())
    {
        throw InputError(place, Quoted(text) + " is not a whole number", allowed);
    }
    Scaled scaled = Scale(decimal, 1, UINT64_MAX);
    if (scaled.tooFine)
    {
        throw InputError(place, text + " is not a whole number", allowed);
    }
    bool negative = decimal.negative && scaled.count > 0;
    if (negative || scaled.tooLarge || scaled.count < min || scaled.count > max)
    {
        throw InputError(place, text + " is out of range", allowed);
    }
    return scaled.count;
}

double
ParseDouble(const std::string& text, const InputPlace& place, double min, double max)
{
    Decimal decimal = ReadDecimal(text);
    std::string allowed = "a number, " + Shortest(min) + " to " + Shortest(max);
    if (!decimal.valid || !decimal.unit.empty())
    {
        throw InputError(place, Quoted(text) + " is not a number", allowed);
    }
    double value = std::strtod(text.c_str(), nullptr);
    if (!(value >= min && value <= max))
    {
        throw InputError(place, text + " is out of range", allowed);
    }
    return value;
}

int64_t
ParseCountPs(const std::string& text, const InputPlace& place, uint64_t unitPs)
{
    Decimal decimal = ReadDecimal(text);
    if (!decimal.valid || !decimal.unit.empty() || (decimal.negative && decimal.digits > 0))
    {
        throw InputError(place, Quoted(text) + " is not a time", "a number, 0 or more");
    }
    return static_cast<int64_t>(Scale(decimal, unitPs, std::numeric_limits<int64_t>::max()).count);
}

std::string
FormatDataRate(DataRate rate)
{
    return Format(
        rate.GetBitRate(),
        {{"Tbps", K * K * K * K}, {"Gbps", K * K * K}, {"Mbps", K * K}, {"Kbps", K}, {"bps", 1}});
}

std::string
FormatTime(Time time)
{
    return Format(static_cast<uint64_t>(time.GetPicoSeconds()),
                  {{"s", PS_PER_S}, {"ms", K * K * K}, {"us", K * K}, {"ns", K}, {"ps", 1}});
}

std::string
FormatBytes(uint64_t bytes)
{
    return Format(bytes,
                  {{"TiB", KI * KI * KI * KI},
                   {"GiB", KI * KI * KI},
                   {"MiB", KI * KI},
                   {"KiB", KI},
                   {"B", 1}});
}

} // namespace ns3
