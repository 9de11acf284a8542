// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iostream>
#include <sstream>

#include "testbench/build_info.h"
#include "testbench/commands/command.h"
#include "testbench/config/options.h"

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
      << ".SH FILES\nPages docs/... and files collectives/..., workloads/... and hw/... are in the "
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

}  // namespace t3
