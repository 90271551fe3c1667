// SPDX-License-Identifier: GPL-2.0-only
#include "attribute-setting.h"

#include "json-document.h"
#include "quantity.h"

#include "ns3/dscp-map.h"
#include "ns3/queue-pair.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ns3
{

namespace
{

std::string
WithNearest(const std::string& text, const std::string& nearest)
{
    return nearest.empty() ? text : text + ", did you mean \"" + nearest + "\"?";
}

TypeId
FindType(const std::string& name, const InputPlace& place)
{
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(name, &type))
    {
        std::vector<std::string> names;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
        {
            names.push_back(TypeId::GetRegistered(i).GetName());
        }
        throw InputError(
            place,
            WithNearest("no type is called \"" + name + "\"", NearestWord(name, names)),
            "TYPE::ATTRIBUTE, like \"ns3::DcqcnCongestionOps::RateAi\"");
    }
    return type;
}

TypeId::AttributeInformation
FindAttribute(TypeId type, const std::string& name, const InputPlace& place)
{
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        std::vector<std::string> names;
        for (TypeId t = type;; t = t.GetParent())
        {
            for (size_t i = 0; i < t.GetAttributeN(); i++)
            {
                names.push_back(t.GetAttribute(i).name);
            }
            if (!t.HasParent() || t.GetParent() == t)
            {
                break;
            }
        }
        throw InputError(place,
                         WithNearest(type.GetName() + " has no attribute \"" + name + "\"",
                                     NearestWord(name, names)),
                         names.empty() ? "" : ListWords(names));
    }
    if (!(info.flags & (TypeId::ATTR_SET | TypeId::ATTR_CONSTRUCT)))
    {
        throw InputError(place,
                         type.GetName() + "::" + name + " is read-only",
                         "another attribute");
    }
    return info;
}

/// What an enumeration's checker tells: A|B|C.
std::vector<std::string>
SplitNames(const std::string& text)
{
    std::vector<std::string> names(1);
    for (char c : text)
    {
        if (c == '|')
        {
            names.emplace_back();
        }
        else
        {
            names.back().push_back(c);
        }
    }
    return names;
}

std::string
CheckName(const std::string& value, const std::vector<std::string>& names, const InputPlace& place)
{
    if (std::find(names.begin(), names.end(), value) == names.end())
    {
        throw InputError(place,
                         WithNearest("\"" + value + "\" is not known", NearestWord(value, names)),
                         ListWords(names));
    }
    return value;
}

std::string
CheckBoolean(const std::string& value, const InputPlace& place)
{
    if (value != "true" && value != "false")
    {
        throw InputError(place, "\"" + value + "\" is not true or false", "true or false");
    }
    return value;
}

/// @return the value as ns-3 reads it, checked as far as its kind goes
std::string
CheckKind(const std::string& kind,
          const AttributeChecker& checker,
          const std::string& value,
          const InputPlace& place)
{
    const double most = std::numeric_limits<double>::max();
    if (kind == "BooleanValue")
    {
        return CheckBoolean(value, place);
    }
    if (kind == "UintegerValue")
    {
        return std::to_string(ParseUnsigned(value, place));
    }
    if (kind == "IntegerValue" || kind == "DoubleValue")
    {
        ParseDouble(value, place, -most, most);
        return value;
    }
    if (kind == "TimeValue")
    {
        return std::to_string(ParseTime(value, place).GetPicoSeconds()) + "ps";
    }
    if (kind == "DataRateValue")
    {
        return std::to_string(ParseDataRate(value, place).GetBitRate()) + "bps";
    }
    if (kind == "EnumValue")
    {
        return CheckName(value, SplitNames(checker.GetUnderlyingTypeInformation()), place);
    }
    if (kind == "TypeIdValue")
    {
        return FindType(value, place).GetName();
    }
    if (kind == "StringValue")
    {
        return value; // RefuseBadText() knows those with a form of their own
    }
    throw InputError(place,
                     "a " + kind + " cannot be written in a scenario",
                     "an attribute that is a number, a name, a time, a rate or text");
}

/// Refuses text that its attribute could not read. @param attribute its full name
/// @param value the text @param place where it stands
void
RefuseBadText(const std::string& attribute, const std::string& value, const InputPlace& place)
{
    std::string error;
    if (attribute == "ns3::FabricNetDevice::DscpToClass")
    {
        DscpMap::Parse(value, error);
    }
    else if (attribute == "ns3::QueuePair::UdpSourcePorts")
    {
        QueuePair::ParseSourcePorts(value, error);
    }
    if (!error.empty())
    {
        throw InputError(place, error);
    }
}

