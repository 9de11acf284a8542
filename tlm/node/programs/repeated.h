// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/node/program.h"
#include "tlm/node/rounds.h"

namespace t3 {

/// A program that runs `workload.repeat` sublayers on every GPU, back to back (Rounds). All of them
/// use the same buffers, slots and tracker regions.
///
/// Where trackers count what a GEMM stores into other GPUs, they are set up again for each
/// sublayer, and a GPU waits until those into which it stores are ready. For modes whose GPUs meet
/// only in collective kernels, the end of the last kernel says enough: it has received what all
/// others had to add.
class Repeated : public Program {
 public:
  explicit Repeated(Cluster& cluster);

  void start() final;

 protected:
  /// What software does before the first sublayer, on all GPUs before any of them starts.
  virtual void prepare(std::uint32_t /*gpu*/) {}
  /// A GPU is ready for a sublayer, which will not begin before `begins`; others may act on that
  /// from now on.
  virtual void renew(std::uint32_t /*gpu*/, Picoseconds /*begins*/) {}
  /// Starts the first kernel of a sublayer.
  virtual void begin(std::uint32_t gpu) = 0;
  /// Whether trackers have to be set up again for each sublayer, and updates reach other GPUs.
  virtual bool tracks() const { return false; }
  /// If so: the GPU tracks nothing more in this sublayer, and there is a next one. To be set up for
  /// that from now on; `setUp` must be called at the end.
  virtual void setUpAgain(std::uint32_t /*gpu*/) {}
  void setUp(std::uint32_t gpu) { rounds_->partOver(gpu); }

 private:
  void ready(std::uint32_t gpu, Picoseconds begins);

  std::optional<Rounds> rounds_;  ///< from the start on
};

}  // namespace t3
