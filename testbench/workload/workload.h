// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/workload/trace_file.h"
#include "tlm/node/trace_config.h"

namespace t3 {

/// An iteration that the program knows by name: a trace of data/workloads/, the same for all its
/// GPUs.
struct ShippedIteration {
  const char* name;
  const char* summary;  ///< one line
  const char* preset;   ///< whose machine it runs on if none is named
  std::uint32_t gpus;
  std::string_view bytes;  ///< of the trace
};

std::span<const ShippedIteration> shippedIterations();

std::vector<std::string> iterationNames();

/// Null if there is none of that name.
const ShippedIteration* findIteration(std::string_view name);
/// The same, if no file has that name.
const ShippedIteration* shippedAs(const std::string& word);

/// Where `waitsFor[i]` are those that i waits for: all that come to their turn, each behind those
/// that it waits for, else in the order of their numbers.
std::vector<std::uint32_t> waitingOrder(std::span<const std::vector<std::uint32_t>> waitsFor);
/// A circle, each waiting for the next and the last for the first, with the first again at the end;
/// empty if there is none.
std::vector<std::uint32_t> waitingCircle(std::span<const std::vector<std::uint32_t>> waitsFor);

/// The nodes of one GPU and what each waits for.
struct GpuTrace {
  std::shared_ptr<const TraceFile> file;
  std::vector<std::vector<std::uint32_t>> dependencies;  ///< [node]: earlier ones, each once
  std::uint64_t missing = 0;  ///< dependencies that were ignored, because they are not there

  const TraceNode& node(std::uint32_t index) const { return file->nodes[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(file->nodes.size()); }
  /// Its nodes, each behind those that it waits for; else as in the file.
  std::vector<std::uint32_t> order() const { return waitingOrder(dependencies); }
};

/// A trace of all GPUs: files PREFIX.0.et, PREFIX.1.et, … Each is checked alone: ids are unique,
/// dependencies are there, and no node waits for itself.
class Workload {
 public:
  /// `word` is one of the files, or a file without a number, then the trace of each of `gpus` GPUs,
  /// or the name of one that ships. With `trace.missing_dependency` = ignore, dependencies that are
  /// not there are counted, not refused. Throws ConfigError.
  Workload(const std::string& word, std::uint32_t gpus, const TraceConfig& config);
  /// The same of files that have been read.
  Workload(const std::vector<std::shared_ptr<const TraceFile>>& files, bool ignoreMissing);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(traces_.size()); }
  const GpuTrace& gpu(std::uint32_t number) const { return traces_[number]; }
  /// All files, or the name of one that ships. Throws ConfigError if one is missing in between.
  static std::vector<std::string> filesOf(const std::string& word);

 private:
  std::vector<GpuTrace> traces_;
};

/// The GPUs of a trace that ships or has files; else those of the scenario.
std::uint32_t traceGpus(const std::string& word, std::uint32_t scenario);
/// Whether a word is the name of an iteration that ships, or of a file that a trace is in.
bool namesTrace(const std::string& word);

/// The layer of a model that a node's name says, as scripts/workload and PyTorch name them: 3 of
/// "layer3.fc2", "model.layers.3.mlp" and "h.3.attn".
std::optional<std::uint64_t> layerOf(const std::string& name);

/// The nodes of the first layers of a trace, without those of later layers and those without a
/// layer that need one. What waited for a node that is left out waits for what that waited for.
/// Throws ConfigError if no name says a layer.
TraceFile firstLayers(const GpuTrace& trace, std::uint32_t layers);

}  // namespace t3
