// SPDX-License-Identifier: GPL-2.0-only
#include "json-document.h"

#include "quantity.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

constexpr size_t MOST_NESTING = 64;

/// Reads characters, and knows the line of the last one that was not white space.
class LineCounter
{
  public:
    explicit LineCounter(const std::string& text)
        : m_next(text.data()),
          m_end(text.data() + text.size())
    {
    }

    bool AtEnd() const
    {
        return m_next == m_end;
    }

    char Peek() const
    {
        return *m_next;
    }

    void Advance()
    {
        char c = *m_next++;
        if (c == '\n')
        {
            m_line++;
        }
        else if (!std::isspace(static_cast<unsigned char>(c)))
        {
            m_significantLine = m_line;
        }
    }

    uint32_t GetLine() const
    {
        return m_significantLine;
    }

  private:
    const char* m_next;
    const char* m_end;
    uint32_t m_line{1};
    uint32_t m_significantLine{1};
};

/// The parser copies its iterators, so they share one LineCounter.
class CountingIterator
{
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit CountingIterator(LineCounter* counter = nullptr)
        : m_counter(counter)
    {
    }

    char operator*() const
    {
        return m_counter->Peek();
    }

    CountingIterator& operator++()
    {
        m_counter->Advance();
        return *this;
    }

    CountingIterator operator++(int)
    {
        CountingIterator old = *this;
        m_counter->Advance();
        return old;
    }

    bool operator==(const CountingIterator& o) const
    {
        return IsEnd() == o.IsEnd();
    }

    bool operator!=(const CountingIterator& o) const
    {
        return !(*this == o);
    }

  private:
    bool IsEnd() const
    {
        return !m_counter || m_counter->AtEnd();
    }

    LineCounter* m_counter;
};

/// Builds the tree from the parser's events.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json>
{
  public:
    TreeBuilder(JsonValue& root, std::shared_ptr<const std::string> source, LineCounter& lines)
        : m_root(root),
          m_source(std::move(source)),
          m_lines(lines)
    {
    }

    bool null() override
    {
        Add(JsonValue::Kind::NONE, "null");
        return true;
    }

    bool boolean(bool value) override
    {
        Add(JsonValue::Kind::BOOLEAN, value ? "true" : "false");
        return true;
    }

    bool number_integer(number_integer_t value) override
    {
        Add(JsonValue::Kind::NUMBER, std::to_string(value));
        return true;
    }

    bool number_unsigned(number_unsigned_t value) override
    {
        Add(JsonValue::Kind::NUMBER, std::to_string(value));
        return true;
    }

    bool number_float(number_float_t, const string_t& text) override
    {
        Add(JsonValue::Kind::NUMBER, text);
        return true;
    }

    bool string(string_t& text) override
    {
        Add(JsonValue::Kind::STRING, text);
        return true;
    }

    bool binary(binary_t&) override
    {
        return false; // not in JSON text
    }

    bool start_object(std::size_t) override
    {
        return Open(JsonValue::Kind::OBJECT);
    }

    bool start_array(std::size_t) override
    {
        return Open(JsonValue::Kind::ARRAY);
    }

    bool end_object() override
    {
        m_open.pop_back();
        return true;
    }

    bool end_array() override
    {
        m_open.pop_back();
        return true;
    }

    bool key(string_t& text) override
    {
        JsonValue& object = *m_open.back();
        if (object.Find(text))
        {
            throw InputError({*m_source, m_lines.GetLine(), ""},
                             "the key \"" + text + "\" is there twice in one object",
                             "it once");
        }
        object.keys.push_back(text);
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) override
    {
        // "[json.exception...] parse error at line 3, column 7: what is wrong"
        std::string what = e.what();
        size_t prefix = what.find("column");
        prefix = prefix == std::string::npos ? what.find(']') : what.find(':', prefix);
        what = prefix == std::string::npos ? what : what.substr(prefix + 2);
        throw InputError({*m_source, m_lines.GetLine(), ""}, "not JSON: " + what);
    }

  private:
    JsonValue& Add(JsonValue::Kind kind, const std::string& text)
    {
        JsonValue value;
        value.kind = kind;
        value.source = m_source;
        value.line = m_lines.GetLine();
        value.text = text;
        if (m_open.empty())
        {
            m_root = std::move(value);
            return m_root;
        }
        m_open.back()->elements.push_back(std::move(value));
        return m_open.back()->elements.back();
    }

    bool Open(JsonValue::Kind kind)
    {
        if (m_open.size() == MOST_NESTING)
        {
            throw InputError({*m_source, m_lines.GetLine(), ""},
                             "nested too deep",
                             "at most " + std::to_string(MOST_NESTING) + " levels");
        }
        m_open.push_back(&Add(kind, ""));
        return true;
    }

    JsonValue& m_root;
    std::shared_ptr<const std::string> m_source;
    LineCounter& m_lines;
    std::vector<JsonValue*> m_open; ///< only the innermost grows, so the others stay where they are
};

