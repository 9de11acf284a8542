// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testbench/output/output_file.h"
#include "tlm/hbm/ordered_commands.h"

namespace t3 {

/// DRAM commands as a CSV file: `gpu,channel,time_ps,command,bank_group,bank,row,column`, the
/// commands of one channel in order of time. Commands are ACT, PRE, PREA (precharge all), RD, WR,
/// UPD (op-and-store), REF (all banks) and REFpb; `bank` counts across bank groups. A field that a
/// command does not use is empty: PREA and REF name no bank, PRE and REFpb no row, and only RD, WR
/// and UPD name a column (in bursts).
class CommandTrace {
 public:
  /// `option` names the culprit in errors. Throws ConfigError if `path` cannot be written.
  CommandTrace(const std::string& option, const std::string& path);
  ~CommandTrace();

  /// The observer to attach to the memory of one GPU before its first request. It lives as long as
  /// this object.
  CommandObserver& memory(std::uint32_t gpu, const HbmConfig& config);

  /// A command from elsewhere, which is the next one of its channel.
  void write(std::uint32_t gpu, const DramCommand& command);

  /// Something is missing: the file will not appear.
  void abandon() { abandoned_ = true; }

  /// Writes the rest and gives the file its name. Throws std::runtime_error.
  void finish();

 private:
  class Memory;

  OutputFile file_;
  std::string pending_;
  bool abandoned_ = false;
  std::vector<std::unique_ptr<Memory>> memories_;
};

}  // namespace t3
