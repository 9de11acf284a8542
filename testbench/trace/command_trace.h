// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>

#include "testbench/output/output_file.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// Sorts the commands of each memory by time and passes them on with the number of their GPU.
class SortedCommands {
 public:
  using Pass = std::function<void(std::uint32_t gpu, const DramCommand& command)>;

  explicit SortedCommands(Pass pass) : pass_(std::move(pass)) {}
  SortedCommands(const SortedCommands&) = delete;
  SortedCommands& operator=(const SortedCommands&) = delete;

  /// The observer to attach to the memory of a GPU before its first request.
  CommandObserver& memory(std::uint32_t gpu, const HbmConfig& config) {
    return memories_.emplace_back(pass_, gpu, config).ordered;
  }
  /// Passes on the rest.
  void finish() {
    for (Memory& memory : memories_) memory.ordered.finish();
  }

 private:
  struct Memory : CommandObserver {
    Memory(const Pass& itsPass, std::uint32_t itsGpu, const HbmConfig& config)
        : pass(itsPass), gpu(itsGpu), ordered(config.channels, *this) {}
    void command(const DramCommand& command) override { pass(gpu, command); }

    const Pass& pass;
    const std::uint32_t gpu;
    OrderedCommands ordered;
  };

  const Pass pass_;
  std::list<Memory> memories_;
};

/// DRAM commands as CSV, those of one channel in order of time: ACT, PRE, PREA (precharge all), RD,
/// WR, UPD (op-and-store), REF (all banks), REFpb …; `bank` counts across bank groups, `column` in
/// bursts. A field that a command does not use is empty.
class CommandTrace {
 public:
  /// Throws ConfigError naming `option` if `path` cannot be written.
  CommandTrace(const std::string& option, const std::string& path);

  /// The observer to attach to the memory of a GPU before its first request.
  CommandObserver& memory(std::uint32_t gpu, const HbmConfig& config) {
    return sorted_.memory(gpu, config);
  }

  /// A command from elsewhere, which is the next one of its channel.
  void write(std::uint32_t gpu, const DramCommand& command);

  /// Something is missing: the file will not appear.
  void abandon() { abandoned_ = true; }

  /// Writes the rest and gives the file its name. Throws std::runtime_error.
  void finish();

 private:
  OutputFile file_;
  bool abandoned_ = false;
  SortedCommands sorted_;
};

}  // namespace t3
