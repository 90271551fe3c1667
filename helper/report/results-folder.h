// SPDX-License-Identifier: GPL-2.0-only
#ifndef RESULTS_FOLDER_H
#define RESULTS_FOLDER_H

#include <cstdint>
#include <fstream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The folder that a run's results go to; made where it does not exist.
 */
class ResultsFolder
{
  public:
    /// From now on no folder and no file is made: of several processes one writes what all did.
    static void Discard();

    /// @param path of the folder; InputError where it cannot be made
    explicit ResultsFolder(const std::string& path);

    /// @return the path, as given
    const std::string& GetPath() const
    {
        return m_path;
    }

    /// @param name of a file in the folder @return its path
    std::string PathOf(const std::string& name) const;

    /// @param name of a new file in the folder; InputError where it cannot be written
    /// @return the open file
    std::ofstream Create(const std::string& name) const;

  private:
    std::string m_path;
};

/**
 * @brief A time as decimal microseconds with all six digits of its picoseconds.
 * @param picoseconds the time
 * @return for example "12.000345"; the same on every machine, since no floating point is in it
 */
std::string MicrosecondText(int64_t picoseconds);

/**
 * @brief A figure with a fixed number of decimals.
 * @param value the figure
 * @param decimals digits after the point
 * @return for example "0.931"
 */
std::string FixedText(double value, int decimals);

} // namespace ns3

#endif // RESULTS_FOLDER_H
