// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/explanation.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/paragraph.h"
#include "testbench/config/setting.h"
#include "testbench/presets/presets.h"
#include "tlm/tracker/make_tracker.h"

namespace t3 {
namespace {

constexpr std::size_t kWidth = 80;
constexpr const char* kIndent = "    ";

std::string shown(const boost::json::value& value) {
  if (value.is_null()) return "(not set)";
  if (value.is_double()) return formatNumber(value.get_double());
  if (value.is_string()) return std::string(value.get_string());
  return boost::json::serialize(value);
}

using Visit = std::function<void(const std::string& path, const Setting& setting)>;

/// Every single setting below `group`. Of numbered groups only the first is visited.
void forEachSetting(const Setting& group, const std::string& path, const Visit& visit) {
  std::string series;
  for (const Setting& member : group.members) {
    if (!member.series.empty() && member.series == series) continue;
    series = member.series;
    const std::string memberPath = path.empty() ? member.key : path + "." + member.key;
    if (member.kind == Setting::Kind::Group) {
      forEachSetting(member, memberPath, visit);
    } else {
      visit(memberPath, member);
    }
  }
}

std::string line(const std::string& path, const Setting& setting) {
  return path + " = " + shown(setting.get()) + "\n";
}

std::string whole(const std::string& path, const Setting& setting) {
  std::string text = line(path, setting) + wrapped(setting.expected(), kWidth, kIndent);
  if (*setting.info->text != '\0') text += wrapped(setting.info->text, kWidth, kIndent);
  constexpr std::string_view kTracker = "tracker.";
  if (path.starts_with(kTracker)) {
    const std::string rtl = rtlLegal(std::string_view(path).substr(kTracker.size()));
    if (!rtl.empty()) text += wrapped("--tracker rtl, lockstep: " + rtl, kWidth, kIndent);
  }
  // Presets by their value of this setting.
  const auto before = [](const std::string& one, const std::string& other) {
    char *end = nullptr, *otherEnd = nullptr;
    const double value = std::strtod(one.c_str(), &end);
    const double otherValue = std::strtod(other.c_str(), &otherEnd);
    if (*end != '\0' || *otherEnd != '\0') return one < other;  // not numbers
    return value < otherValue;
  };
  std::map<std::string, std::vector<std::string>, decltype(before)> others(before);
  const std::string usual = shown(setting.get());
  for (const Preset& preset : presets()) {
    SystemConfig config = preset.config;
    const std::string value = shown(settingAt(bindSettings(config), path, "").get());
    if (value != usual) others[value].push_back(preset.name);
  }
  for (const auto& [value, names] : others) {
    std::string list = value + " in ";
    constexpr std::size_t kNamed = 4;
    for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
      list += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > kNamed) list += " and " + std::to_string(names.size() - kNamed) + " more";
    text += wrapped(list, kWidth, kIndent);
  }
  return text;
}

}  // namespace

std::string explanation(const std::string& word) {
  SystemConfig defaults;
  const Setting root = bindSettings(defaults);
  std::string list;
  const Visit add = [&list](const std::string& path, const Setting& setting) {
    list += line(path, setting);
  };
  if (word.empty()) {
    forEachSetting(root, "", add);
    return list;
  }
  try {
    const Setting& setting = settingAt(root, word, "explain");
    if (setting.kind != Setting::Kind::Group) return whole(word, setting);
    forEachSetting(setting, word, add);
    return list;
  } catch (const ConfigError&) {
    forEachSetting(root, "", [&](const std::string& path, const Setting& setting) {
      if (path.find(word) != std::string::npos) add(path, setting);
    });
    if (list.empty()) throw;
    return list;
  }
}

std::vector<std::string> settingPaths() {
  SystemConfig defaults;
  std::vector<std::string> list;
  forEachSetting(bindSettings(defaults), "",
                 [&list](const std::string& path, const Setting&) { list.push_back(path); });
  return list;
}

}  // namespace t3
