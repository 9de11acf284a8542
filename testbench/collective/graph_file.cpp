// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/graph_file.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "graph_schema.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "tlm/collectives/collective.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// Collectives by the name and the means that a file gives.
struct CollectiveName {
  const char *name, *by;
  const Collective* collective;
};
constexpr const char *kKernels = "kernels", *kTracker = "tracker", *kLoads = "loads";
const std::array<CollectiveName, 8> kCollectives = {{
    {"reduce-scatter", kKernels, &kReduceScatter},
    {"all-gather", kKernels, &kAllGather},
    {"all-reduce", kKernels, &kAllReduce},
    {"reduce-scatter", kTracker, &kReduceScatter},
    {"all-gather", kTracker, &kAllGather},
    {"reduce-scatter", kLoads, &kNvlsReduceScatter},
    {"all-gather", kLoads, &kNvlsAllGather},
    {"all-reduce", kLoads, &kNvlsAllReduce},
}};

const CollectiveName& namedAs(const CollectiveWork& work) {
  return *std::ranges::find_if(kCollectives, [&](const CollectiveName& one) {
    return one.collective == work.collective && (one.by == kTracker) == work.tracked;
  });
}

/// Reads an object key by key; each key that it has must be asked for.
class Entry {
 public:
  Entry(const JsonFile& file, std::string place, const json::value& value)
      : file_(file), place_(std::move(place)) {
    if (!value.is_object()) fail("", "expected an object");
    object_ = &value.as_object();
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    const std::string place = key.empty() ? place_ : place_ + "." + key;
    throw ConfigError(file_.placeOf(place), place, what);
  }

  const json::value* find(std::string_view key) {
    asked_.emplace(key);
    return object_->if_contains(key);
  }
  std::optional<std::string> text(const char* key) {
    const json::value* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) fail(key, "expected a text");
    return std::string(value->as_string());
  }
  std::string requiredText(const char* key, const std::string& what) {
    auto value = text(key);
    if (!value || value->empty()) fail(key, "expected " + what);
    return *value;
  }
  /// A time. Longer ones than 10,000 s are no kernel's.
  double micros(const char* key, const json::value& value) const {
    const double read = value.is_number() ? value.to_number<double>() : -1;
    if (read < 0 || read > 1e10) fail(key, "expected microseconds from 0 to 1e10");
    return read;
  }
  std::uint32_t number(const char* key, const json::value& value) const {
    const std::int64_t read = value.is_int64() ? value.as_int64() : 0;
    if (read < 1 || read > std::numeric_limits<std::int32_t>::max()) {
      fail(key, "expected a whole number from 1 on");
    }
    return static_cast<std::uint32_t>(read);
  }
  bool truth(const char* key) {
    const json::value* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_bool()) fail(key, "expected true or false");
    return value->as_bool();
  }
  std::uint32_t requiredNumber(const char* key) {
    const json::value* value = find(key);
    if (value == nullptr) fail(key, "expected a whole number from 1 on");
    return number(key, *value);
  }
  /// A list of texts, or one.
  std::vector<std::string> texts(const char* key) {
    const json::value* value = find(key);
    std::vector<std::string> list;
    if (value == nullptr) return list;
    if (value->is_string()) return {std::string(value->as_string())};
    if (!value->is_array()) fail(key, "expected a name or a list of names");
    for (const json::value& one : value->as_array()) {
      if (!one.is_string()) fail(key, "expected a list of names");
      list.emplace_back(one.as_string());
    }
    return list;
  }
  /// To be called at the end: nothing else is there.
  void finish() const {
    for (const auto& [key, ignored] : *object_) {
      if (asked_.contains(std::string(key))) continue;
      fail(std::string(key), "expected " + alternatives({asked_.begin(), asked_.end()}));
    }
  }

 private:
  const JsonFile& file_;
  const std::string place_;
  const json::object* object_ = nullptr;
  std::set<std::string> asked_;
};

class GraphReader {
 public:
  GraphReader(const std::string& path, const SystemConfig& scenario)
      : file_(path), scenario_(scenario) {}

