// SPDX-License-Identifier: Apache-2.0
#include "testbench/parallel/mpi_session.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "testbench/config/config_error.h"

#ifdef T3_WITH_MPI
#include <mpi.h>
#endif

namespace t3 {

#ifdef T3_WITH_MPI

MpiSession::MpiSession() {
  int self = 0, count = 1;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  self_ = static_cast<std::uint32_t>(self);
  count_ = static_cast<std::uint32_t>(count);
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

#else

MpiSession::MpiSession() {
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
