// SPDX-License-Identifier: GPL-2.0-only
#include "frame-error-model.h"

#include <cmath>

namespace ns3
{

namespace
{

constexpr double SYMBOL_BITS = 10;
constexpr uint64_t CODEWORD_BITS = 5120; ///< of frames, in one codeword

/**
 * @param n trials, more than t
 * @param t tolerated
 * @param p of each, 0 to 1
 * @return P[Binomial(n, p) > t]
 */
double
BinomialTail(uint32_t n, uint32_t t, double p)
{
    if (p <= 0 || p >= 1)
    {
        return p <= 0 ? 0 : 1;
    }
    // The first term by logarithms, each further one from its ratio to the one before. All are
    // positive, so that nothing cancels.
    double logTerm = (t + 1) * std::log(p) + (n - t - 1) * std::log1p(-p);
    for (uint32_t k = 1; k <= t + 1; ++k)
    {
        logTerm += std::log(static_cast<double>(n - t - 1 + k) / k);
    }
    double odds = p / (1 - p);
    double term = std::exp(logTerm);
    double sum = 0;
    for (uint32_t k = t + 1; k <= n; ++k)
    {
        sum += term;
        term *= odds * (n - k) / (k + 1);
    }
    return std::fmin(sum, 1);
}

} // namespace

void
FrameErrorModel::Configure(double bitErrorRate, Fec fec)
{
    m_fec = fec;
    m_unitErrorRate = bitErrorRate;
    if (fec != FEC_NONE)
    {
        double symbolErrorRate = -std::expm1(SYMBOL_BITS * std::log1p(-bitErrorRate));
        m_unitErrorRate = fec == FEC_KR4 ? BinomialTail(528, 7, symbolErrorRate)
                                         : BinomialTail(544, 15, symbolErrorRate);
    }
    m_logUnitGood = std::log1p(-m_unitErrorRate);
}

double
FrameErrorModel::LossProbability(uint32_t frameBytes) const
{
    uint64_t bits = uint64_t{frameBytes} * 8;
    auto lost = [this](uint64_t units) {
        return -std::expm1(static_cast<double>(units) * m_logUnitGood);
    };
    if (m_fec == FEC_NONE)
    {
        return lost(bits);
    }
    // From CODEWORD_BITS places where it may begin, `beyond` make it reach into one more codeword.
    uint64_t least = (bits - 1) / CODEWORD_BITS + 1;
    uint64_t beyond = (bits - 1) % CODEWORD_BITS;
    double share = static_cast<double>(beyond) / CODEWORD_BITS;
    return (1 - share) * lost(least) + share * lost(least + 1);
}

} // namespace ns3
