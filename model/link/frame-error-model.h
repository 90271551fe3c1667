// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_ERROR_MODEL_H
#define FRAME_ERROR_MODEL_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How probable it is that random bit errors lose a frame.
 *
 * Bits are wrong independently of each other with probability p. Without FEC a frame of L bits is
 * lost with 1 - (1 - p)^L. With FEC a symbol is wrong with s = 1 - (1 - p)^10 and a codeword of n
 * symbols cannot be corrected with q = P[Binomial(n, s) > t]; a frame is lost if that befalls any
 * codeword that carries a part of it. A codeword carries 5120 bits of frames (its 5140 message bits
 * are 20 blocks of 257 for 256), and a frame begins anywhere in it with the same probability.
 */
class FrameErrorModel
{
  public:
    /// Forward error correction of a link (IEEE 802.3 clauses 91 and 119; symbols of 10 bits).
    enum Fec
    {
        FEC_NONE, ///< none: the first wrong bit loses the frame
        FEC_KR4,  ///< RS(528,514), corrects 7 symbols: NRZ lanes of 25 Gb/s
        FEC_KP4,  ///< RS(544,514), corrects 15 symbols: PAM4 lanes of 50 and 100 Gb/s
    };

    /// @param bitErrorRate before any correction, 0 to 1 @param fec what corrects it
    void Configure(double bitErrorRate, Fec fec);

    /// @param frameBytes destination address to FCS, at least 1 @return probability, 0 to 1
    double LossProbability(uint32_t frameBytes) const;

    /// @return probability that a codeword cannot be corrected; without FEC, that a bit is wrong
    double GetUnitErrorRate() const
    {
        return m_unitErrorRate;
    }

  private:
    double m_unitErrorRate{0};
    double m_logUnitGood{0}; ///< log(1 - m_unitErrorRate)
    Fec m_fec{FEC_NONE};
};

} // namespace ns3

#endif // FRAME_ERROR_MODEL_H
