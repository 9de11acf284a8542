// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace t3 {

/// What is new of a job that a crew has.
struct JobNews {
  std::uint64_t job = 0;  ///< its number
  double fraction = 0;    ///< of it that is done
  bool ended = false;
  bool died = false;        ///< ended by a signal: the same job may well end otherwise
  std::string record = {};  ///< RunRecord as JSON, of a job that has ended
  std::string said = {};    ///< what it printed, if it did not die
};
BOOST_DESCRIBE_STRUCT(JobNews, (), (job, fraction, ended, died, record, said))

/// Who simulates jobs, each in a process of its own: several at a time on this machine, or one in
/// each of the processes that a launcher started.
class Crew {
 public:
  virtual ~Crew() = default;

  /// How many jobs it has at a time, at most.
  virtual std::size_t size() const = 0;
  /// Whether it can have one more.
  virtual bool isFree() const = 0;
  /// Gives it a job, a WorkerJob as JSON, that is called `number` from now on.
  virtual void start(std::uint64_t number, const std::string& job) = 0;
  /// Waits until there is something new. It must have a job.
  virtual std::vector<JobNews> wait() = 0;
};

}  // namespace t3
