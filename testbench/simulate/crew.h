// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/parallel/mpi_session.h"
#include "testbench/simulate/worker.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Who simulates jobs, each in a process of its own.
class Crew {
 public:
  virtual ~Crew() = default;

  /// How many jobs it has at a time, at most.
  virtual std::size_t size() const = 0;
  /// Whether it can have one more.
  virtual bool isFree() const = 0;
  /// Gives it a job, a WorkerJob as JSON, called `number` from now on.
  virtual void start(std::uint64_t number, const std::string& job) = 0;
  /// Waits until there is something new. It must have a job.
  virtual std::vector<JobNews> wait() = 0;
};

/// Processes on this machine.
class LocalCrew : public Crew {
 public:
  explicit LocalCrew(std::size_t size) : size_(size) {}

  std::size_t size() const override { return size_; }
  bool isFree() const override { return workers_.size() < size_; }
  void start(std::uint64_t number, const std::string& job) override {
    workers_.emplace_back(number, job);
  }
  std::vector<JobNews> wait() override { return look(-1); }
  /// The same, for so many milliseconds at most.
  std::vector<JobNews> look(int milliseconds);

 private:
  std::size_t size_;
  std::list<Worker> workers_;
};

/// The processes that a launcher started. Process 0 has this object and deals: whoever is free gets
/// the next job and simulates it in a child of its own, process 0 as well. The others call
/// `serveJobs` until this object ends; after an exception the launcher ends them.
class DealtCrew : public Crew {
 public:
  explicit DealtCrew(std::unique_ptr<Post> post);
  ~DealtCrew() override;
  DealtCrew(const DealtCrew&) = delete;
  DealtCrew& operator=(const DealtCrew&) = delete;

  std::size_t size() const override { return post_->count(); }
  bool isFree() const override;
  void start(std::uint64_t number, const std::string& job) override;
  std::vector<JobNews> wait() override;

 private:
  std::unique_ptr<Post> post_;
  LocalCrew own_{1};
  std::vector<bool> busy_;  ///< of the others, [process]
};

/// In every other process: simulates what process 0 deals, until it ends.
void serveJobs(Post& post);

/// Has the crew simulate the jobs, and returns their records in order. A job whose process dies is
/// repeated once, with a line on standard error. `progress` gets fractions by job, `finished`
/// records.
std::vector<RunRecord> runJobs(
    const std::vector<WorkerJob>& jobs, Crew& crew,
    const std::function<void(std::size_t, double)>& progress,
    const std::function<void(std::size_t, const RunRecord&)>& finished = {});

/// Jobs of which each is there once.
class JobList {
 public:
  /// The number of a job: that of an equal one if there is one.
  std::size_t add(WorkerJob job);
  const std::vector<WorkerJob>& jobs() const { return jobs_; }

 private:
  std::vector<WorkerJob> jobs_;
  std::map<std::string, std::size_t> known_;  ///< by their JSON
};

class RunStore;

/// How a batch of jobs runs, and what its bar shows.
struct Batch {
  const RunStore* store = nullptr;  ///< has runs that are finished, and gets new ones at once
  bool showProgress = false;
  double (*weight)(const WorkerJob& job) = [](const WorkerJob&) { return 1.0; };
  /// What is counted: so many points, of which those are complete; by default jobs.
  std::size_t points = 0;
  std::function<std::size_t(const std::vector<bool>& done)> complete = {};
};

/// `runJobs` with a bar. Runs without a failure are saved in the store.
std::vector<RunRecord> runBatch(const std::vector<WorkerJob>& jobs, Crew& crew, const Batch& batch);

/// Puts numbers in the place of `workload.shares` = measured: for each GPU the inverse of the time
/// of its GEMM alone with the K of equal shares, in percent of the fastest. GPUs with the same
/// settings are simulated once. Other shares stay. Throws std::runtime_error if a simulation fails.
void measureShares(SystemConfig& scenario, Crew& crew);

}  // namespace t3
