// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/cluster.h"
#include "tlm/node/program.h"
#include "tlm/node/run_loop.h"

namespace t3 {

/// A cluster with the program that it runs.
class ClusterRun : public RunSubject {
 public:
  ClusterRun(Cluster& cluster, Program& program) : cluster_(cluster), program_(program) {}

  void start() override { program_.start(); }
  bool finished() const override { return cluster_.finished(); }
  bool idle() const override { return cluster_.idle(); }
  bool resume() override { return cluster_.idle() && program_.resume(); }
  std::uint64_t heartbeat() const override { return cluster_.heartbeat(); }
  Picoseconds lookahead() const override { return cluster_.fabric().lookahead(); }
  double fractionDone() const override { return cluster_.fractionDone(); }
  Watchdog watchdog() const override;
  std::string whoWaits() const override;

 private:
  Cluster& cluster_;
  Program& program_;
};

}  // namespace t3
