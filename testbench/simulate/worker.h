// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "testbench/report/run_record.h"

namespace t3 {

/// Name of the internal command that serves one job. The help does not list it.
inline constexpr const char* kWorkerCommand = "worker";

/// What of a scenario is simulated.
enum class JobKind : std::uint8_t {
  Sublayer,   ///< in a mode
  Gemm,       ///< the GEMM of the sublayer and nothing else
  Collective  ///< alone, by kernels: from a file or built in
};
BOOST_DESCRIBE_ENUM(JobKind, Sublayer, Gemm, Collective)

/// What a worker process is asked to simulate.
struct WorkerJob {
  SystemConfig scenario;
  Mode mode = Mode::Sequential;
  TrackerKind tracker = TrackerKind::Rtl;
  std::string command_trace = {};  ///< file for the DRAM commands; empty: none
  JobKind kind = JobKind::Sublayer;
  std::string collective = {};       ///< of kind Collective: the name of its Promise
  std::string collective_file = {};  ///< its MSCCL file; empty: none
  std::string algorithm = {};        ///< the one that `t3sim collective` calls so; empty: built in
};
BOOST_DESCRIBE_STRUCT(WorkerJob, (),
                      (scenario, mode, tracker, command_trace, kind, collective, collective_file,
                       algorithm))

/// The worker's side: reads one job as JSON from standard input, simulates it, and writes lines to
/// the file descriptor `channel`: "progress 0.25" now and then, "result {…}" at the end. Returns
/// the exit code.
int serveWorker(int channel);

/// The parent's side: one job in a process of its own, which is this program started again, without
/// what a launcher has put into the environment. The child ends when the parent ends.
class Worker {
 public:
  /// How a job ended.
  struct End {
    std::string record;  ///< RunRecord as JSON; of a process that crashed, too: a failed one
    std::string said;    ///< standard output and error; not if it crashed
    bool died = false;   ///< ended by a signal
  };

  /// `job` is a WorkerJob as JSON. Throws std::runtime_error if no process can be made.
  explicit Worker(std::string job);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The two file descriptors to wait on; -1 when closed.
  int channel() const { return channel_; }
  int diagnostics() const { return diagnostics_; }

  /// To be called when either end is readable.
  void receive();
  double progress() const { return progress_; }
  /// Once, when the process has ended.
  std::optional<End> finished();

 private:
  void takeLine(const std::string& line);

  std::string job_;
  int process_ = -1, channel_ = -1, diagnostics_ = -1;
  std::string pending_;  ///< bytes of `channel` that are not a whole line yet
  std::string said_;     ///< standard output and error of the child
  double progress_ = 0;
  std::string record_;
};

}  // namespace t3
