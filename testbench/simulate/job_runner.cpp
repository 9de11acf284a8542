// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/job_runner.h"

#include <poll.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace t3 {

std::vector<RunRecord> runJobs(const std::vector<WorkerJob>& jobs, unsigned parallel,
                               const std::function<void(std::size_t, double)>& progress,
                               const std::function<void(std::size_t, const RunRecord&)>& finished) {
  std::vector<RunRecord> records(jobs.size());
  std::vector<std::unique_ptr<Worker>> workers(jobs.size());
  std::size_t started = 0, ended = 0;
  while (ended < jobs.size()) {
    while (started < jobs.size() && started - ended < parallel) {
      workers[started] = std::make_unique<Worker>(jobs[started]);
      ++started;
    }
    std::vector<pollfd> ends;
    for (const auto& worker : workers) {
      if (worker == nullptr) continue;
      for (const int end : {worker->channel(), worker->diagnostics()}) {
        if (end >= 0) ends.push_back({end, POLLIN, 0});
      }
    }
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) {
      throw std::runtime_error(std::string("poll: ") + std::strerror(errno));
    }
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (workers[i] == nullptr) continue;
      workers[i]->receive();
      progress(i, workers[i]->progress());
      if (auto record = workers[i]->finished()) {
        records[i] = std::move(*record);
        workers[i].reset();
        ++ended;
        progress(i, 1.0);
        if (finished) finished(i, records[i]);
      }
    }
  }
  return records;
}

}  // namespace t3
