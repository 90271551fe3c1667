// SPDX-License-Identifier: GPL-2.0-only
#ifndef INPUT_ERROR_H
#define INPUT_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ns3
{

/// Where in the user's input something stands.
struct InputPlace
{
    std::string file; ///< as the user named it, or "--set PATH=VALUE"
    uint32_t line{0}; ///< from 1; 0: not known
    std::string key;  ///< path of the field, such as topology.linkRate; may be empty
};

/**
 * @ingroup ai-fabric
 * @brief Bad input. Whoever reads a file throws it; a program prints what() and exits with 2.
 *
 * what() is one line: `quickstart.json:12: topology.linkRate: "400Gpbs" is not a data rate;
 * expected a number with unit bps, Kbps, Mbps, Gbps or Tbps, like "400Gbps"`.
 */
class InputError : public std::runtime_error
{
  public:
    /**
     * @param where place of the fault
     * @param found what is wrong, with the value found
     * @param expected what is allowed, or what to do; may be empty
     */
    InputError(const InputPlace& where, const std::string& found, const std::string& expected = "")
        : std::runtime_error(Line(where, found, expected)),
          m_where(where),
          m_found(found),
          m_expected(expected)
    {
    }

    /// @return the place of the fault
    const InputPlace& GetPlace() const
    {
        return m_where;
    }

    /// @return what is wrong
    const std::string& GetFound() const
    {
        return m_found;
    }

    /// @return what is allowed
    const std::string& GetExpected() const
    {
        return m_expected;
    }

  private:
    static std::string Line(const InputPlace& where,
                            const std::string& found,
                            const std::string& expected)
    {
        std::string text = where.file;
        if (where.line > 0)
        {
            text += ":" + std::to_string(where.line);
        }
        text += ": ";
        if (!where.key.empty())
        {
            text += where.key + ": ";
        }
        text += found;
        return expected.empty() ? text : text + "; expected " + expected;
    }

    InputPlace m_where;
    std::string m_found;
    std::string m_expected;
};

} // namespace ns3

#endif // INPUT_ERROR_H
