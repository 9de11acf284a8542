// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/document.h"

#include <boost/json/serialize.hpp>
#include <utility>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/presets/presets.h"

namespace t3 {
namespace {

constexpr const char* kIntroduction =
    "# Configuration\n"
    "\n"
    "<!-- Generated: t3sim presets --document > docs/configuration.md -->\n"
    "\n"
    "A scenario is a JSON object with the keys below; `t3sim presets --show NAME` prints a whole "
    "one. `--config FILE` reads one:\n"
    "comments and trailing commas are allowed, a missing key takes its default, and an unknown or "
    "duplicate key, a wrong type or a\n"
    "value out of range ends the program with exit code 2 and one line that names it. `--set "
    "key.path=value` changes one setting; later\n"
    "ones win. The `scenario` of a JSON report is itself a valid file. With the key `preset` a "
    "file extends a preset: what it does not\n"
    "say, that one does. `{\"preset\": \"tiny-tp4\", \"link\": {\"latency_ns\": \"1us\"}}` is a "
    "whole file.\n"
    "\n"
    "A number is in the unit that stands in its key and below, or has a unit of its own: `--set "
    "link.latency_ns=1us`,\n"
    "`\"capacity_bytes\": \"16MiB\"`. There are ps, ns, us, ms and s; Hz, kHz, MHz and GHz; B, kB, "
    "MB, GB (thousands), KiB, MiB and GiB;\n"
    "MB/s, GB/s, TB/s, MiB/s, GiB/s, TiB/s, Mbit/s, Gbit/s and Tbit/s; pJ, nJ and uJ; fJ/bit, "
    "pJ/bit and nJ/bit. Conversion is exact:\n"
    "where a whole number is expected, 0.1KiB is refused. A report always has the unit of the "
    "key.\n"
    "\n"
    "Member names are the keys, and end in their unit. Where a text below says *assumption*, no "
    "source gives the value; change it and\n"
    "see what it does. Terms: [glossary](glossary.md).\n";

constexpr const char* kPresetsIntroduction =
    "\n## Presets\n"
    "\n"
    "The output of every sublayer is tokens x hidden; each of N GPUs has 1/N of K, which is H for "
    "OP,\n"
    "4H for FC-2 and FC-1 (Llama 3 405B: 53,248), 3H for IP. Hidden sizes and layers are the\n"
    "models' published ones, the numbers of tokens are assumptions. All else is the default of "
    "the\n"
    "tables above, except in the presets of Llama 3 405B, which are on a `two-level` fabric, "
    "nodes\n"
    "of 8 GPUs, and in the `tiny` presets: 16 compute units, tiles of 64 x 64, checked data.\n"
    "\n"
    "| preset | GPUs | rows (tokens) | columns (H) | depth (K/N) | layers | |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n";

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

}  // namespace

std::string configurationDocument() {
  SystemConfig defaults;
  std::string text = kIntroduction;
  describe(text, bindSettings(defaults), "");
  text += kPresetsIntroduction;
  for (const Preset& preset : presets()) {
    const SystemConfig& config = preset.config;
    text += "| `" + preset.name + "` | " + std::to_string(config.gpus) + " | " +
            std::to_string(config.workload.rows) + " | " + std::to_string(config.workload.columns) +
            " | " + std::to_string(config.workload.depth) + " | " +
            (preset.layers > 0 ? std::to_string(preset.layers) : "") + " | " +
            cell(preset.summary) + " |\n";
  }
  return text;
}

}  // namespace t3
