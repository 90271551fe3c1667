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
template <typename E, typename A>
auto
EnumAccessorOf(A member, int) -> decltype(MakeEnumAccessor<E>(member))
{
    return MakeEnumAccessor<E>(member);
}

template <typename E, typename A>
auto
EnumAccessorOf(A member, long) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

} // namespace internal

/**
 * @brief MakeEnumAccessor for every ns-3 that the module builds with.
 * @tparam E the (unscoped) enum
 * @param member pointer to the member
 * @return the accessor
 */
template <typename E, typename A>
Ptr<const AttributeAccessor>
MakeEnumAccessorFor(A member)
{
    return internal::EnumAccessorOf<E>(member, 0);
}

} // namespace ns3

#endif // AI_FABRIC_ENUM_ATTRIBUTE_H
