// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/config/options.h"
#include "testbench/simulate/crew.h"

namespace t3 {

/// --jobs: processes at a time.
void addJobsOption(Options& options);

/// Who simulates the jobs of a command: processes of this machine, or those that `mpirun` started.
/// Null in those that are there for process 0 and have served it: then the command is done. To be
/// called when the words are read, before anything is opened.
std::unique_ptr<Crew> crewOf(const Options& options);

}  // namespace t3
