// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbench/workload/shipped_iterations.h"
#include "testbench/workload/trace_node.h"

namespace t3 {

/// The nodes of one GPU and what each waits for.
struct GpuTrace {
  std::shared_ptr<const TraceFile> file;
  std::vector<std::vector<std::uint32_t>> dependencies;  ///< [node]: earlier ones, each once
  std::uint64_t missing = 0;  ///< dependencies that were ignored, because they are not there

  const TraceNode& node(std::uint32_t index) const { return file->nodes[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(file->nodes.size()); }
};

/// A trace of all GPUs: files PREFIX.0.et, PREFIX.1.et, … Each is checked alone: ids are unique,
/// dependencies are there, and no node waits for itself.
class Workload {
 public:
  /// `path` is one of the files, or a file without a number, which is then the trace of each of
  /// `gpus` GPUs. With `ignoreMissing`, dependencies that are not there are counted, not refused.
  /// Throws ConfigError.
  Workload(const std::string& path, std::uint32_t gpus, bool ignoreMissing);
  /// One that ships.
  Workload(const ShippedIteration& shipped, bool ignoreMissing);
  /// The same of files that have been read.
  Workload(const std::vector<std::shared_ptr<const TraceFile>>& files, bool ignoreMissing);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(traces_.size()); }
  const GpuTrace& gpu(std::uint32_t number) const { return traces_[number]; }
  /// Whether every GPU has a file of its own.
  bool numbered() const { return numbered_; }

  /// All files that would be read. Throws ConfigError if one is missing between 0 and the largest
  /// number.
  static std::vector<std::string> filesOf(const std::string& path);

 private:
  std::vector<GpuTrace> traces_;
  bool numbered_ = true;
};

}  // namespace t3
