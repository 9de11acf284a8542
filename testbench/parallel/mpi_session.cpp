// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_session.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "testbench/config/config_error.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {
namespace {

bool made = false;

}  // namespace

bool MpiSession::wasMade() { return made; }

#ifdef T3_WITH_MPI

namespace {

/// Of all processes, by their numbers.
std::vector<std::string> problemsOfAll(const std::string& mine, std::size_t processes) {
  const int bytes = static_cast<int>(mine.size());
  std::vector<int> sizes(processes), starts(processes);
  MPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int all = 0;
  for (std::size_t p = 0; p < processes; ++p) {
    starts[p] = all;
    all += sizes[p];
  }
  std::string texts(static_cast<std::size_t>(all), '\0');
  MPI_Allgatherv(mine.data(), bytes, MPI_CHAR, texts.data(), sizes.data(), starts.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  std::vector<std::string> list;
  for (std::size_t p = 0; p < processes; ++p) {
    list.push_back(
        texts.substr(static_cast<std::size_t>(starts[p]), static_cast<std::size_t>(sizes[p])));
  }
  return list;
}

/// A problem that all have is one line, as of one process.
void say(const std::vector<std::string>& problems) {
  if (std::ranges::count(problems, problems.front()) ==
      static_cast<std::ptrdiff_t>(problems.size())) {
    std::cerr << "t3sim: " << problems.front() << std::endl;
    return;
  }
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].empty()) continue;
    std::cerr << "t3sim: process " << p << ": " << problems[p] << std::endl;
  }
}

}  // namespace

MpiSession::MpiSession(const std::string& problem) {
  made = true;
  int self = 0, count = 1;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  self_ = static_cast<std::uint32_t>(self);
  count_ = static_cast<std::uint32_t>(count);
  const std::vector<std::string> problems = problemsOfAll(problem, count_);
  if (std::ranges::all_of(problems, &std::string::empty)) return;
  if (self_ == 0) say(problems);
  MPI_Barrier(MPI_COMM_WORLD);  // the end of one process is the end of the job
  MPI_Finalize();
  throw NobodyBegins{};
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

#else

MpiSession::MpiSession(const std::string& /*problem*/) {
  made = true;
  throw ConfigError(
      "mpirun", "",
      "expected a t3sim that was built with MPI: scripts/setup run, then cmake --fresh "
      "--preset program && cmake --build --preset program");
}

MpiSession::~MpiSession() = default;

#endif

std::chrono::steady_clock::duration MpiSession::wait(const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;
  // No sched_yield: on a busy core it costs a time slice of all others, milliseconds.
  constexpr std::chrono::microseconds kAwake{100};
  constexpr std::chrono::milliseconds kLongestSleep{1};
  const Clock::time_point start = Clock::now();
  while (true) {
    const bool isDone = done();
    const Clock::duration waited = Clock::now() - start;
    if (isDone) return waited;
    if (waited < kAwake) continue;
    std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, kLongestSleep));
  }
}

}  // namespace t3
