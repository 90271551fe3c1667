// SPDX-License-Identifier: GPL-2.0-only
#ifndef XML_DOCUMENT_H
#define XML_DOCUMENT_H

#include "input-error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// An element of an XML file; it knows where it stands.
struct XmlElement
{
    std::shared_ptr<const std::string> source;                   ///< the file
    uint32_t line{0};                                            ///< of its start tag
    std::string name;                                            ///< of its tag
    std::vector<std::pair<std::string, std::string>> attributes; ///< name and value, in file order
    std::vector<XmlElement> children;                            ///< in file order
    std::string text; ///< characters between the tags, without white space at either end

    /// @param key of an attribute @return its value, or null
    const std::string* Find(const std::string& key) const;

    // Each of these throws InputError with file, line, element and attribute.

    /// @param key of an attribute that must be there @return its value
    const std::string& Get(const std::string& key) const;

    /// @param key of an attribute @param min least @param max most @return the whole number
    int64_t GetInteger(const std::string& key, int64_t min, int64_t max) const;

    /**
     * @param key of an attribute
     * @param min least
     * @param max most
     * @param otherwise what it is where there is no such attribute
     * @return the whole number
     */
    int64_t GetInteger(const std::string& key, int64_t min, int64_t max, int64_t otherwise) const;

    /// @param key of an attribute @param min least @param max most @return the number
    double GetNumber(const std::string& key, double min, double max) const;

    /**
     * @param key of an attribute
     * @param min least
     * @param max most
     * @param otherwise what it is where there is no such attribute
     * @return the number
     */
    double GetNumber(const std::string& key, double min, double max, double otherwise) const;

    /// @param known names that children may have; another one is an error
    void RejectOtherChildren(const std::vector<std::string>& known) const;

    /// @param known names that attributes may have; another one is an error
    void RejectOtherAttributes(const std::vector<std::string>& known) const;

    /// @param key of an attribute; empty: the element itself @return its place, for messages
    InputPlace Place(const std::string& key = "") const;
};

/**
 * Reads the XML that tools write as data: elements, attributes, text, comments, the five named
 * entities and numbered characters. A document type declaration is an error: nothing of it is
 * needed, and entities of its own could make a small file large.
 * @param path of the file
 * @return its outermost element
 */
XmlElement ReadXml(const std::string& path);

/**
 * @param text XML
 * @param file name for messages
 * @return its outermost element
 */
XmlElement ParseXml(const std::string& text, const std::string& file);

} // namespace ns3

#endif // XML_DOCUMENT_H
