// SPDX-License-Identifier: GPL-2.0-only
#ifndef UINT128_H
#define UINT128_H

namespace ns3
{

/// Products of two 64-bit numbers. Compilers that keep to the letter of ISO C++ warn of the type.
__extension__ using Uint128 = unsigned __int128;

} // namespace ns3

#endif // UINT128_H
