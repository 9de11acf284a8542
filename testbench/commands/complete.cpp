// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "testbench/commands/command.h"
#include "testbench/config/setting.h"
#include "tlm/node/system_config.h"

namespace t3 {
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
