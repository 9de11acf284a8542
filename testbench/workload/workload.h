// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbench/workload/trace_node.h"
#include "tlm/node/trace_config.h"

namespace t3 {

/// The nodes of one GPU and what each waits for.
struct GpuTrace {
  std::shared_ptr<const TraceFile> file;
  std::vector<std::vector<std::uint32_t>> dependencies;  ///< [node]: earlier ones, each once
  std::uint64_t missing = 0;  ///< dependencies that were ignored, because they are not there

  const TraceNode& node(std::uint32_t index) const { return file->nodes[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(file->nodes.size()); }
  /// Its nodes, each behind those that it waits for; else as in the file.
  std::vector<std::uint32_t> order() const;
};

/// A trace of all GPUs: files PREFIX.0.et, PREFIX.1.et, … Each is checked alone: ids are unique,
/// dependencies are there, and no node waits for itself.
class Workload {
 public:
  /// `word` is one of the files, or a file without a number, which is then the trace of each of
  /// `gpus` GPUs, or the name of one that ships. With `trace.missing_dependency` = ignore,
  /// dependencies that are not there are counted, not refused; of `trace.layers` only the first are
  /// taken. Throws ConfigError.
  Workload(const std::string& word, std::uint32_t gpus, const TraceConfig& config);
  /// The same of files that have been read.
  Workload(const std::vector<std::shared_ptr<const TraceFile>>& files, bool ignoreMissing);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(traces_.size()); }
  const GpuTrace& gpu(std::uint32_t number) const { return traces_[number]; }
  /// All files that would be read, or the name of one that ships. Throws ConfigError if one is
  /// missing between 0 and the largest number.
  static std::vector<std::string> filesOf(const std::string& word);

 private:
  std::vector<GpuTrace> traces_;
};

/// The GPUs of a trace: of one that ships, or that has files; else as many as the scenario has.
/// Throws ConfigError as `filesOf` does.
std::uint32_t traceGpus(const std::string& word, std::uint32_t scenario);
/// Whether a word is the name of an iteration that ships, or of a file that a trace is in.
bool namesTrace(const std::string& word);

}  // namespace t3
