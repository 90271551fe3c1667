// SPDX-License-Identifier: GPL-2.0-only
#ifndef RANDOM_STREAM_H
#define RANDOM_STREAM_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief The numbers of an ns3::RngStream, for those who may draw none, or soon and often.
 *
 * Seed, run and stream number mean what they mean for ns-3's random variables, and the numbers are
 * the same, bit for bit. But the first ns3::RngStream of a process multiplies a million times to
 * make a table of powers; here each power is the square of the one before. And nothing is done
 * before the first number is drawn.
 *
 * The generator is MRG32k3a: L'Ecuyer, "Good Parameters and Implementations for Combined Multiple
 * Recursive Random Number Generators" (Operations Research 47(1), 1999). Streams are 2^127 numbers
 * apart, runs 2^76: L'Ecuyer, Simard, Chen and Kelton, "An Object-Oriented Random-Number Package
 * with Many Long Streams and Substreams" (Operations Research 50(6), 2002).
 */
class RandomStream
{
  public:
    /// Takes the next one of ns-3's automatic streams.
    RandomStream();

    /// @param stream number of the stream, as of RandomVariableStream::SetStream(); -1: the next
    /// automatic one
    void Assign(int64_t stream);

    /// @return the next number, above 0 and below 1
    double Draw()
    {
        if (!m_started)
        {
            Start();
        }
        constexpr double NORM = 2.328306549295727688e-10; // 1 / (M1 + 1)
        const int64_t first = Step(1403580 * m_first[1] - 810728 * m_first[0], M1, m_first);
        const int64_t second = Step(527612 * m_second[2] - 1370589 * m_second[0], M2, m_second);
        const int64_t difference = first > second ? first - second : first - second + M1;
        return static_cast<double>(difference) * NORM;
    }

  private:
    /// The last three numbers of a recursion, the oldest first.
    using State = std::array<int64_t, 3>;

    static constexpr int64_t M1 = 4294967087;
    static constexpr int64_t M2 = 4294944443;

    /// @param sum of the recursion @param modulus of it @param state moves on @return its new
    /// number
    static int64_t Step(int64_t sum, int64_t modulus, State& state)
    {
        int64_t next = sum % modulus;
        next += next < 0 ? modulus : 0;
        state = {state[1], state[2], next};
        return next;
    }

    void Start();
    void Advance(uint64_t times, uint32_t power);

    uint64_t m_stream;
    bool m_started{false};
    State m_first{};
    State m_second{};
};

} // namespace ns3

#endif // RANDOM_STREAM_H