/// Refuses what a key of the scenario sets on each object: a value here would have no effect.
void
RefuseGoverned(const std::string& attribute, const InputPlace& place)
{
    static const std::map<std::string, std::string> KEYS{
        {"ns3::FabricChannel::Delay", "a delay of topology"},
        {"ns3::FabricNetDevice::DataRate", "a rate of topology"},
        {"ns3::FabricNetDevice::Address", "nothing: addresses follow from the topology"},
        {"ns3::FabricNetDevice::VlanId", "network.vlan"},
        {"ns3::QueuePair::Ipv6", "network.ipVersion"},
        {"ns3::QueuePair::Type", "nothing: jobs use RC; a perftest has its own connection key"},
        {"ns3::QueuePair::BaseRtt", "network.baseRtt"},
        {"ns3::QueuePair::RetryForever", "network.retryCount"},
        {"ns3::QueuePair::SegmentsPerFrame", "network.segmentsPerFrame"},
        {"ns3::QueuePair::CongestionScope", "network.congestionControl.scope"},
        {"ns3::RdmaNic::TimestampResolution", "network.timestampResolution"},
        {"ns3::RedEcnMarker::Kmin", "network.ecn.kmin"},
        {"ns3::RedEcnMarker::Kmax", "network.ecn.kmax"},
        {"ns3::RedEcnMarker::Pmax", "network.ecn.pmax"},
        {"ns3::StepEcnMarker::Threshold", "network.ecn.threshold"},
        {"ns3::FabricRouting::ConvergenceTime", "network.routing.convergenceTime"},
        {"ns3::PfcWatchdog::DetectionTime", "network.pfc.watchdog.detectionTime"},
        {"ns3::PfcWatchdog::RestorationTime", "network.pfc.watchdog.restorationTime"},
        {"ns3::PfcWatchdog::Action", "network.pfc.watchdog.action"},
        {"ns3::RdmaFlowApplication::Bytes", "bytes of a flow"},
        {"ns3::RdmaFlowApplication::FlowId", "nothing: flows are numbered"},
    };
    auto key = KEYS.find(attribute);
    // Whatever path selector it is: FabricHelper gives each switch its own.
    bool isSeed = attribute.find("PathSelector::Seed") != std::string::npos;
    if (key != KEYS.end() || isSeed)
    {
        throw InputError(place,
                         attribute + " is set by the scenario itself",
                         isSeed ? "seed" : key->second);
    }
}

} // namespace

AttributeSetting
CheckAttribute(const AttributeSetting& setting, const InputPlace& place)
{
    TypeId type = FindType(setting.type, place);
    TypeId::AttributeInformation info = FindAttribute(type, setting.name, place);
    RefuseGoverned(setting.type + "::" + setting.name, place);
    RefuseBadText(setting.type + "::" + setting.name, setting.value, place);
    // Some say "ns3::TimeValue", some "DataRateValue", and newer ns-3 "ns3::EnumValue<...>".
    std::string kind = info.checker->GetValueTypeName();
    kind = kind.substr(0, kind.find('<'));
    kind = kind.substr(kind.rfind(':') + 1);
    AttributeSetting checked = setting;
    checked.value = CheckKind(kind, *info.checker, setting.value, place);
    if (!info.checker->CreateValidValue(StringValue(checked.value)))
    {
        throw InputError(place,
                         "\"" + setting.value + "\" is not allowed for " + setting.type +
                             "::" + setting.name,
                         info.checker->HasUnderlyingTypeInformation()
                             ? info.checker->GetUnderlyingTypeInformation()
                             : kind);
    }
    return checked;
}

void
RefuseInherited(const AttributeSetting& setting, const InputPlace& place)
{
    auto declares = [&setting](TypeId type) {
        for (size_t i = 0; i < type.GetAttributeN(); i++)
        {
            if (type.GetAttribute(i).name == setting.name)
            {
                return true;
            }
        }
        return false;
    };
    TypeId type = TypeId::LookupByName(setting.type);
    if (declares(type))
    {
        return;
    }
    while (type.HasParent() && !declares(type))
    {
        type = type.GetParent();
    }
    throw InputError(place,
                     setting.type + " has " + setting.name + " from " + type.GetName(),
                     type.GetName() + "::" + setting.name);
}

void
ApplyAttributes(const std::vector<AttributeSetting>& settings, ObjectFactory& factory)
{
    for (const AttributeSetting& setting : settings)
    {
        TypeId type = TypeId::LookupByName(setting.type);
        if (factory.GetTypeId() == type || factory.GetTypeId().IsChildOf(type))
        {
            factory.Set(setting.name, StringValue(setting.value));
        }
    }
}

} // namespace ns3
