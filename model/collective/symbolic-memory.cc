// SPDX-License-Identifier: GPL-2.0-only
#include "symbolic-memory.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Appends a run, as part of the one before where it continues it.
void
AppendRun(ContributionSum& sum, const ContributionRun& run)
{
    if (!sum.empty())
    {
        ContributionRun& last = sum.back();
        if (last.offset == run.offset && last.times == run.times && last.last + 1 == run.first)
        {
            last.last = run.last;
            return;
        }
    }
    sum.push_back(run);
}

/// The runs of a sum at a shift, one after the other, in parts.
class RunReader
{
  public:
    RunReader(const ContributionSum& sum, uint64_t shift)
        : m_next(sum.begin()),
          m_end(sum.end()),
          m_shift(shift)
    {
        Advance();
    }

    bool IsDone() const
    {
        return m_done;
    }

    /// @return what is left of the current run
    const ContributionRun& Get() const
    {
        return m_run;
    }

    /// @param last a rank of the current run @return its ranks up to that one, which are left
    /// behind
    ContributionRun Take(uint32_t last)
    {
        ContributionRun taken = m_run;
        taken.last = last;
        if (last == m_run.last)
        {
            Advance();
        }
        else
        {
            m_run.first = last + 1;
        }
        return taken;
    }

  private:
    void Advance()
    {
        m_done = m_next == m_end;
        if (!m_done)
        {
            m_run = *m_next++;
            m_run.offset += m_shift;
        }
    }

    ContributionSum::const_iterator m_next;
    ContributionSum::const_iterator m_end;
    uint64_t m_shift;
    ContributionRun m_run{};
    bool m_done{false};
};

bool
IsBefore(const ContributionRun& a, const ContributionRun& b)
{
    return a.offset != b.offset ? a.offset < b.offset : a.first < b.first;
}

/// The sum of two sums, at the first byte of both pieces.
std::shared_ptr<const ContributionSum>
AddSums(const SymbolicPiece& a, const SymbolicPiece& b)
{
    auto sum = std::make_shared<ContributionSum>();
    RunReader left(*a.sum, a.shift);
    RunReader right(*b.sum, b.shift);
    while (!left.IsDone() || !right.IsDone())
    {
        bool fromLeft = right.IsDone() || (!left.IsDone() && IsBefore(left.Get(), right.Get()));
        RunReader& lower = fromLeft ? left : right;
        RunReader& upper = fromLeft ? right : left;
        uint32_t last = lower.Get().last;
        if (upper.IsDone() || upper.Get().offset != lower.Get().offset || upper.Get().first > last)
        {
            AppendRun(*sum, lower.Take(last));
        }
        else if (lower.Get().first < upper.Get().first)
        {
            AppendRun(*sum, lower.Take(upper.Get().first - 1));
        }
        else
        {
            last = std::min(last, upper.Get().last);
            ContributionRun both = lower.Take(last);
            both.times += upper.Take(last).times;
            AppendRun(*sum, both);
        }
    }
    return sum;
}

/// Whether @p b is the continuation of @p a in memory and in all inputs.
bool
Continues(const SymbolicPiece& a, const SymbolicPiece& b)
{
    return HasSameFormula({a.length, a.shift + a.length, a.sum}, b);
}

void
AppendPiece(SymbolicValue& value, const SymbolicPiece& piece)
{
    if (!value.empty() && Continues(value.back(), piece))
    {
        value.back().length += piece.length;
    }
    else
    {
        value.push_back(piece);
    }
}

} // namespace

bool
HasSameFormula(const SymbolicPiece& a, const SymbolicPiece& b)
{
    if (a.sum == b.sum)
    {
        return a.shift == b.shift;
    }
    uint64_t shift = a.shift - b.shift;
    return std::equal(a.sum->begin(),
                      a.sum->end(),
                      b.sum->begin(),
                      b.sum->end(),
                      [shift](const ContributionRun& x, const ContributionRun& y) {
                          return x.offset + shift == y.offset && x.first == y.first &&
                                 x.last == y.last && x.times == y.times;
                      });
}

SymbolicValue
MakeContribution(uint64_t first, uint64_t bytes, const std::vector<uint32_t>& ranks)
{
    if (bytes == 0)
    {
        return {};
    }
    auto sum = std::make_shared<ContributionSum>();
    for (uint32_t rank : ranks)
    {
        AppendRun(*sum, {first, rank, rank, 1});
    }
    return {{bytes, 0, std::move(sum)}};
}

SymbolicValue
AddValues(const SymbolicValue& a, const SymbolicValue& b)
{
    SymbolicValue sum;
    auto left = a.begin();
    auto right = b.begin();
    uint64_t leftDone = 0;
    uint64_t rightDone = 0;
    while (left != a.end() && right != b.end())
    {
        SymbolicPiece x{left->length - leftDone, left->shift + leftDone, left->sum};
        SymbolicPiece y{right->length - rightDone, right->shift + rightDone, right->sum};
        uint64_t length = std::min(x.length, y.length);
        AppendPiece(sum, {length, 0, AddSums(x, y)});
        leftDone += length;
        rightDone += length;
        if (leftDone == left->length)
        {
            ++left;
            leftDone = 0;
        }
        if (rightDone == right->length)
        {
            ++right;
            rightDone = 0;
        }
    }
    return sum;
}

SymbolicMemory::Pieces::iterator
SymbolicMemory::Cut(uint64_t offset)
{
    auto after = m_pieces.lower_bound(offset);
    if (after == m_pieces.begin() || (after != m_pieces.end() && after->first == offset))
    {
        return after;
    }
    auto [begin, piece] = *std::prev(after);
    uint64_t length = offset - begin;
    if (length >= piece.length)
    {
        return after;
    }
    std::prev(after)->second.length = length;
    return m_pieces.insert(after,
                           {offset, {piece.length - length, piece.shift + length, piece.sum}});
}

SymbolicMemory::Pieces::iterator
SymbolicMemory::Join(Pieces::iterator piece)
{
    if (piece == m_pieces.begin() || piece == m_pieces.end())
    {
        return piece;
    }
    auto before = std::prev(piece);
    if (before->first + before->second.length != piece->first ||
        !Continues(before->second, piece->second))
    {
        return piece;
    }
    before->second.length += piece->second.length;
    m_pieces.erase(piece);
    return before;
}

void
SymbolicMemory::Write(uint64_t offset, const SymbolicValue& value)
{
    uint64_t end = offset;
    for (const SymbolicPiece& piece : value)
    {
        end += piece.length;
    }
    if (end == offset)
    {
        return;
    }
    Cut(offset);
    auto after = Cut(end);
    m_pieces.erase(m_pieces.lower_bound(offset), after);
    for (const SymbolicPiece& piece : value)
    {
        Join(m_pieces.insert(after, {offset, piece}));
        offset += piece.length;
    }
    Join(after);
}

uint64_t
SymbolicMemory::Read(uint64_t offset, uint64_t bytes, SymbolicValue& value) const
{
    value.clear();
    auto piece = m_pieces.upper_bound(offset);
    if (piece != m_pieces.begin())
    {
        --piece;
    }
    uint64_t done = 0;
    for (; piece != m_pieces.end() && done < bytes; ++piece)
    {
        uint64_t at = offset + done;
        if (piece->first > at || at - piece->first >= piece->second.length)
        {
            break;
        }
        uint64_t skipped = at - piece->first;
        uint64_t length = std::min(bytes - done, piece->second.length - skipped);
        value.push_back({length, piece->second.shift + skipped, piece->second.sum});
        done += length;
    }
    return done;
}

} // namespace ns3
