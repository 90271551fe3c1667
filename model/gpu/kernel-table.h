// SPDX-License-Identifier: GPL-2.0-only
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Measured times of kernels by name and shape.
 *
 * The shapes of a name form a grid: each combination of the sizes that occur in each dimension is
 * there. Between them the logarithm of the time is linear in the logarithm of each size; outside
 * them there is no time.
 */
class KernelTable : public Object
{
  public:
    /// Sizes by dimension, each above 0.
    using Shape = std::vector<uint64_t>;

    /// @return the TypeId
    static TypeId GetTypeId();

    KernelTable();
    ~KernelTable() override;

    /**
     * Adds the rows of a file of comma-separated values. Its first line names the columns: "name",
     * a column for each dimension (any names), and last the time: "time_s", "time_ms", "time_us" or
     * "time_ns". Empty lines and lines that begin with # are skipped.
     * @param path of the file
     * @return empty, or what is wrong with it, with file and line
     */
    std::string Load(const std::string& path);

    /**
     * @param name of a kernel @param shape of its operands @param time it takes alone
     * @return empty, or why it cannot be added
     */
    std::string Add(const std::string& name, const Shape& shape, Time time);

    /**
     * @param name of a kernel @param shape of its operands @param time set to what it takes alone
     * @return empty, or why the table does not have it, with the range that it has
     */
    std::string Find(const std::string& name, const Shape& shape, Time& time) const;

    /// @return the names, in alphabetical order
    std::vector<std::string> GetNames() const;

  private:
    using Rows = std::map<Shape, Time>; ///< of one name

    std::string LoadLine(const std::string& line, size_t columns, double unit);
    static std::string DescribeRange(const Rows& rows);

    std::map<std::string, Rows> m_kernels;
};

} // namespace ns3

#endif // KERNEL_TABLE_H
