// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/difference_wave.h"

#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "testbench/output/interrupt.h"

namespace t3 {
namespace {

/// How much time is drawn before and after a difference.
constexpr Picoseconds kBefore = 10'000'000, kAfter = 1'000'000;
/// What the twin says is drawn as often as the clock of the RTL rises.
constexpr Picoseconds kSample = 1'000;

/// Reads until the other end is closed, or until an interrupt.
std::string readAll(int descriptor) {
  std::string text;
  std::array<char, 256> block;
  for (ssize_t count = 0; (count = read(descriptor, block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// What the forked copy does: it waits for an order, runs the simulation again, and ends.
[[noreturn]] void liveAsCopy(int order, const std::string& path,
                             const std::function<void(Wave&)>& again) {
  std::istringstream words(readAll(order));
  WaveOptions options;
  options.path = path;
  options.scopes.assign(1, "");
  options.samplePeriod = kSample;
  if (!(words >> options.scopes[0] >> options.window.first)) _exit(0);  // there was none
  try {
    Wave wave(options);
    again(wave);
  } catch (const std::exception& problem) {
    std::cerr << "t3sim: " << problem.what() << std::endl;
    _exit(1);
  }
  _exit(0);  // without destructors: the objects belong to the parent
}

}  // namespace

void FirstDifference::listen(Listeners& listeners) {
  listeners_ = &listeners;
  for (std::size_t m = 0; m < listeners.models().size(); ++m) {
    if (listeners.models()[m].name.ends_with("tracker")) listeners.add(*this, m);
  }
}

void FirstDifference::happened(const Event& event) {
  if (event.kind != EventKind::Difference || found()) return;
  tracker_ = listeners_->models()[event.source].name;
  when_ = event.when;
  since_ = event.since == 0 ? event.when : event.since;
}

Picoseconds FirstDifference::from() const { return since_ - std::min(since_, kBefore); }

std::string FirstDifference::options() const {
  return "--wave difference.fst --wave-scope " + tracker_ + " --wave-window " +
         std::to_string(from()) + "ps:" + std::to_string(when_ + kAfter) + "ps";
}

DifferenceWave::DifferenceWave(std::string path, const std::function<void(Wave&)>& again)
    : path_(std::move(path)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  {
    const InterruptsHeld held;
    copy_ = fork();
    if (copy_ == 0) leaveTemporariesToParent();
  }
  if (copy_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (copy_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    close(ends[1]);
    liveAsCopy(ends[0], path_, again);
  }
  close(ends[0]);
  order_ = ends[1];
}

DifferenceWave::~DifferenceWave() { end(); }

/// Lets the copy do what it was ordered to do, waits for it, and returns its status.
int DifferenceWave::end() {
  if (copy_ < 0) return 0;
  close(std::exchange(order_, -1));
  int status = -1;
  while (waitpid(copy_, &status, 0) < 0 && errno == EINTR) {
  }
  copy_ = -1;
  return status;
}

std::string DifferenceWave::draw(const FirstDifference& difference) {
  const std::string order = difference.tracker() + " " + std::to_string(difference.from()) + "\n";
  std::signal(SIGPIPE, SIG_IGN);  // an interrupt may have ended the copy
  const bool told = write(order_, order.data(), order.size()) == static_cast<ssize_t>(order.size());
  if (end() != 0 || !told) return "it could not be drawn";
  return "drawn by a second run: gtkwave " + Wave::viewPath(path_);
}

}  // namespace t3
