// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// A node of a configuration: a group (a configuration struct) or a single value. Reading, writing,
/// listing and documenting settings are functions over a tree of these, so a row added to a
/// configuration struct appears in all four.
///
/// `get` and `assign` refer to the struct the tree was bound to, which has to outlive it.
struct Setting {
  enum class Kind { Group, Boolean, Integer, Number, Text, Choice };

  std::string key;
  Kind kind = Kind::Group;
  std::string series;  ///< "gpuN" if it is one of numbered groups, else empty

  std::vector<Setting> members;                            ///< Group
  std::function<std::optional<std::string>()> crossCheck;  ///< Group: its check(), or empty

  const FieldInfo* info = nullptr;                        ///< all but Group
  std::vector<std::string> choices;                       ///< Choice
  std::function<boost::json::value()> get;                ///< all but Group; null: not set
  std::function<bool(const boost::json::value&)> assign;  ///< false: not a legal value, no effect

  const Setting* find(std::string_view memberKey) const;
  /// "a whole number from 1 to 64 (GPUs)": what a legal value looks like.
  std::string expected() const;
};

namespace detail {

template <typename T>
concept CheckedConfig = requires(const T& config) {
  { config.check() } -> std::same_as<std::optional<std::string>>;
};

template <typename T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

/// Value of a JSON number that is whole and fits into T.
template <WholeNumber T>
std::optional<T> wholeNumber(const boost::json::value& value) {
  const auto narrow = [](auto number) -> std::optional<T> {
    if (!std::in_range<T>(number)) return std::nullopt;
    return static_cast<T>(number);
  };
  if (value.is_int64()) return narrow(value.get_int64());
  if (value.is_uint64()) return narrow(value.get_uint64());
  if (!value.is_double()) return std::nullopt;
  // 1e6 is a whole number too. Beyond 2^53 a double no longer says which one.
  const double number = value.get_double();
  if (std::trunc(number) != number || std::abs(number) > 9007199254740992.0) return std::nullopt;
  return narrow(static_cast<std::int64_t>(number));
}

inline std::optional<double> realNumber(const boost::json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double() && std::isfinite(value.get_double())) return value.get_double();
  return std::nullopt;
}

inline bool inRange(const FieldInfo& info, double value) {
  return value >= info.minimum && value <= info.maximum;
}

template <typename T>
void bindLeaf(Setting& setting, T& member) {
  using Json = const boost::json::value&;
  setting.get = [&member] { return toJson(member); };
  const FieldInfo& info = *setting.info;
  if constexpr (kIsOptional<T>) {
    // Read into a value of its own first, so that an illegal one changes nothing.
    const auto value = std::make_shared<typename T::value_type>();
    bindLeaf(setting, *value);
    setting.get = [&member] { return toJson(member); };
    setting.assign = [&member, value, assign = setting.assign](Json json) {
      if (!assign(json)) return false;
      member = *value;
      return true;
    };
  } else if constexpr (std::same_as<T, bool>) {
    setting.kind = Setting::Kind::Boolean;
    setting.assign = [&member](Json value) {
      if (!value.is_bool()) return false;
      member = value.get_bool();
      return true;
    };
  } else if constexpr (WholeNumber<T>) {
    setting.kind = Setting::Kind::Integer;
    setting.assign = [&member, &info](Json value) {
      const auto number = wholeNumber<T>(value);
      if (!number || !inRange(info, static_cast<double>(*number))) return false;
      member = *number;
      return true;
    };
  } else if constexpr (std::floating_point<T>) {
    setting.kind = Setting::Kind::Number;
    setting.assign = [&member, &info](Json value) {
      const auto number = realNumber(value);
      if (!number || !inRange(info, *number)) return false;
      member = static_cast<T>(*number);
      return true;
    };
  } else if constexpr (DescribedEnum<T>) {
    setting.kind = Setting::Kind::Choice;
    setting.choices = spellings<T>();
    setting.assign = [&member](Json value) {
      if (!value.is_string()) return false;
      const auto choice = fromSpelling<T>(std::string_view(value.get_string()));
      if (choice) member = *choice;
      return choice.has_value();
    };
  } else if constexpr (kIsChoice<T>) {
    setting.kind = Setting::Kind::Choice;
    for (const auto* row : std::remove_cvref_t<decltype(*member)>::table()) {
      setting.choices.emplace_back(row->name);
    }
    setting.assign = [&member](Json value) {
      if (!value.is_string()) return false;
      const auto* row = T::find(std::string_view(value.get_string()));
      if (row != nullptr) member = *row;
      return row != nullptr;
    };
  } else {
    static_assert(std::same_as<T, std::string>, "no JSON form for a setting of this type");
    setting.kind = Setting::Kind::Text;
    setting.assign = [&member](Json value) {
      if (!value.is_string()) return false;
      member = std::string(value.get_string());
      return true;
    };
  }
}

}  // namespace detail

/// The tree of all settings below `config`, bound to it.
template <ConfigStruct T>
Setting bindSettings(T& config, std::string key = "") {
  Setting group;
  group.key = std::move(key);
  if constexpr (detail::CheckedConfig<T>) {
    group.crossCheck = [&config] { return config.check(); };
  }
  const auto bind = [&](const auto& row) {
    auto& member = config.*row.member;
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (ConfigStruct<Member>) {
      group.members.push_back(bindSettings(member, row.info.key));
    } else if constexpr (detail::kIsNumbered<Member>) {
      for (std::size_t i = 0; i < member.groups.size(); ++i) {
        using Group = std::remove_reference_t<decltype(member.groups[i])>;
        group.members.push_back(
            bindSettings(member.groups[i], detail::numberedKey(member.groups[i], i)));
        group.members.back().series = std::string(Group::kKey) + "N";
      }
    } else {
      Setting leaf;
      leaf.key = row.info.key;
      leaf.info = &row.info;
      detail::bindLeaf(leaf, member);
      group.members.push_back(std::move(leaf));
    }
  };
  std::apply([&](const auto&... row) { (bind(row), ...); }, kSettings<T>);
  return group;
}

/// Assigns every value of `values` (an object) to the setting of its name. A number may be a text
/// with a unit, "1us" (quantity.h). Throws ConfigError naming `source`, the dotted key, what was
/// expected, and for an unknown key the nearest one.
void readSettings(const Setting& root, const boost::json::value& values, const std::string& source);
/// The same for values of a file; errors name its line, too.
void readSettings(const Setting& root, const boost::json::value& values, const JsonFile& file);

/// Applies `key.path=value` as given to an option; `option` names it in errors. The value is JSON,
/// or plain text where the setting is a text, a choice or a number with a unit.
void applyAssignment(const Setting& root, std::string_view assignment, const std::string& option);

/// A number with a unit as the plain number that a file has; any other word as it is.
std::string withoutUnit(const Setting& setting, const std::string& word);

/// The setting or group at a dotted path. Throws ConfigError naming `source` and the nearest key.
const Setting& settingAt(const Setting& root, std::string_view path, const std::string& source);

/// The first violated rule between settings, "dotted.key: what was expected"; nullopt if all hold.
std::optional<std::string> crossCheckSettings(const Setting& root);

}  // namespace t3
