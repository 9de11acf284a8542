// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "tlm/node/gpu_figures.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// What went wrong in a process.
struct Failure {
  Picoseconds when = 0;
  std::string what;
};
BOOST_DESCRIBE_STRUCT(Failure, (), (when, what))

/// What one process knows of a run at its end.
struct RunEnd {
  std::vector<Failure> failures;
  Verification verification;
  std::vector<GpuFigures> gpus;  ///< in their order

  /// Notes a failure at the present time.
  void fail(std::string what) { failures.push_back({now(), std::move(what)}); }
  /// The first failure; "" if there is none.
  std::string error() const;
  /// Every process calls it. In process 0 it becomes what all know; `peers` may be null.
  void gather(Peers* peers);
};

}  // namespace t3
