// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/local_crew.h"

#include <poll.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace t3 {

void LocalCrew::start(std::uint64_t number, const std::string& job) {
  workers_[number].worker = std::make_unique<Worker>(job);
}

std::vector<JobNews> LocalCrew::look(int milliseconds) {
  std::vector<pollfd> ends;
  for (const auto& [number, active] : workers_) {
    for (const int end : {active.worker->channel(), active.worker->diagnostics()}) {
      if (end >= 0) ends.push_back({end, POLLIN, 0});
    }
  }
  if (poll(ends.data(), ends.size(), milliseconds) < 0 && errno != EINTR) {
    throw std::runtime_error(std::string("poll: ") + std::strerror(errno));
  }
  std::vector<JobNews> news;
  for (auto entry = workers_.begin(); entry != workers_.end();) {
    auto& [number, active] = *entry;
    active.worker->receive();
    JobNews one{number, active.worker->progress()};
    const auto end = active.worker->finished();
    if (end) {
      one.fraction = 1;
      one.ended = true;
      one.died = end->died;
      one.record = end->record;
      one.said = end->said;
    }
    const double known = std::exchange(active.shown, one.fraction);
    if (one.ended || one.fraction != known) news.push_back(std::move(one));
    entry = end ? workers_.erase(entry) : std::next(entry);
  }
  return news;
}

}  // namespace t3
