// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/result_diff.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// Plain values by their dotted path, in the order of the file.
using Values = std::vector<std::pair<std::string, json::value>>;

struct NamedRun {
  std::string name;
  Values values;
};

/// What a result file holds, whatever its schema.
struct Content {
  DiffSide side;
  std::string schema;
  Values scenario;
  std::vector<NamedRun> runs;
};

/// Members of a run that are details: long, and summed up by the others.
constexpr std::array<std::string_view, 6> kDetails = {"phases",  "nodes",  "sublayers",
                                                      "per_gpu", "memory", "statistics"};

bool isDetail(std::string_view figure) {
  return std::ranges::any_of(kDetails, [&](std::string_view part) {
    return figure.starts_with(part) && (figure.size() == part.size() ||
                                        figure[part.size()] == '.' || figure[part.size()] == '[');
  });
}

const json::value* nameOf(const json::value& element) {
  return element.is_object() ? element.as_object().if_contains("name") : nullptr;
}

/// How the elements of a list are found again in the other file: by their names where all have one
/// of their own, else by their place.
std::vector<std::string> elementNames(const json::array& array) {
  std::vector<std::string> names, places;
  std::unordered_set<std::string> known;
  for (const json::value& element : array) {
    places.push_back(std::to_string(places.size()));
    const json::value* name = nameOf(element);
    if (name == nullptr || !name->is_string()) continue;
    names.emplace_back(name->as_string());
    known.insert(names.back());
  }
  return known.size() == array.size() ? names : places;
}

void flatten(const json::value& value, const std::string& path, Values& values) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      flatten(member, path.empty() ? std::string(key) : path + "." + std::string(key), values);
    }
  } else if (value.is_array()) {
    const json::array& array = value.as_array();
    const std::vector<std::string> names = elementNames(array);
    for (std::size_t i = 0; i < array.size(); ++i) {
      flatten(array[i], path + "[" + names[i] + "]", values);
    }
  } else {
    values.emplace_back(path, value);
  }
}

std::string textOf(const json::value& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) {
    // The first line of an error says what it is; a report of a run that was stuck follows it.
    const std::string text(value.as_string());
    return shortened(text.substr(0, text.find('\n')));
  }
  if (value.is_double()) {
    // Thousandths are enough to read; less than one keeps its first digits.
    const double number = value.as_double();
    return formatNumber(std::abs(number) < 1 ? number : std::round(number * 1e3) / 1e3);
  }
  return json::serialize(value);
}

void addRuns(const json::object& from, const std::string& point, Content& content) {
  for (const json::value& run : from.at("runs").as_array()) {
    json::object figures = run.as_object();
    figures.stable_erase("host");
    figures.stable_erase("time_ps");  // time_ns in another unit
    NamedRun& named = content.runs.emplace_back();
    named.name = point + (point.empty() ? "" : ", ") + std::string(figures.at("mode").as_string());
    figures.stable_erase("mode");
    flatten(figures, "", named.values);
  }
}

std::string pointName(const json::object& point) {
  std::string name;
  for (const char* key : {"part", "study", "label", "preset"}) {
    if (const json::value* word = point.if_contains(key)) {
      name += (name.empty() ? "" : " ") + std::string(word->as_string());
    }
  }
  for (const auto& [key, value] : point.at("settings").as_object()) {
    name += " " + std::string(key) + "=" + textOf(value);
  }
  return name;
}

Content contentOf(const ResultFile& file) {
  Content content;
  try {
    const json::object& root = file.content.as_object();
    const json::object& build = root.at("build").as_object();
    content.side = {file.name, std::string(build.at("version").as_string()),
                    std::string(build.at("commit").as_string())};
    content.schema = std::string(root.at("schema").as_string());
    if (content.schema == "t3sim/1") {
      flatten(root.at("scenario"), "", content.scenario);
      addRuns(root, "", content);
      return content;
    }
    if (content.schema == "t3sim-workload/1") {
      flatten(root.at("scenario"), "", content.scenario);
      json::object read = root.at("trace").as_object();
      for (const char* key : {"files", "notes"}) read.stable_erase(key);
      flatten(read, "workload file", content.scenario);
      addRuns(root, "", content);
      return content;
    }
    if (content.schema == "t3sim-sweep/1" || content.schema == "t3sim-reproduce/1") {
      for (const json::value& point : root.at("points").as_array()) {
        addRuns(point.as_object(), pointName(point.as_object()), content);
      }
      return content;
    }
    if (content.schema == "t3sim-hbm/1") {
      flatten(root.at("hbm"), "hbm", content.scenario);
      flatten(root.at("trace"), "trace", content.scenario);
      json::object figures = root;
      for (const char* key : {"schema", "build", "hbm", "trace", "host"}) figures.stable_erase(key);
      content.runs.push_back({"memory", {}});
      flatten(figures, "", content.runs.back().values);
      return content;
    }
  } catch (const std::exception&) {
    throw ConfigError(file.name, "", "expected a result that t3sim wrote with --json");
  }
  throw ConfigError(file.name, "schema",
                    "expected t3sim/1, t3sim-workload/1, t3sim-sweep/1, t3sim-reproduce/1 or "
                    "t3sim-hbm/1, got " +
                        inQuotes(content.schema));
}

