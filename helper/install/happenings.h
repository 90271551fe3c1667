// SPDX-License-Identifier: GPL-2.0-only
#ifndef HAPPENINGS_H
#define HAPPENINGS_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @brief What a distributed run is to report, by any process, put into one order at the end.
 *
 * The order is by time, then by the node whose event it was, then as that node's events came. None
 * of it depends on which process had the node. Numbers of kinds are its user's business.
 */
class Happenings
{
  public:
    /// Hears of something that happened. @param at when, time steps @param bytes what
    using Handler = std::function<void(int64_t at, std::string_view bytes)>;

    /// Most kinds.
    static constexpr uint32_t KINDS = 8;

    /// @param kind of what happens now @param bytes what
    void Add(uint32_t kind, std::string_view bytes);

    /// @param kind of what happens now @param value what
    template <typename T>
    void AddValue(uint32_t kind, const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        Add(kind, {reinterpret_cast<const char*>(&value), sizeof(T)});
    }

    /// @param bytes from AddValue() @return the value
    template <typename T>
    static T ValueOf(std::string_view bytes)
    {
        T value;
        bytes.copy(reinterpret_cast<char*>(&value), sizeof(T));
        return value;
    }

    /// @param kind a kind @param handler hears of it in Tell()
    void SetHandler(uint32_t kind, Handler handler)
    {
        m_handlers.at(kind) = std::move(handler);
    }

    /// Collects what all processes have, and tells it in order at process 0. Each must call it.
    void Tell();

  private:
    struct Entry
    {
        int64_t at;
        uint32_t node;
        uint32_t kind;
        uint64_t begin; ///< of its bytes
        uint64_t size;
    };

    std::vector<Entry> m_entries;
    std::string m_bytes;
    std::array<Handler, KINDS> m_handlers;
};

} // namespace ns3

#endif // HAPPENINGS_H
