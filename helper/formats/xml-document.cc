// SPDX-License-Identifier: GPL-2.0-only
#include "xml-document.h"

#include "json-document.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_XML_DEPTH = 64;

/// @param value some @return as a message shows it
std::string
QuoteXml(const std::string& value)
{
    return "\"" + value + "\"";
}

/// Recursive descent over the text of one file.
class XmlParser
{
  public:
    XmlParser(const std::string& text, const std::string& file)
        : m_text(text),
          m_source(std::make_shared<const std::string>(file))
    {
    }

    XmlElement Parse()
    {
        SkipMisc();
        if (AtEnd())
        {
            Fail("there is no element", "XML");
        }
        XmlElement root = ParseElement(1);
        SkipMisc();
        if (!AtEnd())
        {
            Fail("something follows the outermost element", "the end of the file");
        }
        return root;
    }

  private:
    bool AtEnd() const
    {
        return m_next == m_text.size();
    }

    char Peek() const
    {
        return AtEnd() ? '\0' : m_text[m_next];
    }

    char Take()
    {
        if (AtEnd())
        {
            Fail("the file ends within an element", "its end tag");
        }
        char c = m_text[m_next++];
        m_line += c == '\n';
        return c;
    }

    bool Follows(const char* word) const
    {
        return m_text.compare(m_next, std::strlen(word), word) == 0;
    }

    bool TakeIf(const char* word)
    {
        if (!Follows(word))
        {
            return false;
        }
        m_next += std::strlen(word);
        return true;
    }

    void SkipSpace()
    {
        while (!AtEnd() && std::isspace(static_cast<unsigned char>(Peek())))
        {
            Take();
        }
    }

    /// Goes behind the next occurrence of a word.
    void SkipPast(const char* word, const std::string& what)
    {
        uint32_t begin = m_line;
        while (!TakeIf(word))
        {
            if (AtEnd())
            {
                m_line = begin;
                Fail(what + " has no end", QuoteXml(word));
            }
            Take();
        }
    }

    /// Skips what stands around the outermost element.
    void SkipMisc()
    {
        TakeIf("\xEF\xBB\xBF"); // a byte order mark
        for (SkipSpace(); Follows("<?") || Follows("<!"); SkipSpace())
        {
            SkipMarkup();
        }
    }

    /// Skips a comment or a processing instruction.
    void SkipMarkup()
    {
        if (TakeIf("<!--"))
        {
            SkipPast("-->", "a comment");
        }
        else if (TakeIf("<?"))
        {
            SkipPast("?>", "a processing instruction");
        }
        else
        {
            Fail("a declaration or CDATA section", "elements, attributes, text and comments only");
        }
    }

    std::string TakeName()
    {
        auto isPart = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
                   c == '.' || c == ':';
        };
        size_t begin = m_next;
        while (isPart(Peek()))
        {
            m_next++;
        }
        std::string name = m_text.substr(begin, m_next - begin);
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '-')
        {
            Fail(AtEnd() ? "the file ends here" : "no name at \"" + m_text.substr(begin, 8) + "\"",
                 "the name of an element or attribute");
        }
        return name;
    }

    /// Takes a character, or what an entity stands for.
    void TakeCharacter(std::string& to)
    {
        char c = Take();
        if (c != '&')
        {
            to += c;
            return;
        }
        size_t end = m_text.find(';', m_next);
        std::string name = end == std::string::npos ? "" : m_text.substr(m_next, end - m_next);
        static const std::vector<std::pair<std::string, char>> named{{"amp", '&'},
                                                                     {"lt", '<'},
                                                                     {"gt", '>'},
                                                                     {"quot", '"'},
                                                                     {"apos", '\''}};
        for (const auto& [known, character] : named)
        {
            if (name == known)
            {
                to += character;
                m_next = end + 1;
                return;
            }
        }
        bool hex = name.rfind("#x", 0) == 0;
        const char* digits = name.c_str() + (hex ? 2 : 1);
        char* rest = nullptr;
        uint64_t code =
            name.size() > 1 && name[0] == '#' ? std::strtoull(digits, &rest, hex ? 16 : 10) : 0;
        if (code == 0 || code > 127 || *rest != '\0')
        {
            Fail("\"&" + name.substr(0, 16) + ";\" is not a known entity",
                 "&amp;, &lt;, &gt;, &quot;, &apos; or the number of an ASCII character");
        }
        to += static_cast<char>(code);
        m_next = end + 1;
    }

    void ParseAttribute(XmlElement& element)
    {
        std::string key = TakeName();
        if (element.Find(key))
        {
            Fail("attribute " + QuoteXml(key) + " twice in one element", "each attribute once");
        }
        SkipSpace();
        if (!TakeIf("="))
        {
            Fail("attribute " + QuoteXml(key) + " has no value", "=\"...\"");
        }
        SkipSpace();
        char quote = Peek();
        if (quote != '"' && quote != '\'')
        {
            Fail("the value of " + QuoteXml(key) + " is not quoted", "=\"...\"");
        }
        Take();
        std::string value;
        while (Peek() != quote)
        {
            if (Peek() == '<')
            {
                Fail("\"<\" in the value of " + QuoteXml(key),
                     "a closing quote before it, or &lt;");
            }
            TakeCharacter(value);
        }
        Take();
        element.attributes.emplace_back(std::move(key), std::move(value));
    }

    XmlElement ParseElement(uint32_t depth)
    {
        if (!TakeIf("<"))
        {
            Fail("text outside of an element", "an element");
        }
        if (depth > MOST_XML_DEPTH)
        {
            Fail("elements are nested too deep",
                 "at most " + std::to_string(MOST_XML_DEPTH) + " levels");
        }
        XmlElement element;
        element.source = m_source;
        element.line = m_line;
        element.name = TakeName();
        for (SkipSpace(); Peek() != '>' && !Follows("/>"); SkipSpace())
        {
            ParseAttribute(element);
        }
        if (!TakeIf("/>"))
        {
            Take();
            ParseContent(element, depth);
        }
        return element;
    }

    /// Takes all up to and with the end tag.
    void ParseContent(XmlElement& element, uint32_t depth)
    {
        while (!Follows("</"))
        {
            if (Follows("<!") || Follows("<?"))
            {
                SkipMarkup();
            }
            else if (Peek() == '<')
            {
                element.children.push_back(ParseElement(depth + 1));
            }
            else
            {
                TakeCharacter(element.text);
            }
        }
        TakeIf("</");
        std::string name = TakeName();
        SkipSpace();
        if (name != element.name || !TakeIf(">"))
        {
            Fail("<" + element.name + "> of line " + std::to_string(element.line) +
                     " is ended by </" + name + ">",
                 "</" + element.name + ">");
        }
        const char* space = " \t\r\n";
        element.text.erase(0, element.text.find_first_not_of(space));
        element.text.erase(element.text.find_last_not_of(space) + 1);
    }

    [[noreturn]] void Fail(const std::string& found, const std::string& expected) const
    {
        throw InputError({*m_source, m_line, ""}, found, expected);
    }

    const std::string& m_text;
    std::shared_ptr<const std::string> m_source;
    size_t m_next{0};
    uint32_t m_line{1};
};

} // namespace

