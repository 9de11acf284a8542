// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"

namespace t3::test {

/// Reads a command trace and says which commands break the standard's rules.
///
/// Written from the list of rules in docs/hbm.md, on purpose without the controller's timing table
/// or state: it converts the nanoseconds itself and compares every command with all earlier ones
/// that can still matter, pair by pair.
class CommandChecker : public CommandObserver {
 public:
  explicit CommandChecker(const HbmConfig& config) : config_(config) {}

  CommandChecker(const HbmConfig& config, std::vector<DramCommand> trace)
      : config_(config), trace_(std::move(trace)) {}

  void command(const DramCommand& command) override { trace_.push_back(command); }
  const std::vector<DramCommand>& trace() const { return trace_; }
  void clear() { trace_.clear(); }

  /// One line per violation, at most `limit` of them.
  std::vector<std::string> violations(std::size_t limit = 5) const;

 private:
  HbmConfig config_;
  std::vector<DramCommand> trace_;
};

/// The commands of each GPU in a file that --command-trace wrote. Throws std::runtime_error naming
/// the line that is not of its form.
std::map<std::uint32_t, std::vector<DramCommand>> readCommandTrace(const std::string& path);

}  // namespace t3::test
