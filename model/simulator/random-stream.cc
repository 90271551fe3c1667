// SPDX-License-Identifier: GPL-2.0-only
#include "random-stream.h"

#include "ns3/rng-seed-manager.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

namespace
{

/// A step of a recursion, or many at once.
using Matrix = std::array<std::array<int64_t, 3>, 3>;

/// @param a below 2^32 @param b likewise @param modulus below 2^32 @return the product
int64_t
MultiplyModulo(int64_t a, int64_t b, int64_t modulus)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) %
                                static_cast<uint64_t>(modulus));
}

/// @param matrix a step @param modulus of the recursion @return twice the step
Matrix
Square(const Matrix& matrix, int64_t modulus)
{
    Matrix square{};
    for (std::size_t row = 0; row < 3; ++row)
    {
        for (std::size_t column = 0; column < 3; ++column)
        {
            int64_t sum = 0;
            for (std::size_t k = 0; k < 3; ++k)
            {
                sum += MultiplyModulo(matrix[row][k], matrix[k][column], modulus);
            }
            square[row][column] = sum % modulus;
        }
    }
    return square;
}

/// @param matrix a step @param state moves by it @param modulus of the recursion
void
Apply(const Matrix& matrix, std::array<int64_t, 3>& state, int64_t modulus)
{
    std::array<int64_t, 3> moved{};
    for (std::size_t row = 0; row < 3; ++row)
    {
        for (std::size_t k = 0; k < 3; ++k)
        {
            moved[row] = (moved[row] + MultiplyModulo(matrix[row][k], state[k], modulus)) % modulus;
        }
    }
    state = moved;
}

/// @param step of a recursion @param modulus of it @return by index k, 2^k steps
std::vector<Matrix>
MakePowers(const Matrix& step, int64_t modulus)
{
    constexpr std::size_t POWERS = 64 + 127; // the last of 2^64 streams
    std::vector<Matrix> powers{step};
    while (powers.size() < POWERS)
    {
        powers.push_back(Square(powers.back(), modulus));
    }
    return powers;
}

} // namespace

RandomStream::RandomStream()
    : m_stream(RngSeedManager::GetNextStreamIndex())
{
}

void
RandomStream::Assign(int64_t stream)
{
    constexpr uint64_t FIRST_CHOSEN = uint64_t{1} << 63; // the automatic ones are below
    m_stream = stream < 0 ? RngSeedManager::GetNextStreamIndex()
                          : FIRST_CHOSEN + static_cast<uint64_t>(stream);
    m_started = false;
}

void
RandomStream::Start()
{
    m_first.fill(RngSeedManager::GetSeed());
    m_second.fill(RngSeedManager::GetSeed());
    Advance(m_stream, 127);
    Advance(RngSeedManager::GetRun(), 76);
    m_started = true;
}

/// Moves by many times 2^power numbers. @param times how many @param power of 2
void
RandomStream::Advance(uint64_t times, uint32_t power)
{
    static const auto first = MakePowers({{{0, 1, 0}, {0, 0, 1}, {M1 - 810728, 1403580, 0}}}, M1);
    static const auto second = MakePowers({{{0, 1, 0}, {0, 0, 1}, {M2 - 1370589, 0, 527612}}}, M2);
    for (uint32_t bit = 0; bit < 64; ++bit)
    {
        if (times >> bit & 1)
        {
            Apply(first[power + bit], m_first, M1);
            Apply(second[power + bit], m_second, M2);
        }
    }
}

} // namespace ns3
