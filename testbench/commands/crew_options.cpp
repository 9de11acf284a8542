// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/crew_options.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_post.h"
#include "testbench/simulate/dealt_crew.h"

namespace t3 {

void addJobsOption(Options& options) {
  options.add("jobs", "N",
              "processes at a time; default one per core. Not with mpirun, whose -n says how many");
}

std::unique_ptr<Crew> crewOf(const Options& options) {
  const auto jobs = options.value("jobs", WholeNumber{1, 1024});
  if (jobs && mpiLaunch().count > 1) {
    throw ConfigError("--jobs", "", "expected one process, not mpirun");
  }
  if (std::unique_ptr<Post> post = mpiPost(); post != nullptr && post->count() > 1) {
    if (post->self() == 0) return std::make_unique<DealtCrew>(std::move(post));
    serveJobs(*post);
    return nullptr;
  }
  return std::make_unique<LocalCrew>(
      jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace t3
