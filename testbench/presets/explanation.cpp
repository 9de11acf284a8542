// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/explanation.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <functional>
#include <map>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
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

namespace {

constexpr const char* kIntroduction = R"md(# Configuration

<!-- Generated: t3sim presets --document > docs/configuration.md -->

A scenario is a JSON object with the keys below; `t3sim presets --show NAME` prints a whole one. `--config FILE` reads one:
comments and trailing commas are allowed, a missing key takes its default, and an unknown or duplicate key, a wrong type or a
value out of range ends the program with exit code 2 and one line that names it. `--set key.path=value` changes one setting; later
ones win. The `scenario` of a JSON report is itself a valid file. With the key `preset` a file extends a preset: what it does not
say, that one does. `{"preset": "tiny-tp4", "link": {"latency_ns": "1us"}}` is a whole file.

A number is in the unit that stands in its key and below, or has a unit of its own: `--set link.latency_ns=1us`,
`"capacity_bytes": "16MiB"`. There are ps, ns, us, ms and s; Hz, kHz, MHz and GHz; B, kB, MB, GB (thousands), KiB, MiB and GiB;
MB/s, GB/s, TB/s, MiB/s, GiB/s, TiB/s, Mbit/s, Gbit/s and Tbit/s; pJ, nJ and uJ; fJ/bit, pJ/bit and nJ/bit. Conversion is exact:
where a whole number is expected, 0.1KiB is refused. A report always has the unit of the key.

Member names are the keys, and end in their unit. Where a text below says *assumption*, no source gives the value; change it and
see what it does. Terms: [glossary](glossary.md).
)md";

constexpr const char* kPresetRows = R"md(
| preset | GPUs | rows | columns | layers | depth (K/N) |
| --- | --- | --- | --- | --- | --- |
)md";

constexpr const char* kPresetsIntroduction = R"md(
## Presets

The output of every sublayer is tokens x hidden (H); its rows are the longer of the two, in pairs (`op-fc1`, `fc2-qkv`) the tokens.
Each of N GPUs has 1/N of K: H for OP, 4H for FC-2 and FC-1 (Llama 3 405B: 53,248), 3H for IP. Hidden sizes and layers are the
models' published ones, numbers of tokens are assumptions. All else is the default of the tables above, but for Llama 3 405B, on
nodes of 8 GPUs (`two-level`), and `tiny`: 16 compute units, tiles of 64 x 64, checked data. `tiny-edge` has cut tiles and chunks,
`tiny-pair` a norm and a second GEMM.

SUBLAYER in a name is one of these:

)md";

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string plain(const boost::json::value& value) {
  if (value.is_null()) return "";
  if (value.is_double()) return formatNumber(value.get_double());
  return boost::json::serialize(value);
}

void describe(std::string& out, const Setting& group, const std::string& path) {
  out += "\n## " + (path.empty() ? std::string("Scenario") : "`" + path + "`") + "\n\n";
  out += "| key | default | legal | |\n| --- | --- | --- | --- |\n";
  std::string deeper;
  std::string series;
  for (const Setting& member : group.members) {
    if (!member.series.empty() && member.series == series) continue;  // all alike
    series = member.series;
    const std::string key = series.empty() ? member.key : series;
    const std::string memberPath = path.empty() ? key : path + "." + key;
    if (member.kind == Setting::Kind::Group) {
      if (path.empty()) {  // below, headings are enough
        out += "| `" + key + "` | | an object" + (series.empty() ? "" : " for each N from 0") +
               " | see `" + memberPath + "` |\n";
      }
      describe(deeper, member, memberPath);
      continue;
    }
    out += "| `" + member.key + "` | " + cell(plain(member.get())) + " | " +
           cell(member.expected()) + " | " + cell(member.info->text) + " |\n";
  }
  out += deeper;
}

/// What presets of one row have in common: all but sublayer and depth.
std::string rowOf(const Preset& preset) {
  const std::string& name = preset.name;
  const std::size_t model = name.find("-" + preset.key + "-tp");
  const std::string common =
      model == std::string::npos || preset.key.empty()
          ? name
          : name.substr(0, model) + "-SUBLAYER" + name.substr(model + 1 + preset.key.size());
  const WorkloadConfig& gemm = preset.config.workload;
  return "| `" + common + "` | " + std::to_string(preset.config.gpus) + " | " +
         std::to_string(gemm.rows) + " | " + std::to_string(gemm.columns) + " | " +
         (preset.layers > 0 ? std::to_string(preset.layers) : "") + " | ";
}

/// What each sublayer of a name is.
std::string sublayers() {
  std::string text;
  for (const Preset& preset : presets()) {
    const std::string line = "* `" + preset.key + "`: " + preset.role + "\n";
    if (!preset.key.empty() && text.find(line) == std::string::npos) text += line;
  }
  return text;
}

/// A row for presets that follow each other and differ in sublayer and depth only.
std::string presetRows() {
  std::string text;
  std::string row;
  for (const Preset& preset : presets()) {
    const bool alike = rowOf(preset) == row;
    if (!alike && !row.empty()) text += " |\n";
    if (!alike) row = rowOf(preset);
    text += (alike ? ", " : row) + (preset.key.empty() ? "" : "`" + preset.key + "` ") +
            std::to_string(preset.config.workload.depth);
  }
  return text + " |\n";
}

}  // namespace

std::string configurationDocument() {
  SystemConfig defaults;
  std::string text = kIntroduction;
  describe(text, bindSettings(defaults), "");
  return text + kPresetsIntroduction + sublayers() + kPresetRows + presetRows();
}

}  // namespace t3
