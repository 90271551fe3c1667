// SPDX-License-Identifier: GPL-2.0-only
#ifndef AI_FABRIC_ENUM_ATTRIBUTE_H
#define AI_FABRIC_ENUM_ATTRIBUTE_H

#include "ns3/attribute.h"
#include "ns3/enum.h"

#include <cstdint>

namespace ns3
{

namespace internal
{

// ns-3 3.41 gave MakeEnumAccessor a template argument. Overload resolution finds the form that the
// ns-3 at hand has, so that no version number is needed.
template <typename E, typename... A>
auto
EnumAccessorOf(int, A... members) -> decltype(MakeEnumAccessor<E>(members...))
{
    return MakeEnumAccessor<E>(members...);
}

template <typename E, typename... A>
auto
EnumAccessorOf(long, A... members) -> decltype(MakeEnumAccessor(members...))
{
    return MakeEnumAccessor(members...);
}

/// An enum that is kept as a byte: since 3.41 ns-3's accessor takes members of the enum's own type.
template <typename T>
class ByteEnumAccessor : public AttributeAccessor
{
  public:
    using Value = decltype(EnumValue(0)); ///< a template since 3.41

    explicit ByteEnumAccessor(uint8_t T::*member)
        : m_member(member)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* target = dynamic_cast<T*>(object);
        const auto* number = dynamic_cast<const Value*>(&value);
        if (!target || !number)
        {
            return false;
        }
        target->*m_member = static_cast<uint8_t>(number->Get());
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* source = dynamic_cast<const T*>(object);
        auto* number = dynamic_cast<Value*>(&value);
        if (!source || !number)
        {
            return false;
        }
        number->Set(source->*m_member);
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    uint8_t T::*m_member;
};

} // namespace internal

/**
 * @brief MakeEnumAccessor for every ns-3 that the module builds with.
 * @tparam E the (unscoped) enum
 * @param members pointer to the member, or to its setter and getter
 * @return the accessor
 */
template <typename E, typename... A>
Ptr<const AttributeAccessor>
MakeEnumAccessorFor(A... members)
{
    return internal::EnumAccessorOf<E>(0, members...);
}

/// @param member that holds the enum's number @return the accessor
template <typename E, typename T>
Ptr<const AttributeAccessor>
MakeEnumAccessorFor(uint8_t T::*member)
{
    return Create<internal::ByteEnumAccessor<T>>(member);
}

} // namespace ns3

#endif // AI_FABRIC_ENUM_ATTRIBUTE_H
