// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
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

/// A member of a configuration struct, and what it is. Such a struct is a plain aggregate with
/// defaults and has `static constexpr auto settings()`: a row for each member, in the order of
/// reports. The program reads, writes, checks and documents settings from these rows alone.
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

/// Up to `Count` groups of optional settings. Their keys, `T::kKey` and a number, stand in the
/// group around them; one in which nothing is set is not written.
template <typename T, std::size_t Count>
struct NumberedGroups {
  std::array<T, Count> groups;
};

/// A row of a table of policies: a constant that brings all the program needs to know of its
/// policy. `table()` has the rows that ship, the default first.
template <typename Row>
concept PolicyRow = requires(const Row& row) {
  { row.name } -> std::convertible_to<std::string_view>;
  { Row::table() } -> std::convertible_to<std::span<const Row* const>>;
};

/// The value of a setting that chooses a policy: which row. Settings are read by name from the
/// table. A program of one's own defines a row and assigns it:
///
///   constexpr ArbitrationPolicy kMine{.name = "mine", …};
///   config.hbm.arbitration = kMine;
///
/// Two choices are equal when they are the same row.
template <typename Row>
class Choice {
 public:
  Choice() : row_(Row::table().front()) {}
  constexpr Choice(const Row& row) : row_(&row) {}  // NOLINT(google-explicit-constructor)
  Choice(const Row&& temporary) = delete;           // a row outlives its choices

  constexpr const Row& operator*() const { return *row_; }
  constexpr const Row* operator->() const { return row_; }
  constexpr bool operator==(const Choice&) const = default;

  /// The row of the table that has this name, or null.
  static const Row* find(std::string_view name) {
    for (const Row* row : Row::table()) {
      if (row->name == name) return row;
    }
    return nullptr;
  }

 private:
  const Row* row_;
};

}  // namespace t3
