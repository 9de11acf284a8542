// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/workload.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <unordered_map>
#include <utility>

#include "shipped_traces.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "tlm/node/system_config.h"

namespace t3 {
std::span<const ShippedIteration> shippedIterations() {
  // In the order of the traces in testbench/CMakeLists.txt.
  static const ShippedIteration kAll[] = {
      {"tiny-transformer-tp4", "two layers, all-reduces", "tiny-tp4", 4, kTraceFiles[0].text()},
      {"tiny-transformer-sp-tp4", "two layers, reduce-scatters, all-gathers", "tiny-tp4", 4,
       kTraceFiles[1].text()},
      {"t-nlg-layer-tp8", "one layer of T-NLG, all-reduces", "t-nlg-fc2-tp8", 8,
       kTraceFiles[2].text()},
  };
  return kAll;
}

std::vector<std::string> iterationNames() { return namesOf(shippedIterations()); }

const ShippedIteration* findIteration(std::string_view name) {
  const auto all = shippedIterations();
  const auto found = std::ranges::find(all, name, &ShippedIteration::name);
  return found == all.end() ? nullptr : &*found;
}

const ShippedIteration* shippedAs(const std::string& word) {
  std::error_code absent;
  return std::filesystem::exists(word, absent) ? nullptr : findIteration(word);
}

namespace {

/// PREFIX and the number of PREFIX.3.et; nothing if there is no number.
std::optional<std::pair<std::string, std::string>> partsOf(const std::string& path) {
  static const std::regex kNumbered(R"(([\s\S]*)\.(\d+)\.et)");
  std::smatch parts;
  if (!std::regex_match(path, parts, kNumbered)) return std::nullopt;
  return std::pair(parts[1].str(), parts[2].str());
}

std::string fileOf(const std::string& prefix, std::size_t gpu) {
  return prefix + "." + std::to_string(gpu) + ".et";
}

/// The file PREFIX.N.et with the largest number, and one more than this number; nothing if there is
/// none that the directory shows.
std::pair<std::uint64_t, std::string> lastFileOf(const std::string& prefix) {
  const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
  const std::string name = std::filesystem::path(prefix).filename().string();
  std::pair<std::uint64_t, std::string> last;
  std::error_code hidden;
  std::filesystem::directory_iterator file(folder.empty() ? "." : folder, hidden);
  for (; file != std::filesystem::directory_iterator(); file.increment(hidden)) {
    const auto parts = partsOf(file->path().filename().string());
    if (!parts || parts->first != name) continue;
    // More than 18 digits are more than any machine has.
    const std::string& digits = parts->second;
    const std::uint64_t count =
        digits.size() > 18 ? std::uint64_t{1} << 62 : std::stoull(digits) + 1;
    last = std::max(last, {count, (folder / file->path().filename()).string()});
  }
  return last;
}

GpuTrace checked(std::shared_ptr<const TraceFile> file, bool ignoreMissing) {
  GpuTrace trace;
  trace.file = std::move(file);
  const std::vector<TraceNode>& nodes = trace.file->nodes;
  std::unordered_map<std::uint64_t, std::uint32_t> byId;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (const auto [first, isNew] = byId.emplace(nodes[i].id, i); !isNew) {
      throw ConfigError(
          trace.file->path, placeOf(nodes[i]),
          "expected an id of its own, but " + placeOf(nodes[first->second]) + " has the same");
    }
  }
  for (const TraceNode& node : nodes) {
    std::vector<std::uint32_t>& earlier = trace.dependencies.emplace_back();
    const auto add = [&](const std::vector<std::uint64_t>& ids, const char* kind) {
      for (const std::uint64_t id : ids) {
        if (const auto found = byId.find(id); found != byId.end()) {
          earlier.push_back(found->second);
        } else if (ignoreMissing) {
          ++trace.missing;
        } else {
          throw ConfigError(trace.file->path, placeOf(node),
                            std::string(kind) + ": expected a node with id " + std::to_string(id) +
                                " in this file, but there is none (trace.missing_dependency)");
        }
      }
    };
    add(node.dataDependencies, "data_deps");
    add(node.controlDependencies, "ctrl_deps");
    std::ranges::sort(earlier);
    earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
  }
  if (const auto circle = waitingCircle(trace.dependencies); !circle.empty()) {
    std::string way;
    for (const std::uint32_t i : circle) {
      if (way.size() > 200) {
        way += " ←…";
        break;
      }
      way += (way.empty() ? "" : " ← ") + std::to_string(nodes[i].id);
    }
    throw ConfigError(trace.file->path, placeOf(nodes[circle.front()]),
                      "expected dependencies without a circle, but it waits for itself: " + way);
  }
  return trace;
}

}  // namespace

std::vector<std::string> Workload::filesOf(const std::string& word) {
  const auto parts = partsOf(word);
  if (!parts) return {word};
  const std::string& prefix = parts->first;
  std::vector<std::string> files;
  std::error_code absent;
  while (std::filesystem::exists(fileOf(prefix, files.size()), absent)) {
    files.push_back(fileOf(prefix, files.size()));
    if (files.size() > kMostGpus) {
      throw ConfigError(word, "",
                        "expected files of at most " + std::to_string(kMostGpus) + " GPUs");
    }
  }
  // What lies behind a gap shows that a file is missing. Without it, it would be another machine.
  const auto [count, last] = lastFileOf(prefix);
  if (count > files.size() || !std::filesystem::exists(word, absent)) {
    throw ConfigError(word, "",
                      "expected the file of every GPU from 0 on, but there is no " +
                          fileOf(prefix, files.size()) +
                          (count > files.size() ? "; the last one is " + last : ""));
  }
  return files;
}

