// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/worker.h"

#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"

namespace t3 {
namespace {

constexpr int kChannel = 3;

int runWorker(const std::vector<std::string>& words) {
  if (!words.empty()) throw ConfigError(kWorkerCommand, "", "takes no arguments");
  return serveWorker(kChannel);
}

}  // namespace

/// Internal: `compare` starts the program anew with it, one process per mode.
Command workerCommand() { return {kWorkerCommand, "", runWorker}; }

}  // namespace t3