const std::string*
XmlElement::Find(const std::string& key) const
{
    for (const auto& [name, value] : attributes)
    {
        if (name == key)
        {
            return &value;
        }
    }
    return nullptr;
}

const std::string&
XmlElement::Get(const std::string& key) const
{
    const std::string* value = Find(key);
    if (!value)
    {
        throw InputError(Place(), "<" + name + "> has no attribute " + QuoteXml(key));
    }
    return *value;
}

int64_t
XmlElement::GetInteger(const std::string& key, int64_t min, int64_t max) const
{
    const std::string& value = Get(key);
    char* rest = nullptr;
    errno = 0;
    int64_t number = std::strtoll(value.c_str(), &rest, 0);
    if (value.empty() || *rest != '\0' || errno != 0 || number < min || number > max)
    {
        throw InputError(Place(key),
                         QuoteXml(value) + " is not such a number",
                         "a whole number from " + std::to_string(min) + " to " +
                             std::to_string(max));
    }
    return number;
}

int64_t
XmlElement::GetInteger(const std::string& key, int64_t min, int64_t max, int64_t otherwise) const
{
    return Find(key) ? GetInteger(key, min, max) : otherwise;
}

double
XmlElement::GetNumber(const std::string& key, double min, double max) const
{
    const std::string& value = Get(key);
    char* rest = nullptr;
    double number = std::strtod(value.c_str(), &rest);
    if (value.empty() || *rest != '\0' || !std::isfinite(number) || number < min || number > max)
    {
        throw InputError(Place(key),
                         QuoteXml(value) + " is not such a number",
                         "a number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return number;
}

double
XmlElement::GetNumber(const std::string& key, double min, double max, double otherwise) const
{
    return Find(key) ? GetNumber(key, min, max) : otherwise;
}

void
XmlElement::RejectOtherChildren(const std::vector<std::string>& known) const
{
    for (const XmlElement& child : children)
    {
        if (std::find(known.begin(), known.end(), child.name) == known.end())
        {
            throw InputError(child.Place(),
                             "<" + child.name + "> within <" + name + ">",
                             known.empty() ? "no element here" : ListWords(known));
        }
    }
}

void
XmlElement::RejectOtherAttributes(const std::vector<std::string>& known) const
{
    for (const auto& attribute : attributes)
    {
        if (std::find(known.begin(), known.end(), attribute.first) == known.end())
        {
            std::string nearest = NearestWord(attribute.first, known);
            throw InputError(Place(attribute.first),
                             "no such attribute of <" + name + ">",
                             nearest.empty() ? ListWords(known) : QuoteXml(nearest));
        }
    }
}

InputPlace
XmlElement::Place(const std::string& key) const
{
    return {*source, line, key.empty() ? name : name + "." + key};
}

XmlElement
ParseXml(const std::string& text, const std::string& file)
{
    return XmlParser(text, file).Parse();
}

XmlElement
ReadXml(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path))
    {
        std::string why = in ? "it is a folder" : std::strerror(errno);
        throw InputError({path, 0, ""}, "cannot be read: " + why, "an XML file");
    }
    std::string text{std::istreambuf_iterator<char>(in), {}};
    return ParseXml(text, path);
}

} // namespace ns3