  Graph read() {
    Entry top(file_, "", file_.value);
    top.find("$schema");  // for editors
    const json::array& outputs = listOf(top, "outputs");
    for (std::size_t i = 0; i < outputs.size(); ++i) addOutput(placeOf("outputs", i), outputs[i]);
    const json::array& nodes = listOf(top, "nodes");
    if (nodes.size() > kMostNodes) {
      top.fail("nodes", "expected at most " + std::to_string(kMostNodes) + ", got " +
                            std::to_string(nodes.size()));
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) addNode(placeOf("nodes", i), nodes[i]);
    for (std::size_t i = 0; i < nodes.size(); ++i) connect(placeOf("nodes", i), nodes[i]);
    top.finish();
    settle();
    return std::move(graph_);
  }

 private:
  static std::string placeOf(const char* list, std::size_t index) {
    return std::string(list) + "." + std::to_string(index);
  }
  const json::array& listOf(Entry& top, const char* key) {
    const json::value* value = top.find(key);
    if (value == nullptr || !value->is_array() || value->as_array().empty()) {
      top.fail(key, "expected a list of at least one");
    }
    return value->as_array();
  }

  void addOutput(const std::string& place, const json::value& value) {
    Entry entry(file_, place, value);
    const std::string name = entry.requiredText("name", "a name of its own");
    if (!outputs_.emplace(name, graph_.outputs.size()).second) {
      entry.fail("name", "expected a name of its own, got " + inQuotes(name) + " again");
    }
    OutputShape shape;
    shape.name = name;
    shape.rows = entry.requiredNumber("rows");
    shape.columns = storedColumns(entry.requiredNumber("columns"), scenario_.workload.data_type);
    shape.chunked = false;
    const json::value* depth = entry.find("depth");
    shape.given = entry.truth("given");
    if (const auto a = entry.text("operand"); shape.given) {
      if (depth != nullptr || a) {
        entry.fail("given",
                   "expected neither depth nor operand beside it, because no GEMM makes it");
      }
      shape.depths.assign(scenario_.gpus, kGivenDepth);
    } else if (a) {
      const auto found = outputs_.find(*a);
      if (found == outputs_.end() || *a == name) {
        entry.fail("operand", "expected an output that stands before, got " + inQuotes(*a));
      }
      if (depth != nullptr)
        entry.fail("depth", "expected none beside operand, whose columns it is");
      const OutputShape& read = graph_.outputs[found->second];
      if (read.rows != shape.rows) {
        entry.fail("rows", "expected " + std::to_string(read.rows) + ", the rows of " +
                               inQuotes(*a) + ", got " + std::to_string(shape.rows));
      }
      shape.a = found->second;
      shape.depths.assign(scenario_.gpus, read.columns);
    } else {
      shape.depths = depthsOf(entry, depth);
    }
    entry.finish();
    graph_.outputs.push_back(std::move(shape));
  }

  std::vector<std::uint32_t> depthsOf(Entry& entry, const json::value* value) const {
    if (value == nullptr) entry.fail("depth", "expected K, operand, or given = true");
    if (!value->is_array()) {
      return std::vector<std::uint32_t>(scenario_.gpus, entry.number("depth", *value));
    }
    std::vector<std::uint32_t> depths;
    for (const json::value& one : value->as_array()) depths.push_back(entry.number("depth", one));
    if (depths.size() == scenario_.gpus) return depths;
    entry.fail("depth", "expected one for each of " + std::to_string(scenario_.gpus) +
                            " GPUs, got " + std::to_string(depths.size()));
  }

  std::uint32_t outputNamed(Entry& entry, const char* key, const std::string& name) const {
    const auto found = outputs_.find(name);
    if (found != outputs_.end()) return static_cast<std::uint32_t>(found->second);
    entry.fail(key, "expected the name of an output, got " + inQuotes(name));
  }

  void addNode(const std::string& place, const json::value& value) {
    Entry entry(file_, place, value);
    GraphNode node;
    node.name = entry.requiredText("name", "a name of its own");
    if (!nodes_.emplace(node.name, static_cast<NodeId>(graph_.nodes.size())).second) {
      entry.fail("name", "expected a name of its own, got " + inQuotes(node.name) + " again");
    }
    const auto gemm = entry.text("gemm"), norm = entry.text("norm"),
               collective = entry.text("collective");
    const json::value* delay = entry.find("delay_us");
    if (int{gemm.has_value()} + norm.has_value() + collective.has_value() + (delay != nullptr) !=
        1) {
      entry.fail("", "expected one of gemm, norm, collective and delay_us");
    }
    if (delay != nullptr) {
      node.phase = kDelayPhase;
      node.work = DelayWork{picosecondsFromNs(entry.micros("delay_us", *delay) * 1e3)};
    } else if (gemm) {
      GemmWork work;
      work.output = outputNamed(entry, "gemm", *gemm);
      work.reads = graph_.outputs[work.output].a;
      node.work = work;
    } else if (norm) {
      const std::uint32_t output = outputNamed(entry, "norm", *norm);
      graph_.outputs[output].normed = true;
      node.phase = Phase::Norm;
      node.work = RowsWork{output};
    } else {
      addCollective(entry, node, *collective);
    }
    graph_.nodes.push_back(std::move(node));
  }

