// SPDX-License-Identifier: GPL-2.0-only
#include "platform-file.h"

#include "ns3/nccl-environment.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{

namespace
{

namespace fs = std::filesystem;

constexpr uint32_t MOST_PLATFORM_DEPTH = 8;

std::string&
PlatformFolder()
{
    static std::string folder{"examples/platforms"};
    return folder;
}

/// Keys of a platform that are for people.
const std::vector<std::string> PLATFORM_NOTES{"description", "sources", "assumptions", "fitted"};

/// Keys of a scenario that a platform must not have.
const std::vector<std::string> SCENARIO_ONLY{"jobs",
                                             "faults",
                                             "output",
                                             "analysis",
                                             "experiment",
                                             "seed",
                                             "stop",
                                             "background"};

/// Another topology than the platform's is complete in itself.
bool
IsOtherTopology(const std::string& key, const JsonValue& own)
{
    return key == "topology" && (own.Find("type") || own.Find("file") || own.Find("preset"));
}

/// @return an object's value of a key; null: it has none
JsonValue*
FindElement(JsonValue& object, const std::string& key)
{
    auto at = std::find(object.keys.begin(), object.keys.end(), key);
    return at == object.keys.end() ? nullptr : &object.elements[at - object.keys.begin()];
}

/// Adds what an object lacks. @param own beats @param platform fills
void
FillFrom(JsonValue& own, const JsonValue& platform)
{
    for (size_t i = 0; i < platform.keys.size(); ++i)
    {
        const std::string& key = platform.keys[i];
        JsonValue* mine = FindElement(own, key);
        if (!mine)
        {
            own.keys.push_back(key);
            own.elements.push_back(platform.elements[i]);
            continue;
        }
        if (mine->kind == JsonValue::Kind::OBJECT &&
            platform.elements[i].kind == JsonValue::Kind::OBJECT && !IsOtherTopology(key, *mine))
        {
            FillFrom(*mine, platform.elements[i]);
        }
    }
}

void
EraseKey(JsonValue& value, const std::string& key)
{
    auto at = std::find(value.keys.begin(), value.keys.end(), key);
    if (at != value.keys.end())
    {
        value.elements.erase(value.elements.begin() + (at - value.keys.begin()));
        value.keys.erase(at);
    }
}

JsonValue ReadPlatform(const std::string& path, uint32_t depth);

/// Completes a value by the platform that it names. @param file it stands in
void
FillFromPlatform(JsonValue& value, const std::string& file, uint32_t depth)
{
    const JsonValue* named = value.Find("platform");
    if (!named)
    {
        return;
    }
    const InputPlace place = PlaceOf(*named, "platform");
    if (depth == MOST_PLATFORM_DEPTH)
    {
        throw InputError(place,
                         "platforms name each other " + std::to_string(depth) + " deep",
                         "an end");
    }
    const std::string path = FindPlatformFile(GetString(*named, "platform"), file, place);
    EraseKey(value, "platform");
    FillFrom(value, ReadPlatform(path, depth + 1));
}

/// Files of NCCL that a platform names stand beside it. @param path of the platform
void
FindFilesOfNccl(JsonValue& root, const fs::path& path)
{
    JsonValue* nccl = FindElement(root, "nccl");
    for (size_t i = 0; nccl && i < nccl->keys.size(); ++i)
    {
        if (IsNcclFile(nccl->keys[i]))
        {
            std::string& file = nccl->elements[i].text;
            file = fs::absolute(path.parent_path() / file).lexically_normal().string();
        }
    }
}

JsonValue
ReadPlatform(const std::string& path, uint32_t depth)
{
    JsonValue root = ReadJson(path).root;
    FindFilesOfNccl(root, path);
    JsonReader reader(root, ""); // must be an object
    for (const std::string& key : SCENARIO_ONLY)
    {
        if (root.Find(key))
        {
            throw InputError(reader.Place(key), "is no part of a platform", "it in the scenario");
        }
    }
    for (const std::string& key : PLATFORM_NOTES)
    {
        EraseKey(root, key);
    }
    EraseKey(root, "name"); // the scenario's own
    FillFromPlatform(root, path, depth);
    return root;
}

} // namespace

void
SetPlatformFolder(const std::string& folder)
{
    PlatformFolder() = folder;
}

std::vector<std::string>
GetPlatformNames()
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(PlatformFolder(), error))
    {
        if (entry.path().extension() == ".json")
        {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
FindPlatformFile(const std::string& name, const std::string& file, const InputPlace& place)
{
    if (fs::path(name).extension() == ".json")
    {
        const fs::path path =
            fs::path(name).is_absolute() ? fs::path(name) : fs::path(file).parent_path() / name;
        return path.string(); // whoever reads it says where it is missing
    }
    for (const fs::path& folder :
         {fs::path(PlatformFolder()), fs::path(file).parent_path() / ".." / "platforms"})
    {
        const fs::path path = folder / (name + ".json");
        if (fs::exists(path))
        {
            return path.string();
        }
    }
    const std::vector<std::string> names = GetPlatformNames();
    const std::string nearest = NearestWord(name, names);
    throw InputError(place,
                     "\"" + name + "\" is no platform" +
                         (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                     names.empty() ? "the path of a file, or a name of " + PlatformFolder()
                                   : ListWords(names) + ", or the path of a file");
}

std::string
GetPlatformDescription(const std::string& name)
{
    const JsonDocument document = ReadJson(FindPlatformFile(name, "", {name, 0, ""}));
    const JsonValue* description = document.root.Find("description");
    return description ? description->text : "";
}

void
MergePlatform(JsonDocument& document)
{
    if (document.root.kind == JsonValue::Kind::OBJECT)
    {
        FillFromPlatform(document.root, document.file, 0);
    }
}

} // namespace ns3
