// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/config/options.h"

namespace t3 {

/// Exit codes of the program.
inline constexpr int kDone = 0;         ///< done and verified
inline constexpr int kCheckFailed = 1;  ///< a simulation failed its own checks
inline constexpr int kBadInput = 2;     ///< usage or configuration: a ConfigError

/// A subcommand: `Command <name>Command()` in a file here, and a line in the table of commands.cpp.
struct Command {
  const char* name;
  const char* summary;  ///< one line of the help; "" for a command that is not for people
  /// What it can be told, nothing of it yet.
  Options (*options)();
  /// Returns an exit code. Throws ConfigError for bad input, and what went wrong later.
  int (*run)(const Options& options);
  bool takesProcesses = false;  ///< more than one of `mpirun`: to cut a simulation, or to deal many
};

/// All subcommands, in the order of the help.
std::span<const Command> commands();

/// The whole program. Turns exceptions into one line on standard error and an exit code.
int runProgram(const std::vector<std::string>& words);

}  // namespace t3
