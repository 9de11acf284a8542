// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/worker.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/simulate/simulation.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/bounds.h"
#include "tlm/node/modes/blocks.h"

namespace t3 {
namespace {

/// The GEMM of a sublayer and nothing after it: no mode that people name, but one of workloads.
constinit const ModeKind kGemmAlone = {
    .name = "gemm-alone",
    .graph =
        [](const SystemConfig&) {
          Graph graph;
          addGemm(graph);
          return graph;
        },
    .bound =
        [](const BoundParts& parts) {
          return parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
        }};

constexpr int kChannel = 3;  // of the child
constexpr std::string_view kProgress = "progress ";
constexpr std::string_view kResult = "result ";

[[noreturn]] void systemError(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) systemError("pipe");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

void writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) systemError("write");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Appends the bytes that are available; false at the end of the stream.
bool readSome(int descriptor, std::string& text) {
  std::array<char, 65536> block;
  const ssize_t count = read(descriptor, block.data(), block.size());
  if (count < 0) return errno == EINTR;
  text.append(block.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// In the child, between fork and exec: async-signal-safe calls only.
[[noreturn]] void becomeWorker(int parent, int input, int channel, int diagnostics,
                               char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);  // it died before the line above
  // The descriptors are above 3, unless the parent was started with some of 0 to 3 closed. Copies
  // from 10 on are safe from the four dup2 below.
  const int from[] = {fcntl(input, F_DUPFD_CLOEXEC, 10), fcntl(diagnostics, F_DUPFD_CLOEXEC, 10),
                      fcntl(channel, F_DUPFD_CLOEXEC, 10)};
  dup2(from[0], STDIN_FILENO);
  dup2(from[1], STDOUT_FILENO);
  dup2(from[1], STDERR_FILENO);
  dup2(from[2], kChannel);
  close_range(kChannel + 1, ~0U, CLOSE_RANGE_CLOEXEC);  // what MPI has open, for example
  execle("/proc/self/exe", "t3sim", kWorkerCommand, static_cast<char*>(nullptr), environment);
  _exit(127);
}

std::string lastLine(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n \t");
  if (end == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', end) + 1;  // npos + 1 is 0
  return text.substr(start, end - start + 1);
}

std::string howItEnded(int status, const std::string& said) {
  std::string text = WIFSIGNALED(status)
                         ? std::string("the simulation's process was killed by signal ") +
                               std::to_string(WTERMSIG(status)) + " (" +
                               strsignal(WTERMSIG(status)) + ")"
                         : "the simulation's process ended without a result, exit code " +
                               std::to_string(WEXITSTATUS(status));
  const std::string last = lastLine(said);
  return last.empty() ? text : text + ": " + last;
}

RunRecord simulateJob(const WorkerJob& job, const Observers& observers) {
  switch (job.kind) {
    case JobKind::Sublayer:
      break;
    case JobKind::Gemm: {
      RunRecord record = simulate(job.scenario, Mode{kGemmAlone}, job.tracker, observers);
      record.mode = job.mode;  // the reader knows this one by name
      return record;
    }
    case JobKind::Collective: {
      if (!job.algorithm.empty()) {
        const CollectiveFile file(mscclText(algorithmNamed(job.algorithm, job.scenario.gpus)),
                                  job.algorithm);
        return simulateCollective(job.scenario, file.meaning(), job.mode, job.tracker, observers);
      }
      if (!job.collective_file.empty()) {
        const CollectiveFile file(job.collective_file);
        return simulateCollective(job.scenario, file.meaning(), job.mode, job.tracker, observers);
      }
      const BuiltInCollective builtIn(*Promise::named(job.collective), job.scenario);
      return simulateCollective(job.scenario, builtIn.meaning(), job.mode, job.tracker, observers);
    }
  }
  return simulate(job.scenario, job.mode, job.tracker, observers);
}

}  // namespace

int serveWorker() {
  std::string text;
  while (readSome(STDIN_FILENO, text)) {
  }
  const auto job = fromJson<WorkerJob>(boost::json::parse(text));
  std::optional<CommandTrace> commands;
  if (!job.command_trace.empty()) commands.emplace("--command-trace", job.command_trace);
  Observers observers;
  observers.progress = [&](double fraction) {
    writeAll(kChannel, std::string(kProgress) + formatNumber(fraction) + "\n");
  };
  observers.commands = commands ? &*commands : nullptr;
  RunRecord record = simulateJob(job, observers);
  if (commands) commands->finish();
  record.result.error = asUtf8(record.result.error);
  writeAll(kChannel, std::string(kResult) + boost::json::serialize(toJson(record)) + "\n");
  return record.failed() ? 1 : 0;
}

Worker::Worker(std::uint64_t number, std::string job) : number_(number), job_(std::move(job)) {
  Pipe input, channel, diagnostics;
  // A job is far smaller than the capacity of a pipe, so this does not block without a reader.
  writeAll(input.write, job_);
  std::vector<std::string> variables = environmentWithoutLauncher();
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const int parent = getpid();
  process_ = fork();
  if (process_ < 0) systemError("fork");
  if (process_ == 0) {
    becomeWorker(parent, input.read, channel.write, diagnostics.write, environment.data());
  }
  channel_ = std::exchange(channel.read, -1);
  diagnostics_ = std::exchange(diagnostics.read, -1);
}

Worker::~Worker() {
  if (channel_ >= 0) close(channel_);
  if (diagnostics_ >= 0) close(diagnostics_);
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Worker::receive() {
  std::array<pollfd, 2> ends = {{{channel_, POLLIN, 0}, {diagnostics_, POLLIN, 0}}};
  if (poll(ends.data(), ends.size(), 0) <= 0) return;
  if (ends[0].revents != 0 && !readSome(channel_, pending_)) {
    close(std::exchange(channel_, -1));
  }
  if (ends[1].revents != 0 && !readSome(diagnostics_, said_)) {
    close(std::exchange(diagnostics_, -1));
  }
  std::size_t start = 0;
  for (std::size_t end = 0; (end = pending_.find('\n', start)) != std::string::npos;
       start = end + 1) {
    takeLine(pending_.substr(start, end - start));
  }
  pending_.erase(0, start);
}

void Worker::takeLine(const std::string& line) {
  if (line.starts_with(kProgress)) {
    progress_ = boost::json::parse(line.substr(kProgress.size())).to_number<double>();
  } else if (line.starts_with(kResult)) {
    record_ = line.substr(kResult.size());
  }
}

std::optional<JobNews> Worker::news() {
  receive();
  JobNews news{.job = number_, .fraction = progress_};
  if (channel_ >= 0 || diagnostics_ >= 0) {
    if (std::exchange(told_, progress_) == progress_) return std::nullopt;
    return news;
  }
  news.fraction = 1;
  news.ended = true;
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  if (!record_.empty()) {
    news.record = std::move(record_);
    news.said = std::move(said_);
    return news;
  }
  const auto job = fromJson<WorkerJob>(boost::json::parse(job_));
  RunRecord record;
  record.mode = job.mode;
  record.tracker = job.tracker;
  record.result.error = asUtf8(howItEnded(status, said_));
  news.died = WIFSIGNALED(status);
  news.record = boost::json::serialize(toJson(record));
  return news;
}

}  // namespace t3