JsonValue
ParseTree(const std::string& text, const std::string& file)
{
    JsonValue root;
    LineCounter lines(text);
    TreeBuilder builder(root, std::make_shared<const std::string>(file), lines);
    nlohmann::json::sax_parse(CountingIterator(&lines), CountingIterator(), &builder);
    return root;
}

/// @return the value of an assignment: JSON, or else a string
JsonValue
ParseOverride(const std::string& text, const std::string& source)
{
    JsonValue value;
    if (nlohmann::json::accept(text))
    {
        value = ParseTree(text, source);
    }
    else
    {
        value.kind = JsonValue::Kind::STRING;
        value.text = text;
    }
    return value;
}

void
MarkAsOverride(JsonValue& value, const std::shared_ptr<const std::string>& source)
{
    value.source = source;
    value.line = 0;
    for (JsonValue& element : value.elements)
    {
        MarkAsOverride(element, source);
    }
}

/// jobs[0].name and jobs.0.name are the same.
std::vector<std::string>
SplitPath(const std::string& path)
{
    std::vector<std::string> parts(1);
    for (char c : path)
    {
        if (c == '.' || c == '[')
        {
            parts.emplace_back();
        }
        else if (c != ']')
        {
            parts.back().push_back(c);
        }
    }
    return parts;
}

JsonValue&
Descend(JsonValue& value,
        const std::string& step,
        const std::string& path,
        const std::shared_ptr<const std::string>& source)
{
    InputPlace place{*source, 0, path};
    if (value.kind == JsonValue::Kind::ARRAY)
    {
        if (value.elements.empty())
        {
            throw InputError(place, "is an empty list", "a list with elements to set");
        }
        return value.elements[ParseUnsigned(step, place, 0, value.elements.size() - 1)];
    }
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        throw InputError(place,
                         "is " + Describe(value) + ", which has nothing named \"" + step + "\"",
                         "an object or a list there");
    }
    auto at = std::find(value.keys.begin(), value.keys.end(), step);
    if (at != value.keys.end())
    {
        return value.elements[at - value.keys.begin()];
    }
    JsonValue made;
    made.kind = JsonValue::Kind::OBJECT;
    made.source = source;
    value.keys.push_back(step);
    value.elements.push_back(made);
    return value.elements.back();
}

std::string
LowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return std::tolower(c);
    });
    return text;
}

/// Insertions, deletions and substitutions from a to b (Levenshtein).
size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++)
    {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); i++)
    {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++)
        {
            size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

std::string
Join(const std::string& path, const std::string& key)
{
    return path.empty() || key.empty() ? path + key : path + "." + key;
}

} // namespace

const JsonValue*
JsonValue::Find(const std::string& key) const
{
    for (size_t i = 0; i < keys.size(); i++)
    {
        if (keys[i] == key)
        {
            return &elements[i];
        }
    }
    return nullptr;
}

JsonDocument
ReadJson(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
    {
        throw InputError({path, 0, ""},
                         in ? "is empty" : std::string("cannot be read: ") + std::strerror(errno),
                         "a JSON file");
    }
    return ParseJson(text.str(), path);
}

JsonDocument
ParseJson(const std::string& text, const std::string& file)
{
    return {file, ParseTree(text, file)};
}