  void addCollective(Entry& entry, GraphNode& node, const std::string& name) {
    const std::string by = entry.text("by").value_or(kKernels);
    CollectiveWork work;
    for (const CollectiveName& one : kCollectives) {
      if (one.name == name && one.by == by) work.collective = one.collective;
    }
    if (work.collective == nullptr) {
      std::set<std::string> able;
      for (const CollectiveName& one : kCollectives) {
        if (by == one.by) able.insert(one.name);
      }
      if (able.empty()) entry.fail("by", "expected kernels, tracker or loads, got " + inQuotes(by));
      entry.fail("collective", "expected " + alternatives({able.begin(), able.end()}) + " by " +
                                   by + ", got " + inQuotes(name));
    }
    work.tracked = by == kTracker;
    if (const json::value* units = entry.find("units")) {
      if (work.tracked)
        entry.fail("units", "expected none, because trackers hold no compute units");
      work.units = entry.number("units", *units);
      requireUnits(entry, work.units);
    }
    work.output = outputNamed(entry, "of", entry.requiredText("of", "the name of an output"));
    graph_.outputs[work.output].chunked = true;
    node.phase = work.collective->phase;
    node.work = work;
  }

  /// One unit stays with GEMMs. A GPU may have a number of units of its own.
  void requireUnits(const Entry& entry, std::uint32_t units) const {
    for (std::uint32_t g = 0; g < scenario_.gpus; ++g) {
      const std::uint32_t all = scenario_.ofGpu(g).gpu.compute_units;
      if (units < all) continue;
      const std::string gpu = "GPU " + std::to_string(g) + " has " + std::to_string(all);
      entry.fail("units", all == 1
                              ? "expected none, because " + gpu + " compute unit"
                              : "expected from 1 to " + std::to_string(all - 1) + ", because " +
                                    gpu + " compute units, got " + std::to_string(units));
    }
  }

  void connect(const std::string& place, const json::value& value) {
    Entry entry(file_, place, value);
    const NodeId to = nodes_.at(std::string(value.as_object().at("name").as_string()));
    for (const auto& [key, gate] : {std::pair("after", Gate::After), std::pair("rows", Gate::Rows),
                                    std::pair("chunks", Gate::Chunks)}) {
      for (const std::string& from : entry.texts(key)) {
        const auto found = nodes_.find(from);
        if (found == nodes_.end()) {
          entry.fail(key, "expected names of nodes, got " + inQuotes(from));
        }
        graph_.connect(found->second, gate, to);
      }
    }
    for (const char* key : {"name", "gemm", "norm", "delay_us", "collective"}) entry.find(key);
    if (value.as_object().contains("collective")) {
      for (const char* key : {"by", "of", "units"}) entry.find(key);
    }
    entry.finish();
  }

  /// What follows from the edges: how GEMMs store, and whose traffic it is.
  void settle() {
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      auto* gemm = std::get_if<GemmWork>(&graph_.nodes[n].work);
      if (gemm == nullptr) continue;
      for (const GraphEdge& edge : graph_.edges) {
        if (edge.from != n || edge.gate != Gate::Chunks) continue;
        gemm->stores =
            graph_.nodes[edge.to].tracked() ? GemmWork::Stores::Tracked : GemmWork::Stores::Through;
      }
      const auto rows = graph_.source(Gate::Rows, n);
      const bool consumes = gemm->reads && gemm->stores == GemmWork::Stores::Cached;
      gemm->arbitrated = !consumes || (rows && graph_.nodes[*rows].tracked());
      if (consumes) graph_.nodes[n].phase = Phase::Consumer;
    }
  }

  const JsonFile file_;
  const SystemConfig& scenario_;
  Graph graph_;
  std::map<std::string, std::size_t> outputs_;
  std::map<std::string, NodeId> nodes_;
};