Workload::Workload(const std::string& word, std::uint32_t gpus, const TraceConfig& config) {
  const bool ignoreMissing = config.missing_dependency == MissingDependency::Ignore;
  const auto add = [&](TraceFile file) {
    GpuTrace trace = checked(std::make_shared<const TraceFile>(std::move(file)), ignoreMissing);
    if (config.layers != 0) {
      trace = checked(std::make_shared<const TraceFile>(firstLayers(trace, config.layers)),
                      ignoreMissing);
    }
    traces_.push_back(std::move(trace));
  };
  if (const ShippedIteration* shipped = shippedAs(word)) {
    add(readTraceBytes(std::string(shipped->bytes), shipped->name));
    traces_.resize(shipped->gpus, GpuTrace(traces_.front()));
    return;
  }
  for (const std::string& file : filesOf(word)) add(readTraceFile(file));
  if (partsOf(word)) return;
  if (gpus > kMostGpus) {
    throw ConfigError(
        word, "gpus",
        "expected at most " + std::to_string(kMostGpus) + ", got " + std::to_string(gpus));
  }
  traces_.resize(gpus, GpuTrace(traces_.front()));
}

Workload::Workload(const std::vector<std::shared_ptr<const TraceFile>>& files, bool ignoreMissing) {
  for (const auto& file : files) traces_.push_back(checked(file, ignoreMissing));
}

std::uint32_t traceGpus(const std::string& word, std::uint32_t scenario) {
  if (const ShippedIteration* shipped = shippedAs(word)) return shipped->gpus;
  if (!partsOf(word)) return scenario;
  return static_cast<std::uint32_t>(Workload::filesOf(word).size());
}

bool namesTrace(const std::string& word) {
  return word.ends_with(".et") || shippedAs(word) != nullptr;
}

std::optional<std::uint64_t> layerOf(const std::string& name) {
  static const std::regex kLayer(R"((?:^|[^A-Za-z0-9])(?:[Ll]ayers?[._]?|h\.)(\d{1,9})(?!\d))");
  std::smatch found;
  if (!std::regex_search(name, found, kLayer)) return std::nullopt;
  return std::stoull(found[1].str());
}

TraceFile firstLayers(const GpuTrace& trace, std::uint32_t layers) {
  const std::vector<TraceNode>& nodes = trace.file->nodes;
  std::vector<bool> leftOut(nodes.size()), lacks(nodes.size());
  std::vector<std::set<std::uint32_t>> behind(nodes.size());  // of a node that is left out: kept
  std::set<std::uint64_t> gone;
  bool named = false;
  for (const std::uint32_t i : trace.order()) {
    const auto layer = layerOf(nodes[i].name);
    named = named || layer;
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      if (leftOut[earlier] || lacks[earlier]) lacks[i] = true;
    }
    leftOut[i] = layer ? *layer >= layers : lacks[i];
    if (!leftOut[i]) continue;
    gone.insert(nodes[i].id);
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      if (leftOut[earlier]) {
        behind[i].insert(behind[earlier].begin(), behind[earlier].end());
      } else {
        behind[i].insert(earlier);
      }
    }
  }
  if (!named) {
    throw ConfigError(trace.file->path, "trace.layers",
                      "expected nodes whose names say a layer, such as layer3.fc2, layers.3.mlp or "
                      "h.3.attn");
  }
  TraceFile kept = *trace.file;
  kept.nodes.clear();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (leftOut[i]) continue;
    TraceNode& node = kept.nodes.emplace_back(nodes[i]);
    std::erase_if(node.dataDependencies, [&](std::uint64_t id) { return gone.contains(id); });
    std::erase_if(node.controlDependencies, [&](std::uint64_t id) { return gone.contains(id); });
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      for (const std::uint32_t instead : behind[earlier]) {
        node.controlDependencies.push_back(nodes[instead].id);
      }
    }
  }
  return kept;
}

std::vector<std::uint32_t> waitingOrder(std::span<const std::vector<std::uint32_t>> waitsFor) {
  std::vector<std::size_t> left;
  std::vector<std::vector<std::uint32_t>> later(waitsFor.size());
  std::set<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < waitsFor.size(); ++i) {
    left.push_back(waitsFor[i].size());
    for (const std::uint32_t earlier : waitsFor[i]) later[earlier].push_back(i);
    if (left[i] == 0) ready.insert(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.extract(ready.begin()).value());
    for (const std::uint32_t next : later[order.back()]) {
      if (--left[next] == 0) ready.insert(next);
    }
  }
  return order;
}

std::vector<std::uint32_t> waitingCircle(std::span<const std::vector<std::uint32_t>> waitsFor) {
  const std::vector<std::uint32_t> order = waitingOrder(waitsFor);
  if (order.size() == waitsFor.size()) return {};
  std::vector<bool> stuck(waitsFor.size(), true), met(waitsFor.size(), false);
  for (const std::uint32_t one : order) stuck[one] = false;
  // Whoever is stuck waits for one that is stuck: going on, one is met again.
  std::vector<std::uint32_t> way;
  auto at = static_cast<std::uint32_t>(std::ranges::find(stuck, true) - stuck.begin());
  while (!met[at]) {
    met[at] = true;
    way.push_back(at);
    at = *std::ranges::find_if(waitsFor[at], [&](std::uint32_t other) { return stuck[other]; });
  }
  way.erase(way.begin(), std::ranges::find(way, at));
  way.push_back(at);
  return way;
}

}  // namespace t3
