// SPDX-License-Identifier: GPL-2.0-only
#ifndef AI_FABRIC_ENUM_ATTRIBUTE_H
#define AI_FABRIC_ENUM_ATTRIBUTE_H

#include "ns3/enum.h"

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

} // namespace ns3

#endif // AI_FABRIC_ENUM_ATTRIBUTE_H
