// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tlm/node/machine.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What goes into the GPUs' memories with checked data, and what must come out. Every sublayer has
/// operands of its own, so a sum that is left over from the one before is wrong in the next.
class CheckedData {
 public:
  explicit CheckedData(Machine& machine) : machine_(machine) {}

  /// Of the sublayer that `gpu` is at; without timing. Nothing happens if data is elided.
  void writeOperands(std::uint32_t gpu);
  /// Compares the whole output of `gpu`, and its consumer's, with the sums of the sublayer that it
  /// is at. Where contributions are left out, these are the sums of those that memories have
  /// admitted.
  void compare(std::uint32_t gpu);

  const Verification& verification() const { return verification_; }

 private:
  struct Sublayer {
    std::vector<Operands> operands;       ///< by GPU
    std::vector<std::uint16_t> residual;  ///< where a norm follows, [rows][columns]
    std::vector<std::uint16_t> gathered;  ///< once it has been asked for: the sums, or what the
                                          ///< norm makes of them
    std::vector<std::uint16_t> weights;   ///< of the consumer, the same on all GPUs
    std::vector<std::uint16_t> consumed;  ///< its output, once it has been asked for
  };
  void addUp(Sublayer& data);
  void compareConsumer(std::uint32_t gpu, Sublayer& data);
  bool elided() const { return machine_.config().data != DataMode::Checked; }
  Sublayer& sublayer(std::uint32_t number);
  std::uint32_t round(std::uint32_t gpu) const { return machine_.executor().round(gpu); }

  Machine& machine_;
  std::map<std::uint32_t, Sublayer> sublayers_;  ///< those that a GPU is at
  Verification verification_{};
};

}  // namespace t3