std::optional<double> number(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  return value.to_number<double>();
}

/// Calls `visit(path, a, b)` for every value that is not the same in both; null where one has none.
void forEachChange(const Values& a, const Values& b, const auto& visit) {
  std::unordered_map<std::string_view, const json::value*> other;
  for (const auto& [path, value] : b) other.emplace(path, &value);
  const json::value nothing;
  for (const auto& [path, value] : a) {
    const auto found = other.find(path);
    const json::value& partner = found == other.end() ? nothing : *found->second;
    if (value != partner) visit(path, value, partner);
    if (found != other.end()) other.erase(found);
  }
  for (const auto& [path, value] : b) {
    if (other.contains(path) && !value.is_null()) visit(path, nothing, value);
  }
}

RunChange changeOf(const NamedRun& a, const NamedRun& b, double tolerance, bool details) {
  RunChange run{.name = a.name, .figures = {}};
  forEachChange(a.values, b.values,
                [&](const std::string& path, const json::value& before, const json::value& after) {
                  FigureChange figure{path, before, after, std::nullopt};
                  const auto first = number(before), second = number(after);
                  if (first && second) {
                    if (*first == *second) return;  // 1 and 1.0
                    if (*first != 0) figure.change = (*second - *first) / *first;
                    if (figure.change && std::abs(*figure.change) <= tolerance) return;
                  }
                  if (details || !isDetail(path)) {
                    run.figures.push_back(std::move(figure));
                  } else {
                    ++run.details;
                  }
                });
  return run;
}

const NamedRun* find(const std::vector<NamedRun>& runs, const std::string& name) {
  const auto found = std::ranges::find(runs, name, &NamedRun::name);
  return found == runs.end() ? nullptr : &*found;
}

std::string percent(double change) {
  return (change < 0 ? "" : "+") + fixed(100 * change, 2) + " %";
}

}  // namespace

ResultDiff resultDiff(const ResultFile& a, const ResultFile& b, double tolerance, bool details) {
  const Content before = contentOf(a), after = contentOf(b);
  if (before.schema != after.schema) {
    throw ConfigError(
        b.name, "schema",
        "expected " + before.schema + " as in " + a.name + ", got " + inQuotes(after.schema));
  }
  ResultDiff diff;
  diff.a = before.side;
  diff.b = after.side;
  diff.tolerance = tolerance;
  forEachChange(before.scenario, after.scenario,
                [&](const std::string& key, const json::value& first, const json::value& second) {
                  diff.scenario.push_back({key, first, second});
                });
  for (const NamedRun& run : before.runs) {
    const NamedRun* partner = find(after.runs, run.name);
    if (partner == nullptr) {
      diff.only_a.push_back(run.name);
      continue;
    }
    ++diff.runs;
    RunChange change = changeOf(run, *partner, tolerance, details);
    if (!change.figures.empty() || change.details != 0) diff.changed.push_back(std::move(change));
  }
  for (const NamedRun& run : after.runs) {
    if (find(before.runs, run.name) == nullptr) diff.only_b.push_back(run.name);
  }
  return diff;
}

std::string diffText(const ResultDiff& diff, std::size_t width) {
  std::string text;
  for (const auto& [letter, side] : {std::pair("A  ", &diff.a), std::pair("B  ", &diff.b)}) {
    constexpr std::size_t kShortCommit = 12;
    text += letter + side->file + "  (t3sim " + side->version + ", " +
            side->commit.substr(0, kShortCommit) + ")\n";
  }
  if (!diff.scenario.empty()) {
    TextTable table;
    table.add({"scenario", "A", "B"});
    for (const SettingChange& setting : diff.scenario) {
      table.add({"  " + setting.key, textOf(setting.a), textOf(setting.b)});
    }
    text += "\n" + table.text(width);
  }
  for (const RunChange& run : diff.changed) {
    TextTable table;
    table.add({run.name, "A", "B", "change"});
    for (const FigureChange& figure : run.figures) {
      table.add({"  " + figure.figure, textOf(figure.a), textOf(figure.b),
                 figure.change ? percent(*figure.change) : ""});
    }
    text += "\n" + (run.figures.empty() ? run.name + "\n" : table.text(width));
    if (run.details != 0) {
      text += "  and " + std::to_string(run.details) +
              " figures of single GPUs, memories and phases (--details)\n";
    }
  }
  for (const auto& [letter, names] : {std::pair("A", &diff.only_a), std::pair("B", &diff.only_b)}) {
    if (names->empty()) continue;
    text += std::string("\nonly in ") + letter + "\n";
    for (const std::string& name : *names) text += "  " + name + "\n";
  }
  const std::size_t same = diff.runs - diff.changed.size();
  text += "\n" + std::to_string(same) + " of " + std::to_string(diff.runs) +
          " runs that are in both are the same";
  if (diff.tolerance != 0) text += " to " + formatNumber(100 * diff.tolerance) + " %";
  return text + "\n";
}

}  // namespace t3
