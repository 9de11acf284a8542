// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>

namespace t3 {

/// What a person needs to know about one setting.
struct FieldInfo {
  const char* key;   ///< member name, which is the JSON key
  const char* unit;  ///< "ns", "MHz", "bytes", "" …
  double minimum;    ///< smallest legal value; for text, booleans and enums minimum = maximum = 0
  double maximum;
  const char* text;  ///< what it is, and the source of the default
};

/// A member of a configuration struct, and what it is. Every configuration struct is a plain
/// aggregate with defaults, and has `static constexpr auto settings()`: a tuple with one row for
/// each member, in the order in which reports list them. The program reads, writes, range-checks
/// and documents settings from these rows alone.
template <typename Owner, typename Value>
struct SettingRow {
  Value Owner::*member;
  FieldInfo info;
};
template <typename Owner, typename Value>
constexpr SettingRow<Owner, Value> setting(Value Owner::*member, const char* key, const char* unit,
                                           double minimum, double maximum, const char* text) {
  return {member, {key, unit, minimum, maximum, text}};
}
/// A member that has settings of its own.
template <typename Owner, typename Group>
constexpr SettingRow<Owner, Group> settingGroup(Group Owner::*member, const char* key) {
  return {member, {key, "", 0, 0, ""}};
}

// Rows of the struct C; a setting's key is the name of its member.
#define T3_SETTING(member, unit, minimum, maximum, text) \
  ::t3::setting(&C::member, #member, unit, minimum, maximum, text)
#define T3_SETTING_GROUP(member) ::t3::settingGroup(&C::member, #member)

/// The rows of a configuration struct, at one address.
template <typename Config>
inline constexpr auto kSettings = Config::settings();

/// The row of `member`.
template <typename Owner, typename Value>
constexpr const FieldInfo& settingInfo(Value Owner::*member) {
  const FieldInfo* found = nullptr;
  std::apply(
      [&](const auto&... row) {
        const auto look = [&](const auto& one) {
          if constexpr (std::is_same_v<decltype(one.member), Value Owner::*>) {
            if (one.member == member) found = &one.info;
          }
        };
        (look(row), ...);
      },
      kSettings<Owner>);
  return *found;
}

/// An optional value that replaces `replaced` of another struct: the same key, unit and range.
template <typename Owner, typename Value, typename Other>
struct InsteadRow : SettingRow<Owner, std::optional<Value>> {
  Value Other::*replaced;
};
template <typename Owner, typename Value, typename Other>
constexpr InsteadRow<Owner, Value, Other> settingInstead(std::optional<Value> Owner::*member,
                                                         Value Other::*replaced, const char* text) {
  FieldInfo info = settingInfo(replaced);
  info.text = text;
  return {{member, info}, replaced};
}

/// Puts the values of `instead` that are set in the place of those of `config`.
template <typename Owner, typename Config>
void replaceSettings(Config& config, const Owner& instead) {
  const auto replace = [&](const auto& row) {
    if constexpr (requires { config.*row.replaced; }) {
      if (const auto& value = instead.*row.member) config.*row.replaced = *value;
    }
  };
  std::apply([&](const auto&... row) { (replace(row), ...); }, kSettings<Owner>);
}

/// Up to `Count` groups of settings of one kind, in which every value is a std::optional. Their
/// keys, `T::kKey` and a number, stand in the group around them; one in which nothing is set is not
/// written.
template <typename T, std::size_t Count>
struct NumberedGroups {
  std::array<T, Count> groups;
};

}  // namespace t3
