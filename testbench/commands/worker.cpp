// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/worker.h"

#include "testbench/commands/command.h"

namespace t3 {
namespace {

constexpr int kChannel = 3;

Options workerOptions() { return {"t3sim worker", "Internal: simulates what it is told."}; }

int runWorker(const Options&) { return serveWorker(kChannel); }

}  // namespace

/// Internal: `compare` starts the program anew with it, one process per mode.
Command workerCommand() { return {kWorkerCommand, "", workerOptions, runWorker}; }

}  // namespace t3
