// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-precision.h"

#include <sstream>

namespace ns3
{

namespace
{

/// A precision's name and size.
struct PrecisionFacts
{
    const char* name;
    uint32_t bits; ///< in memory; TF32 is stored as FP32
};

constexpr std::array<PrecisionFacts, GPU_PRECISIONS> PRECISIONS{{{"fp64", 64},
                                                                 {"fp32", 32},
                                                                 {"tf32", 32},
                                                                 {"bf16", 16},
                                                                 {"fp16", 16},
                                                                 {"fp8", 8},
                                                                 {"fp4", 4},
                                                                 {"int8", 8}}};

} // namespace

std::string
ToString(GpuPrecision precision)
{
    return PRECISIONS[static_cast<size_t>(precision)].name;
}

bool
FindGpuPrecision(const std::string& name, GpuPrecision& precision)
{
    for (size_t p = 0; p < GPU_PRECISIONS; ++p)
    {
        if (name == PRECISIONS[p].name)
        {
            precision = static_cast<GpuPrecision>(p);
            return true;
        }
    }
    return false;
}

uint32_t
GetBits(GpuPrecision precision)
{
    return PRECISIONS[static_cast<size_t>(precision)].bits;
}

std::string
ToString(const PrecisionRates& rates)
{
    std::ostringstream text;
    text.precision(17);
    for (size_t p = 0; p < GPU_PRECISIONS; ++p)
    {
        if (rates[p] > 0)
        {
            text << (text.tellp() > 0 ? " " : "") << PRECISIONS[p].name << "=" << rates[p];
        }
    }
    return text.str();
}

std::string
ParsePrecisionRates(const std::string& text, PrecisionRates& rates)
{
    rates.fill(0);
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        size_t equals = word.find('=');
        GpuPrecision precision;
        if (equals == std::string::npos || !FindGpuPrecision(word.substr(0, equals), precision))
        {
            return "\"" + word +
                   "\" is not PRECISION=RATE with a precision of fp64, fp32, tf32, "
                   "bf16, fp16, fp8, fp4, int8";
        }
        std::istringstream number(word.substr(equals + 1));
        double rate = 0;
        if (!(number >> rate) || !number.eof() || !(rate > 0))
        {
            return "\"" + word + "\" has no rate above 0 (operations a second)";
        }
        rates[static_cast<size_t>(precision)] = rate;
    }
    return "";
}

} // namespace ns3
