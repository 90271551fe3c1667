// SPDX-License-Identifier: GPL-2.0-only
#ifndef ATTRIBUTE_SETTING_H
#define ATTRIBUTE_SETTING_H

#include "input-error.h"

#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3
{

/// An attribute by name, with a value as text that ns-3 accepts.
struct AttributeSetting
{
    std::string type; ///< TypeId, such as ns3::DcqcnCongestionOps
    std::string name; ///< attribute, such as RateAi
    std::string value;
};

/**
 * Checks that type and attribute exist and that the value is one, with a message where ns-3 itself
 * would end the program.
 * @param setting as the user wrote it
 * @param place for the message
 * @return it, the value in a form that ns-3 reads
 */
AttributeSetting CheckAttribute(const AttributeSetting& setting, const InputPlace& place);

/**
 * Refuses an attribute that the type has from a parent: as a default ns-3 sets it of the parent
 * only.
 * @param setting whose type and attribute exist
 * @param place for the message
 */
void RefuseInherited(const AttributeSetting& setting, const InputPlace& place);

/**
 * Presets set attributes of their own, so defaults alone (Config::SetDefault) do not reach them:
 * this does.
 * @param settings of any types
 * @param factory gets those that are of its type or of one that its type derives from
 */
void ApplyAttributes(const std::vector<AttributeSetting>& settings, ObjectFactory& factory);

} // namespace ns3

#endif // ATTRIBUTE_SETTING_H
