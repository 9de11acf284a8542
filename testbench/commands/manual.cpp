// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iostream>
#include <sstream>

#include "testbench/build_info.h"
#include "testbench/commands/command.h"
#include "testbench/config/options.h"
#include "testbench/config/setting.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

/// `text` as it stands, in the language of man pages: no backslash or line of its own means
/// anything in it.
std::string verbatim(const std::string& text) {
  std::string out = ".nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
    for (const char c : line) {
      if (c == '\\') {
        out += "\\e";
      } else if (c == '-') {
        out += "\\-";  // else a hyphen, which nobody can copy into a shell
      } else {
        out += c;
      }
    }
    out += '\n';
  }
  return out + ".fi\n";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

Options manualOptions() {
  return {"t3sim manual > t3sim.1", "Prints all help as a manual page: t3sim manual | man -l -"};
}

int runManual(const Options&) {
  std::string page =
      R"(.TH T3SIM 1 "" "t3sim )" + std::string(build::kVersion) + R"(" "User Commands"
.SH NAME
t3sim \- co\-simulation of T3, transparent tracking and triggering of collectives
.SH SYNOPSIS
.B t3sim
.I COMMAND
[\fIOPTIONS\fR]
)";
  for (const Command& command : commands()) {
    if (*command.summary == '\0') continue;
    page += ".SH T3SIM " + upper(command.name) + "\n" + verbatim(command.options().help());
  }
  std::cout
      << page
      << ".SH FILES\nPages docs/... and files data/... and hw/... are in the "
         "source tree; the Debian package has them below\n.I /usr/share/doc/t3\nand\n.IR "
         "/usr/share/t3 .\n.SH EXIT STATUS\n.TP\n0\ndone and verified\n.TP\n1\nthe simulation "
         "failed its own "
         "checks\n.TP\n2\nusage or configuration\n.TP\n130\ninterrupted\n";
  return kDone;
}

}  // namespace

Command manualCommand() {
  return {"manual", "all of this as a manual page", manualOptions, runManual};
}

namespace {

/// Stands for all names of files.
constexpr const char* kFiles = "<files>";

/// Values of `key` where it has few.
std::vector<std::string> valuesOfSetting(const std::string& key) {
  SystemConfig any;
  const Setting root = bindSettings(any);
  const Setting& setting = settingAt(root, key, "complete");
  if (setting.kind == Setting::Kind::Boolean) return {"true", "false"};
  return setting.choices;
}

std::vector<std::string> completions(const std::vector<std::string>& words) {
  std::vector<std::string> list;
  const Command* command = nullptr;
  for (const Command& one : commands()) {
    if (*one.summary == '\0') continue;
    list.emplace_back(one.name);
    if (!words.empty() && words.front() == one.name) command = &one;
  }
  if (words.empty() || words.front() == "help") {
    if (words.empty()) list.insert(list.end(), {"help", "--help", "--version"});
    return list;
  }
  if (command == nullptr) return {};
  const Options options = command->options();
  const std::string option = words.size() > 1 ? words[1] : "";
  if (words.size() > 2) return valuesOfSetting(words[2]);
  if (options.takesValue(option)) {
    list = options.offered(option);
    if (options.takesFile(option)) list.emplace_back(kFiles);
    return list;
  }
  list = options.names();
  const std::vector<std::string> operands = options.offered("");
  list.insert(list.end(), operands.begin(), operands.end());
  if (options.takesOperands() && operands.empty()) list.emplace_back(kFiles);
  return list;
}

Options completeOptions() {
  Options options("t3sim complete -- [COMMAND [OPTION [KEY]]]",
                  "Internal: what Tab may add in the shell, a line for each word.");
  options.takeOperands();
  return options;
}

int runComplete(const Options& options) {
  for (const std::string& word : completions(options.operands())) std::cout << word << '\n';
  return kDone;
}

}  // namespace

/// Internal: scripts/completion/t3sim.bash asks it.
Command completeCommand() { return {"complete", "", completeOptions, runComplete}; }

}  // namespace t3
