// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/json_schema.h"

#include <vector>

#include "testbench/config/quantity.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// Of a number with one of these units. No unit has a letter that means something in a pattern.
std::string patternOf(const std::vector<std::string>& units) {
  std::string words;
  for (const std::string& unit : units) words += (words.empty() ? "" : "|") + unit;
  return "^-?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? *(" + words + ")$";
}

json::object leafSchema(const Setting& setting) {
  json::object schema;
  const FieldInfo& info = *setting.info;
  switch (setting.kind) {
    case Setting::Kind::Boolean:
      schema["type"] = "boolean";
      break;
    case Setting::Kind::Integer:
      schema = {{"type", "integer"},
                {"minimum", static_cast<std::int64_t>(info.minimum)},
                {"maximum", static_cast<std::uint64_t>(info.maximum)}};
      break;
    case Setting::Kind::Number:
      schema = {{"type", "number"}, {"minimum", info.minimum}, {"maximum", info.maximum}};
      break;
    case Setting::Kind::Choice:
      schema = detail::oneOf(setting.choices);
      break;
    case Setting::Kind::Text:
    case Setting::Kind::Group:
      schema["type"] = "string";
      break;
  }
  if (const std::vector<std::string> units = unitsLike(info.unit); !units.empty()) {
    schema["type"] = {schema["type"], "string"};
    schema["pattern"] = patternOf(units);
  }
  const std::string unit = *info.unit == '\0' ? "" : std::string(" (") + info.unit + ")";
  schema["description"] = info.text + unit;
  if (const json::value value = setting.get(); !value.is_null()) schema["default"] = value;
  return schema;
}

}  // namespace

json::object settingsSchema(const Setting& root) {
  json::object properties, patterns;
  for (const Setting& member : root.members) {
    if (!member.series.empty()) {
      const std::string pattern =
          "^" + member.series.substr(0, member.series.size() - 1) + "[0-9]+$";
      if (!patterns.contains(pattern)) patterns[pattern] = settingsSchema(member);
    } else if (member.kind == Setting::Kind::Group) {
      properties[member.key] = settingsSchema(member);
    } else {
      properties[member.key] = leafSchema(member);
    }
  }
  json::object schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!patterns.empty()) schema["patternProperties"] = std::move(patterns);
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace t3
