// SPDX-License-Identifier: GPL-2.0-only
#ifndef SYMBOLIC_MEMORY_H
#define SYMBOLIC_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/// The byte at an offset of the inputs of consecutive ranks.
struct ContributionRun
{
    uint64_t offset; ///< in each input, bytes
    uint32_t first;  ///< rank
    uint32_t last;   ///< rank, included
    uint32_t times;  ///< how often it is in the sum
};

/// A formal sum of input bytes: runs in order of offset, then rank, none overlapping another.
using ContributionSum = std::vector<ContributionRun>;

/// Neighbouring bytes with one formula: byte i is the sum with i + shift added to all offsets.
struct SymbolicPiece
{
    uint64_t length; ///< bytes
    uint64_t shift;  ///< modulo 2^64
    std::shared_ptr<const ContributionSum> sum;
};

/// The bytes of a message or a range of memory.
using SymbolicValue = std::vector<SymbolicPiece>;

/**
 * @param a a piece
 * @param b a piece
 * @return whether their first bytes are the same sum
 */
bool HasSameFormula(const SymbolicPiece& a, const SymbolicPiece& b);

/**
 * @param first the input's first byte
 * @param bytes how many
 * @param ranks sorted, each once
 * @return that range of these ranks' inputs, added up
 */
SymbolicValue MakeContribution(uint64_t first, uint64_t bytes, const std::vector<uint32_t>& ranks);

/// @param a a value @param b a value of the same length @return their sum, byte by byte
SymbolicValue AddValues(const SymbolicValue& a, const SymbolicValue& b);

/**
 * @brief A memory whose bytes are formal sums; it begins undefined.
 */
class SymbolicMemory
{
  public:
    /// @param offset where @param value what
    void Write(uint64_t offset, const SymbolicValue& value);

    /**
     * @param offset where
     * @param bytes how many
     * @param value receives what is there, up to the first undefined byte
     * @return length of the value: less than @p bytes if a byte is undefined
     */
    uint64_t Read(uint64_t offset, uint64_t bytes, SymbolicValue& value) const;

  private:
    using Pieces = std::map<uint64_t, SymbolicPiece>;

    Pieces::iterator Cut(uint64_t offset);
    Pieces::iterator Join(Pieces::iterator piece);

    Pieces m_pieces; ///< by their first byte
};

} // namespace ns3

#endif // SYMBOLIC_MEMORY_H
