// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/options.h"
#include "testbench/presets/explanation.h"

namespace t3 {
namespace {

Options explainOptions() {
  Options options("t3sim explain [KEY...] [OPTIONS]",
                  "What settings are: default, legal values, meaning, and the presets that set\n"
                  "another value. KEY is a setting (hbm.channels), a group of them (hbm.mca) or\n"
                  "a part of names (lag). Without one, all settings and their defaults.");
  options.addFlag("keys", "print the names of all settings and nothing else");
  options.offer("", settingPaths());
  options.takeOperands();
  return options;
}

int runExplain(const Options& options) {
  std::vector<std::string> keys = options.operands();
  if (options.has("keys")) {
    if (!keys.empty()) throw ConfigError("--keys", "", "expected no KEY with it");
    for (const std::string& path : settingPaths()) std::cout << path << '\n';
    return kDone;
  }
  if (keys.empty()) keys.emplace_back();
  std::string text;
  for (const std::string& key : keys) text += explanation(key);
  std::cout << text;
  return kDone;
}

}  // namespace

Command explainCommand() {
  return {"explain", "what a setting is, and what is legal", explainOptions, runExplain};
}

}  // namespace t3
