// SPDX-License-Identifier: GPL-2.0-only
#ifndef COMMAND_OPTIONS_H
#define COMMAND_OPTIONS_H

#include "ns3/input-error.h"
#include "ns3/quantity.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// A fault of the command line. @param key the word @param found what is wrong @param expected what
/// would do
inline InputError
CallError(const std::string& key, const std::string& found, const std::string& expected = "")
{
    return InputError({"ai-fabric", 0, key}, found, expected);
}

/**
 * @brief The words that follow a call: options, each with what it sets, and arguments.
 *
 * An option's value is the next word, or follows an equals sign.
 */
class CommandOptions
{
  public:
    /// What takes a value. @param text it
    using Taker = std::function<void(const std::string& text)>;

    /// @param name with its dashes @param given set to true
    void Flag(const std::string& name, bool& given)
    {
        m_flags[name] = [&given](const std::string&) { given = true; };
        Known(name);
    }

    /// @param name with its dashes @param take gets what follows an equals sign; "" if there is
    /// none
    void FlagWith(const std::string& name, Taker take)
    {
        m_flags[name] = std::move(take);
        Known(name);
    }

    /// @param name with its dashes @param take gets its value
    void Value(const std::string& name, Taker take)
    {
        m_values[name] = std::move(take);
        Known(name);
    }

    /// @param name with its dashes @param text set to its value
    void Text(const std::string& name, std::string& text)
    {
        Value(name, [&text](const std::string& value) { text = value; });
    }

    /// @param name with its dashes @param texts its value is appended; may be given several times
    void Texts(const std::string& name, std::vector<std::string>& texts)
    {
        Value(name, [&texts](const std::string& value) { texts.push_back(value); });
    }

    /// @param name with its dashes @param number set to its value, 1 to @p most
    void Number(const std::string& name, uint32_t& number, uint64_t most)
    {
        Value(name, [&number, name, most](const std::string& value) {
            number = static_cast<uint32_t>(ParseUnsigned(value, {"ai-fabric", 0, name}, 1, most));
        });
    }

    /// @param name of an option that the script ahead of the program gives: Parse() leaves it out
    void GivenByScript(const std::string& name)
    {
        m_hidden[name] = true;
    }

    /// @param argument set to the next word that is no option
    void Argument(std::string& argument)
    {
        m_arguments.emplace_back([&argument](const std::string& word) { argument = word; });
    }

    /// @param arguments all further words that are no options are appended
    void Arguments(std::vector<std::string>& arguments)
    {
        m_rest = [&arguments](const std::string& word) { arguments.push_back(word); };
    }

    /**
     * Takes all words from the third on; InputError for one that is wrong.
     * @param argc of main()
     * @param argv of main()
     * @return the call as one may type it again
     */
    std::string Parse(int argc, char* argv[]) const
    {
        std::string call = "./ai-fabric " + std::string(argv[1]);
        size_t arguments = 0;
        for (int i = 2; i < argc; ++i)
        {
            const int first = i;
            const std::string word = argv[i];
            const bool isOption = word.rfind("--", 0) == 0;
            if (isOption)
            {
                TakeOption(word, argc, argv, i);
            }
            else if (arguments < m_arguments.size())
            {
                m_arguments[arguments++](word);
            }
            else if (m_rest)
            {
                m_rest(word);
            }
            else
            {
                throw CallError(word, "one argument too many");
            }
            const bool isHidden = isOption && m_hidden.count(word) > 0;
            for (int part = first; part <= i && !isHidden; ++part)
            {
                call += " " + InShell(argv[part]);
            }
        }
        return call;
    }

  private:
    void Known(const std::string& name)
    {
        m_names += " " + name;
    }

    void TakeOption(const std::string& word, int argc, char* argv[], int& at) const
    {
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const bool hasValue = equals != std::string::npos;
        const std::string value = hasValue ? word.substr(equals + 1) : "";
        if (auto flag = m_flags.find(name); flag != m_flags.end())
        {
            flag->second(value);
            return;
        }
        auto option = m_values.find(name);
        if (option == m_values.end())
        {
            throw CallError(word, "no such option", "one of" + m_names);
        }
        if (!hasValue && at + 1 >= argc)
        {
            throw CallError(word, "its value is missing");
        }
        option->second(hasValue ? value : argv[++at]);
    }

    /// @param word of a command line @return as a shell takes it
    static std::string InShell(const std::string& word)
    {
        const bool isPlain = word.find_first_of(" \"'[]{}*?$&|;<>()") == std::string::npos;
        return isPlain ? word : "'" + word + "'";
    }

    std::map<std::string, Taker> m_flags;
    std::map<std::string, Taker> m_values;
    std::map<std::string, bool> m_hidden;
    std::string m_names;
    std::vector<Taker> m_arguments;
    Taker m_rest;
};

} // namespace ns3

#endif // COMMAND_OPTIONS_H