json::array namesOf(const Graph& graph, Gate gate, NodeId to) {
  json::array names;
  for (const GraphEdge& edge : graph.edges) {
    if (edge.gate == gate && edge.to == to) names.emplace_back(graph.nodes[edge.from].name);
  }
  return names;
}

json::object entryOf(const Graph& graph, std::uint32_t number) {
  const OutputShape& shape = graph.outputs[number];
  json::object entry = {
      {"name", outputName(graph, number)}, {"rows", shape.rows}, {"columns", shape.columns}};
  const bool equal = std::ranges::all_of(
      shape.depths, [&](std::uint32_t depth) { return depth == shape.depths.front(); });
  if (shape.given) {
    entry["given"] = true;
  } else if (shape.a) {
    entry["operand"] = outputName(graph, *shape.a);
  } else if (equal) {
    entry["depth"] = shape.depths.front();
  } else {
    entry["depth"] = json::array(shape.depths.begin(), shape.depths.end());
  }
  return entry;
}

json::object nodeEntryOf(const Graph& graph, NodeId number) {
  const GraphNode& node = graph.nodes[number];
  json::object entry = {{"name", node.name}};
  if (const auto* gemm = node.as<GemmWork>()) {
    entry["gemm"] = outputName(graph, gemm->output);
  } else if (const auto* rows = node.as<RowsWork>()) {
    entry["norm"] = outputName(graph, rows->output);
  } else if (const auto* work = node.as<CollectiveWork>()) {
    const CollectiveName& named = namedAs(*work);
    entry["collective"] = named.name;
    entry["of"] = outputName(graph, work->output);
    if (named.by != kKernels) entry["by"] = named.by;
    if (work->holdsUnits()) entry["units"] = work->units;
  } else if (const auto* delay = node.as<DelayWork>()) {
    entry["delay_us"] = static_cast<double>(delay->time) * 1e-6;
  }
  for (const auto& [key, gate] : {std::pair("after", Gate::After), std::pair("rows", Gate::Rows),
                                  std::pair("chunks", Gate::Chunks)}) {
    json::array names = namesOf(graph, gate, number);
    if (!names.empty()) entry[key] = std::move(names);
  }
  return entry;
}

}  // namespace

std::string outputName(const Graph& graph, std::uint32_t output) {
  if (!graph.outputs[output].name.empty()) return graph.outputs[output].name;
  for (const GraphNode& node : graph.nodes) {
    const auto* gemm = node.as<GemmWork>();
    if (gemm != nullptr && gemm->output == output) return node.name + "_output";
  }
  return "output_" + std::to_string(output);
}

json::object graphSchema() {
  // What one entry alone can be wrong in. Names that must exist, and rules of the graph as a whole,
  // are left to the program.
  return json::parse(kGraphSchemaFiles[0].text()).as_object();
}

Graph readGraphFile(const std::string& path, const SystemConfig& scenario) {
  return GraphReader(path, scenario).read();
}

std::string graphFileOf(const Graph& graph) {
  json::array outputs, nodes;
  for (std::uint32_t o = 0; o < graph.outputs.size(); ++o) outputs.push_back(entryOf(graph, o));
  for (NodeId n = 0; n < graph.nodes.size(); ++n) nodes.push_back(nodeEntryOf(graph, n));
  return formatJson(json::object{{"outputs", std::move(outputs)}, {"nodes", std::move(nodes)}});
}

std::string graphPictureOf(const Graph& graph) {
  std::string text = "digraph kernels {\n  rankdir=LR;\n  node [shape=box, fontname=sans];\n";
  for (const GraphNode& node : graph.nodes) {
    const char* style = node.as<CollectiveWork>() == nullptr ? ""
                        : node.tracked()                     ? " [style=dashed]"
                                                             : " [style=rounded]";
    text += "  " + quotedJson(node.name) + style + ";\n";
  }
  for (const GraphEdge& edge : graph.edges) {
    const char* label = edge.gate == Gate::After  ? ""
                        : edge.gate == Gate::Rows ? " [label=rows, style=dashed]"
                                                  : " [label=chunks, style=dashed]";
    text += "  " + quotedJson(graph.nodes[edge.from].name) + " -> " +
            quotedJson(graph.nodes[edge.to].name) + label + ";\n";
  }
  return text + "}\n";
}

}  // namespace t3