void
ApplyOverride(JsonDocument& document, const std::string& assignment)
{
    auto source = std::make_shared<const std::string>("--set " + assignment);
    size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
    {
        throw InputError({*source, 0, ""},
                         "\"" + assignment + "\" is not an assignment",
                         "PATH=VALUE, like network.mtu=1024");
    }
    JsonValue* at = &document.root;
    std::string path;
    for (const std::string& step : SplitPath(assignment.substr(0, equals)))
    {
        at = &Descend(*at, step, path, source);
        path = Join(path, step);
    }
    *at = ParseOverride(assignment.substr(equals + 1), *source);
    MarkAsOverride(*at, source);
}

std::string
NearestWord(const std::string& word, const std::vector<std::string>& known)
{
    std::string nearest;
    size_t least = std::max<size_t>(2, word.size() / 3) + 1;
    for (const std::string& candidate : known)
    {
        size_t edits = EditDistance(LowerCase(word), LowerCase(candidate));
        if (edits < least)
        {
            least = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
ListWords(const std::vector<std::string>& words)
{
    std::string list;
    for (size_t i = 0; i < words.size(); i++)
    {
        list += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
        list += "\"" + words[i] + "\"";
    }
    return list;
}

InputPlace
PlaceOf(const JsonValue& value, const std::string& path)
{
    return {value.source ? *value.source : "", value.line, path};
}

std::string
Describe(const JsonValue& value)
{
    switch (value.kind)
    {
    case JsonValue::Kind::STRING:
        return "\"" + value.text + "\"";
    case JsonValue::Kind::ARRAY:
        return "a list";
    case JsonValue::Kind::OBJECT:
        return "an object";
    default:
        return value.text;
    }
}

std::string
GetString(const JsonValue& value, const std::string& path)
{
    // On the command line, --set output.dir=2024 means the text.
    bool plain = value.line == 0 &&
                 (value.kind == JsonValue::Kind::NUMBER || value.kind == JsonValue::Kind::BOOLEAN);
    if (value.kind != JsonValue::Kind::STRING && !plain)
    {
        throw InputError(PlaceOf(value, path), Describe(value) + " is not a string", "a string");
    }
    return value.text;
}

std::string
GetQuantityText(const JsonValue& value, const std::string& path, const std::string& what)
{
    if (value.kind != JsonValue::Kind::STRING && value.kind != JsonValue::Kind::NUMBER)
    {
        throw InputError(PlaceOf(value, path),
                         Describe(value) + " is not " + what,
                         "a string with a unit, or a plain number");
    }
    return value.text;
}

uint64_t
GetUnsigned(const JsonValue& value, const std::string& path, uint64_t min, uint64_t max)
{
    if (value.kind != JsonValue::Kind::NUMBER)
    {
        throw InputError(PlaceOf(value, path),
                         Describe(value) + " is not a number",
                         "a whole number, " + std::to_string(min) + " to " + std::to_string(max));
    }
    return ParseUnsigned(value.text, PlaceOf(value, path), min, max);
}

const std::vector<JsonValue>&
GetArray(const JsonValue& value, const std::string& path, const std::string& of)
{
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        throw InputError(PlaceOf(value, path),
                         Describe(value) + " is not a list",
                         "a list of " + of);
    }
    return value.elements;
}

std::string
ElementPath(const std::string& path, size_t index)
{
    return path + "[" + std::to_string(index) + "]";
}

JsonReader::JsonReader(const JsonValue& value, const std::string& path)
    : m_value(value),
      m_path(path)
{
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        throw InputError(Place(), Describe(value) + " is not an object", "an object: { ... }");
    }
}

const JsonValue*
JsonReader::Find(const std::string& key)
{
    if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
    {
        m_known.push_back(key);
    }
    return m_value.Find(key);
}

const JsonValue&
JsonReader::Get(const std::string& key)
{
    const JsonValue* value = Find(key);
    if (!value)
    {
        std::vector<std::string> unread;
        for (const std::string& other : m_value.keys)
        {
            if (std::find(m_known.begin(), m_known.end(), other) == m_known.end())
            {
                unread.push_back(other);
            }
        }
        std::string nearest = NearestWord(key, unread);
        throw InputError(Place(key),
                         nearest.empty() ? "is missing"
                                         : "is missing; is \"" + nearest + "\" meant to be it?");
    }
    return *value;
}

void
JsonReader::Read(const std::string& key, bool& value)
{
    if (const JsonValue* found = Find(key))
    {
        if (found->kind != JsonValue::Kind::BOOLEAN)
        {
            throw InputError(Place(key),
                             Describe(*found) + " is not true or false",
                             "true or false");
        }
        value = found->text == "true";
    }
}

void
JsonReader::Read(const std::string& key, std::string& value)
{
    if (const JsonValue* found = Find(key))
    {
        value = GetString(*found, Join(m_path, key));
        if (value.empty())
        {
            throw InputError(Place(key), "\"\" is empty", "a string that is not empty");
        }
    }
}

void
JsonReader::Read(const std::string& key, DataRate& value)
{
    if (const JsonValue* found = Find(key))
    {
        value =
            ParseDataRate(GetQuantityText(*found, Join(m_path, key), "a data rate"), Place(key));
    }
}

void
JsonReader::ReadLinkRate(const std::string& key, DataRate& value)
{
    if (const JsonValue* found = Find(key))
    {
        value =
            ParseLinkRate(GetQuantityText(*found, Join(m_path, key), "a data rate"), Place(key));
    }
}

void
JsonReader::Read(const std::string& key, Time& value)
{
    if (const JsonValue* found = Find(key))
    {
        value = ParseTime(GetQuantityText(*found, Join(m_path, key), "a time"), Place(key));
    }
}

void
JsonReader::Read(const std::string& key, double& value, double min, double max)
{
    if (const JsonValue* found = Find(key))
    {
        if (found->kind != JsonValue::Kind::NUMBER)
        {
            throw InputError(Place(key), Describe(*found) + " is not a number", "a number");
        }
        value = ParseDouble(found->text, Place(key), min, max);
    }
}

void
JsonReader::Read(const std::string& key, uint32_t& value, uint32_t min, uint32_t max)
{
    if (const JsonValue* found = Find(key))
    {
        value = static_cast<uint32_t>(GetUnsigned(*found, Join(m_path, key), min, max));
    }
}

void
JsonReader::ReadBytes(const std::string& key, uint64_t& value, uint64_t min, uint64_t max)
{
    if (const JsonValue* found = Find(key))
    {
        value =
            ParseBytes(GetQuantityText(*found, Join(m_path, key), "a number of bytes"), Place(key));
        if (value < min || value > max)
        {
            throw InputError(Place(key),
                             Describe(*found) + " is out of range",
                             FormatBytes(min) + " to " + FormatBytes(max));
        }
    }
}

void
JsonReader::ReadName(const std::string& key,
                     std::string& value,
                     const std::vector<std::string>& known)
{
    if (const JsonValue* found = Find(key))
    {
        value = GetString(*found, Join(m_path, key));
        if (std::find(known.begin(), known.end(), value) == known.end())
        {
            std::string nearest = NearestWord(value, known);
            throw InputError(Place(key),
                             "\"" + value + "\" is not known" +
                                 (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                             ListWords(known));
        }
    }
}

void
JsonReader::Refuse(const std::string& key, const std::string& why)
{
    const JsonValue* found = Find(key);
    bool nothing = !found || found->kind == JsonValue::Kind::NONE || found->text == "false" ||
                   (found->text.empty() && found->elements.empty());
    if (!nothing)
    {
        throw InputError(Place(key), why, "no \"" + key + "\"");
    }
}

void
JsonReader::RejectUnknownKeys() const
{
    for (const std::string& key : m_value.keys)
    {
        if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
        {
            std::string nearest = NearestWord(key, m_known);
            throw InputError(Place(key),
                             "unknown key" +
                                 (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                             ListWords(m_known));
        }
    }
}

InputPlace
JsonReader::Place(const std::string& key) const
{
    const JsonValue* value = key.empty() ? nullptr : m_value.Find(key);
    return PlaceOf(value ? *value : m_value, Join(m_path, key));
}

} // namespace ns3
