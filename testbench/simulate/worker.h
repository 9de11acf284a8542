// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "testbench/report/run_record.h"
#include "tlm/node/mode.h"

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

/// The child's side: reads one job as JSON from standard input, simulates it, and writes lines to a
/// channel of its own: "progress 0.25" now and then, "result {…}" at the end. Returns the exit
/// code.
int serveWorker();

/// What is new of a job.
struct JobNews {
  std::uint64_t job = 0;  ///< its number
  double fraction = 0;    ///< of it that is done
  bool ended = false;
  bool died = false;  ///< ended by a signal: the same job may well end otherwise
  std::string record =
      {};  ///< RunRecord as JSON, of a job that has ended; if it crashed, a failed one
  std::string said = {};  ///< standard output and error, if it did not crash
};
BOOST_DESCRIBE_STRUCT(JobNews, (), (job, fraction, ended, died, record, said))

/// The parent's side: one job in a process of its own, which is this program started again, without
/// what a launcher has put into the environment. The child ends when the parent ends.
class Worker {
 public:
  /// `job` is a WorkerJob as JSON. Throws std::runtime_error if no process can be made.
  Worker(std::uint64_t number, std::string job);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The two file descriptors to wait on; -1 when closed.
  std::array<int, 2> ends() const { return {channel_, diagnostics_}; }
  /// Reads what is there; nothing if nothing is new. To be called until the job has ended.
  std::optional<JobNews> news();

 private:
  void receive();
  void takeLine(const std::string& line);

  const std::uint64_t number_;
  const std::string job_;
  int process_ = -1, channel_ = -1, diagnostics_ = -1;
  std::string pending_;  ///< bytes of `channel` that are not a whole line yet
  std::string said_;     ///< standard output and error of the child
  double progress_ = 0, told_ = 0;
  std::string record_;
};

}  // namespace t3
