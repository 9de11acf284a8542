// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/setting.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "testbench/config/config_error.h"
#include "testbench/config/quantity.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

namespace json = boost::json;

std::string join(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

struct Candidate {
  std::string path;
  std::ptrdiff_t unlikeness = std::numeric_limits<std::ptrdiff_t>::max();
};

void nearestBelow(const Setting& group, const std::string& path, std::string_view key,
                  std::ptrdiff_t handicap, Candidate& best) {
  for (const Setting& member : group.members) {
    const std::string memberPath = join(path, member.key);
    const std::ptrdiff_t distance = unlikeness(key, member.key) + handicap;
    if (distance < best.unlikeness && isNear(key, member.key)) best = {memberPath, distance};
    nearestBelow(member, memberPath, key, handicap, best);
  }
}

/// Dotted path of the setting whose name is nearest to `key`; "" if none is near. One outside
/// `group`, where the key was looked for, must be nearer by more than two letters.
std::string suggestion(const Setting& root, const Setting& group, const std::string& path,
                       std::string_view key) {
  Candidate best;
  nearestBelow(group, path, key, 0, best);
  nearestBelow(root, "", key, 2, best);
  return best.path;
}

/// A value as it would stand in a file, shortened.
std::string shown(const json::value& value) {
  if (value.is_double()) return formatNumber(value.get_double());
  return shortened(json::serialize(value));
}

const Setting& memberOrThrow(const Setting& root, const Setting& group, const std::string& path,
                             std::string_view key, const std::string& source) {
  const Setting* member = group.find(key);
  if (member != nullptr) return *member;
  if (group.kind != Setting::Kind::Group) {
    throw ConfigError(source, join(path, key), "unknown key; '" + path + "' is a single value");
  }
  const std::string near = suggestion(root, group, path, key);
  throw ConfigError(source, join(path, key),
                    near.empty() ? "unknown key (t3sim explain lists all)"
                                 : "unknown key; the nearest is '" + near + "'");
}

/// Without a fraction that is none: "1000".
std::string shortNumber(double value) {
  std::string text = formatNumber(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

bool holdsNumber(const Setting& setting) {
  return setting.kind == Setting::Kind::Integer || setting.kind == Setting::Kind::Number;
}

/// The number that "1us" is in the unit of the setting; null if it is none.
json::value inSettingsUnit(const Setting& setting, std::string_view word) {
  const std::optional<double> number = inUnit(word, setting.info->unit);
  return number ? json::value(*number) : json::value(nullptr);
}

/// `source` says where the value of a dotted path stands.
using Source = std::function<std::string(const std::string&)>;

void read(const Setting& root, const Setting& setting, const json::value& value,
          const std::string& path, const Source& source) {
  if (value.is_string() && !isUtf8(std::string_view(value.get_string()))) {
    throw ConfigError(source(path), path, "expected text in UTF-8, got other bytes");
  }
  if (setting.kind != Setting::Kind::Group) {
    const bool quantity = holdsNumber(setting) && value.is_string();
    if (setting.assign(quantity ? inSettingsUnit(setting, value.get_string()) : value)) return;
    throw ConfigError(source(path), path,
                      "expected " + setting.expected() + ", got " + shown(value) +
                          (quantity ? unitsNote(setting.info->unit) : ""));
  }
  const json::object* object = value.if_object();
  if (object == nullptr) {
    throw ConfigError(source(path), path,
                      "expected " + setting.expected() + ", got " + shown(value));
  }
  for (const auto& [key, element] : *object) {
    const std::string below = join(path, std::string_view(key));
    const Setting* known = setting.find(std::string_view(key));
    const Setting& member =
        known != nullptr ? *known
                         : memberOrThrow(root, setting, path, std::string_view(key), source(below));
    read(root, member, element, below, source);
  }
}

/// ", got 3" for a violated rule of a group that does not end with the value of its setting.
std::string gotNote(const Setting& group, std::string_view violated) {
  if (violated.find("got ") != std::string_view::npos) return "";
  std::string_view path = violated.substr(0, violated.find(": "));
  const Setting* setting = &group;
  while (setting != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    setting = setting->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (setting == nullptr || !setting->get) return "";
  const json::value value = setting->get();
  return ", got " + (value.is_string() ? std::string(value.get_string()) : shown(value));
}

std::optional<std::string> crossCheck(const Setting& group, const std::string& path) {
  for (const Setting& member : group.members) {
    if (auto violated = crossCheck(member, join(path, member.key))) return violated;
  }
  if (!group.crossCheck) return std::nullopt;
  auto violated = group.crossCheck();
  if (!violated) return std::nullopt;
  return (path.empty() ? "" : path + ".") + *violated + gotNote(group, *violated);
}

}  // namespace

const Setting* Setting::find(std::string_view memberKey) const {
  for (const Setting& member : members) {
    if (member.key == memberKey) return &member;
  }
  return nullptr;
}

std::string Setting::expected() const {
  const auto range = [&](const char* noun) {
    const std::string unit = *info->unit == '\0' ? "" : std::string(" (") + info->unit + ")";
    return noun + (" from " + shortNumber(info->minimum) + " to ") + shortNumber(info->maximum) +
           unit;
  };
  switch (kind) {
    case Kind::Group: {
      std::vector<std::string> keys;
      for (const Setting& member : members) {
        const std::string& name = member.series.empty() ? member.key : member.series;
        if (keys.empty() || keys.back() != name) keys.push_back(name);
      }
      constexpr std::size_t kNamed = 6;
      if (keys.size() <= kNamed) return "an object with any of " + alternatives(keys);
      return "an object of settings, such as " + inQuotes(keys.front()) +
             " (t3sim explain lists them)";
    }
    case Kind::Boolean:
      return "true or false";
    case Kind::Integer:
      return range("a whole number");
    case Kind::Number:
      return range("a number");
    case Kind::Text:
      return "a text";
    case Kind::Choice:
      return alternatives(choices);
  }
  return "";
}

void readSettings(const Setting& root, const json::value& values, const std::string& source) {
  read(root, root, values, "", [&](const std::string&) { return source; });
}

void readSettings(const Setting& root, const json::value& values, const JsonFile& file) {
  read(root, root, values, "", [&](const std::string& path) { return file.placeOf(path); });
}

const Setting& settingAt(const Setting& root, std::string_view path, const std::string& source) {
  std::string above;
  const Setting* setting = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    setting = &memberOrThrow(root, *setting, above, key, source);
    if (dot == std::string_view::npos) return *setting;
    above = join(above, key);
    path = path.substr(dot + 1);
  }
}

void applyAssignment(const Setting& root, std::string_view assignment, const std::string& option) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw ConfigError(option, "", "expected key.path=value, got " + inQuotes(assignment));
  }
  const std::string_view text = assignment.substr(equals + 1);
  const std::string path(assignment.substr(0, equals));
  const Setting* setting = &settingAt(root, path, option);
  json::value value;
  if (setting->kind == Setting::Kind::Group) {
    value = parseJsonText(text, option + " " + path);
  } else {
    json::error_code error;
    value = json::parse(json::string_view(text.data(), text.size()), error);
    const bool textual =
        setting->kind == Setting::Kind::Text || setting->kind == Setting::Kind::Choice;
    if (error || (textual && !value.is_string())) {
      value = json::string(text.data(), text.size());
    }
  }
  // --seed says its key already.
  read(root, *setting, value, option == "--" + path ? "" : path,
       [&](const std::string&) { return option; });
}

std::string withoutUnit(const Setting& setting, const std::string& word) {
  if (!holdsNumber(setting)) return word;
  const std::optional<double> number = inUnit(word, setting.info->unit);
  return number ? shortNumber(*number) : word;
}

std::optional<std::string> crossCheckSettings(const Setting& root) { return crossCheck(root, ""); }

}  // namespace t3
