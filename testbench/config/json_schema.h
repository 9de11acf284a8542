// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <concepts>
#include <span>
#include <string>
#include <type_traits>

#include "testbench/config/described_json.h"
#include "testbench/config/setting.h"

namespace t3 {

/// What a member of a described struct means, for those who read its JSON. A struct may have a
/// `static constexpr` array of these, `kTexts`, with a row for some or all members.
struct MemberText {
  const char* member;
  const char* text;
};

namespace detail {

template <typename T>
std::string textOf([[maybe_unused]] const char* name) {
  if constexpr (requires { T::kTexts; }) {
    for (const MemberText& row : T::kTexts) {
      if (std::string_view(row.member) == name) return row.text;
    }
  }
  return "";
}

inline boost::json::object oneOf(const auto& words) {
  boost::json::array list;
  for (const auto& word : words) list.emplace_back(std::string_view(word));
  return {{"enum", std::move(list)}};
}

}  // namespace detail

/// What `toJson` makes of a T, as JSON Schema (draft 2020-12). Every member but an `IfSet` is
/// required. Others are allowed, because later versions may add some.
template <typename T>
boost::json::object schemaOf() {
  using boost::json::object;
  if constexpr (DescribedEnum<T>) {
    return detail::oneOf(spellings<T>());
  } else if constexpr (Spelled<T> || std::same_as<T, std::string> || detail::kIsChoice<T>) {
    return {{"type", "string"}};
  } else if constexpr (std::same_as<T, boost::json::value>) {
    return {};
  } else if constexpr (std::same_as<T, object>) {
    return {{"type", "object"}};
  } else if constexpr (detail::kIsIfSet<T>) {
    return schemaOf<typename T::value_type>();
  } else if constexpr (detail::kIsOptional<T>) {
    return {{"anyOf", {schemaOf<typename T::value_type>(), {{"type", "null"}}}}};
  } else if constexpr (detail::kIsVector<T>) {
    return {{"type", "array"}, {"items", schemaOf<typename T::value_type>()}};
  } else if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::unsigned_integral<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::integral<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::floating_point<T>) {
    return {{"type", "number"}};
  } else {
    static_assert(DescribedStruct<T>, "no JSON form for this type");
    object properties;
    boost::json::array required;
    object patterns;
    T defaults;
    forEachMember(defaults, [&]<typename Member>(const char* name, const Member&) {
      if constexpr (detail::kIsNumbered<Member>) {
        patterns["^" + std::string(detail::keyOf<Member>()) + "[0-9]+$"] = {{"type", "object"}};
      } else {
        object member = schemaOf<Member>();
        if (const std::string text = detail::textOf<T>(name); !text.empty()) {
          member["description"] = text;
        }
        properties[name] = std::move(member);
        if constexpr (!detail::kIsIfSet<Member>) required.emplace_back(name);
      }
    });
    object schema = {{"type", "object"}, {"properties", std::move(properties)}};
    if (!patterns.empty()) schema["patternProperties"] = std::move(patterns);
    schema["required"] = std::move(required);
    return schema;
  }
}

/// What `readSettings` takes: ranges, choices, defaults and texts. No setting is required.
boost::json::object settingsSchema(const Setting& root);

}  // namespace t3
