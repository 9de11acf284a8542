// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "testbench/build_info.h"
#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_session.h"
#include "testbench/simulate/worker.h"
#include "tlm/node/run_loop.h"

/// The table of subcommands: one line each.
#define T3_COMMANDS(COMMAND) \
  COMMAND(run)               \
  COMMAND(compare)           \
  COMMAND(reproduce)         \
  COMMAND(sweep)             \
  COMMAND(validate)          \
  COMMAND(presets)           \
  COMMAND(collective)        \
  COMMAND(graph)             \
  COMMAND(explain)           \
  COMMAND(schema)            \
  COMMAND(diff)              \
  COMMAND(hbm)               \
  COMMAND(follow)            \
  COMMAND(bench)             \
  COMMAND(manual)            \
  COMMAND(complete)          \
  COMMAND(worker)

namespace t3 {

#define T3_DECLARE(name) Command name##Command();
T3_COMMANDS(T3_DECLARE)
#undef T3_DECLARE

/// Internal: `compare` starts the program anew with it, one process per mode.
Command workerCommand() {
  return {kWorkerCommand, "",
          [] { return Options("t3sim worker", "Internal: simulates what it is told."); },
          [](const Options&) { return serveWorker(); }};
}

namespace {

/// Of those for people, or of some of them.
std::vector<std::string> commandNames(bool Command::*which = nullptr) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    const bool wanted = which == nullptr || command.*which;
    if (*command.summary != '\0' && wanted) names.push_back(command.name);
  }
  return names;
}

std::string help() {
  std::string text =
      "t3sim: co-simulation of T3, transparent tracking and triggering of collectives\n\n"
      "usage: t3sim COMMAND [OPTIONS]     (t3sim COMMAND --help lists the options)\n\n";
  for (const Command& command : commands()) {
    if (*command.summary == '\0') continue;
    std::string name = command.name;
    name.resize(12, ' ');
    text += "  " + name + command.summary + "\n";
  }
  return text +
         "\nt3sim --version prints the version. Tab completes what is typed after\n"
         "source scripts/completion/t3sim.bash.\n\n"
         "exit codes: 0 done and verified, 1 the simulation failed its own checks,\n"
         "            2 usage or configuration, 130 interrupted\n";
}

/// "; t3sim run and t3sim follow have it": the commands for people that have an option.
std::string ownersNote(const std::string& option) {
  std::string owners;
  std::size_t count = 0;
  for (const Command& command : commands()) {
    if (*command.summary == '\0' || !command.options().knows(option)) continue;
    owners += std::string(count++ == 0 ? "" : " and ") + "t3sim " + command.name;
  }
  return count == 0 ? "" : "; " + owners + (count == 1 ? " has it" : " have it");
}

int start(const Command& command, const std::vector<std::string>& words) {
  Options options = command.options();
  try {
    options.parse(words);
  } catch (const UnknownOption& unknown) {
    std::string problem = unknown.what() + ownersNote(unknown.name());
    if (problem == unknown.what() && !unknown.resembles()) {
      problem += std::string(" (t3sim ") + command.name + " --help lists all)";
    }
    throw ConfigError("", "", problem);
  }
  if (!options.has("help")) return command.run(options);
  std::cout << options.help();
  return kDone;
}

int dispatch(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "" : words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    const bool named = words.size() > 1 && !words[1].starts_with('-') && words[1] != "help";
    if (named) return dispatch({words[1], "--help"});
    std::cout << help();
    return kDone;
  }
  if (name == "--version") {
    std::cout << "t3sim " << build::kVersion << " (" << build::kCommit
              << (build::kDirty ? ", changed" : "") << ")\ntracker's RTL: " << build::kRtlList
              << " (SHA-256 " << std::string_view(build::kRtlSha256).substr(0, 12) << ")\n";
    return kDone;
  }
  for (const Command& command : commands()) {
    if (command.name != name) continue;
    const bool help = std::ranges::find(words, "--help") != words.end();
    if (mpiLaunch().count > 1 && !command.takesProcesses && !help) {
      throw ConfigError("mpirun", "-n",
                        "expected 1 with t3sim " + name + ", or t3sim " +
                            alternatives(commandNames(&Command::takesProcesses)));
    }
    return start(command, {words.begin() + 1, words.end()});
  }
  throw ConfigError(
      "", "",
      (name.empty() ? "expected a command"
                    : "unknown command " + inQuotes(name) + nearestNote(name, commandNames())) +
          "; there is " + alternatives(commandNames()) + " (t3sim --help)");
}

/// The end of this process is the end of all that a launcher started, so each says what ends it.
void say(const std::string& problem) {
  const std::uint32_t self = mpiLaunch().self;
  std::cerr << "t3sim: " << (self == 0 ? "" : "process " + std::to_string(self) + ": ") << problem
            << std::endl;
}

/// Before processes work together they agree on who has a problem.
void sayBadInput(const std::string& problem) {
  if (!mpiLaunch().launched || MpiSession::wasMade()) return say(problem);
  try {
    const MpiSession session(problem);
  } catch (const NobodyBegins&) {
  } catch (const ConfigError&) {  // there is no MPI
    say(problem);
  }
}

}  // namespace

std::span<const Command> commands() {
#define T3_CALL(name) name##Command(),
  static const std::array table = {T3_COMMANDS(T3_CALL)};
#undef T3_CALL
  return table;
}

int runProgram(const std::vector<std::string>& words) {
  try {
    const int code = dispatch(words);
    if (!std::cout.flush()) throw std::runtime_error("standard output: cannot be written");
    return code;
  } catch (const ConfigError& error) {
    sayBadInput(error.what());
    return kBadInput;
  } catch (const NobodyBegins&) {
    return kBadInput;
  } catch (const std::exception& error) {
    say(failureText(error));
    return kCheckFailed;
  }
}

}  // namespace t3
