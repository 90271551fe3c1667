// SPDX-License-Identifier: GPL-2.0-only
#ifndef JSON_DOCUMENT_H
#define JSON_DOCUMENT_H

#include "input-error.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A JSON value that knows where it stands.
struct JsonValue
{
    /// The kinds of JSON.
    enum class Kind : uint8_t
    {
        NONE, ///< null
        BOOLEAN,
        NUMBER,
        STRING,
        ARRAY,
        OBJECT,
    };

    Kind kind{Kind::NONE};
    std::shared_ptr<const std::string> source; ///< the file, or the --set it came from
    uint32_t line{0};                          ///< 0: from the command line
    std::string text;                          ///< of a boolean, number or string, as written
    std::vector<JsonValue> elements;           ///< of an array, or the values of an object
    std::vector<std::string> keys;             ///< of an object, beside elements, in file order

    /// @param key of an object @return its value, or null
    const JsonValue* Find(const std::string& key) const;
};

/// A JSON file.
struct JsonDocument
{
    std::string file; ///< as the user named it
    JsonValue root;
};

/**
 * Reads a JSON file (RFC 8259; a key twice in one object is an error).
 * @param path of the file
 * @return its values, with lines
 */
JsonDocument ReadJson(const std::string& path);

/**
 * @param text JSON
 * @param file name for messages
 * @return its values, with lines
 */
JsonDocument ParseJson(const std::string& text, const std::string& file);

/**
 * Sets one value, as `--set` does. Objects on the way that do not exist are made; whether they mean
 * anything is for the reader to say, which knows the keys.
 * @param document to change
 * @param assignment PATH=VALUE: keys and array indices separated by points, and JSON or, where
 *        it is not JSON, a string (network.mtu=1024, jobs.0.workload.sizes=64MiB)
 */
void ApplyOverride(JsonDocument& document, const std::string& assignment);

/**
 * @param word what was found
 * @param known what is allowed
 * @return the one that takes the fewest edits, or empty where none is close
 */
std::string NearestWord(const std::string& word, const std::vector<std::string>& known);

/// @param words some @return "a", "b" or "c"
std::string ListWords(const std::vector<std::string>& words);

/**
 * @ingroup ai-fabric
 * @brief Reads an object's fields with types, and complains with the place of each.
 *
 * Every key that was asked for is known; RejectUnknownKeys() then refuses what is left over.
 */
class JsonReader
{
  public:
    /// @param value to read: must be an object @param path its key path; empty for the root
    JsonReader(const JsonValue& value, const std::string& path);

    /// @param key of a field @return its value, or null; from now on the key is known
    const JsonValue* Find(const std::string& key);
    /// @param key of a field that must be there @return its value
    const JsonValue& Get(const std::string& key);

    // Each sets its argument where the key is there, and leaves it as it is, the default,
    // otherwise.

    /// @param key of a field @param value to set
    void Read(const std::string& key, bool& value);
    /// @param key of a field @param value to set
    void Read(const std::string& key, std::string& value);
    /// @param key of a field @param value to set, above 0
    void Read(const std::string& key, DataRate& value);
    /// @param key of a link's rate @param value to set, above 0, as fast as a link can be
    void ReadLinkRate(const std::string& key, DataRate& value);
    /// @param key of a field @param value to set, 0 or more
    void Read(const std::string& key, Time& value);
    /// @param key of a field @param value to set @param min least @param max most
    void Read(const std::string& key, double& value, double min, double max);
    /// @param key of a field @param value to set @param min least @param max most
    void Read(const std::string& key, uint32_t& value, uint32_t min, uint32_t max);
    /// @param key of a size @param value to set, bytes @param min least @param max most
    void ReadBytes(const std::string& key, uint64_t& value, uint64_t min, uint64_t max);
    /// @param key of a field @param value to set @param known what it may be
    void ReadName(const std::string& key,
                  std::string& value,
                  const std::vector<std::string>& known);

    /// @param key of a field that must be absent, null, false, or empty @param why the message
    void Refuse(const std::string& key, const std::string& why);

    /// Throws for the first key that was never asked for.
    void RejectUnknownKeys() const;

    /// @param key of a field; empty: this object @return its place, for messages
    InputPlace Place(const std::string& key = "") const;

    /// @return the object
    const JsonValue& GetValue() const
    {
        return m_value;
    }

  private:
    const JsonValue& m_value;
    std::string m_path;
    std::vector<std::string> m_known;
};

/// @param value some @param path its key path @return its place
InputPlace PlaceOf(const JsonValue& value, const std::string& path);
/// @param value some @return as a message shows it: "text", 12, an object, ...
std::string Describe(const JsonValue& value);
/// @param value a string @param path its key path @return it
std::string GetString(const JsonValue& value, const std::string& path);
/// @param value a string or a number @param path its key path @param what it should be
/// @return its text
std::string GetQuantityText(const JsonValue& value,
                            const std::string& path,
                            const std::string& what);
/// @param value a whole number @param path its key path @param min least @param max most @return it
uint64_t GetUnsigned(const JsonValue& value, const std::string& path, uint64_t min, uint64_t max);
/// @param value an array @param path its key path @param of what @return its elements
const std::vector<JsonValue>& GetArray(const JsonValue& value,
                                       const std::string& path,
                                       const std::string& of);
/// @param path of an array @param index of an element @return its path
std::string ElementPath(const std::string& path, size_t index);

} // namespace ns3

#endif // JSON_DOCUMENT_H
