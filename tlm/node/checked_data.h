// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tlm/node/machine.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What goes into the GPUs' memories with checked data, and what must come out: operands, and the
/// outputs of all GEMMs of a graph. Every round has operands of its own, so a sum that is left over
/// from the one before is wrong in the next.
///
/// Where an output is the operand of a GEMM whose own output is summed, the weights of that GEMM
/// are chosen so that values do not grow from one to the next: each column has one weight that is
/// not zero, 1 or -1, on one GPU. What a GPU has of a given output is the product of operands that
/// are in no memory.
class CheckedData {
 public:
  explicit CheckedData(Machine& machine) : machine_(machine) {}

  /// Of the round that `gpu` is at; without timing. Nothing happens if data is elided.
  void writeOperands(std::uint32_t gpu);
  /// Compares all outputs of `gpu` with those of the round that it is at. Where contributions are
  /// left out, these are the sums of those that memories have admitted.
  void compare(std::uint32_t gpu);

  const Verification& verification() const { return verification_; }

 private:
  using Matrix = std::vector<std::uint16_t>;
  struct Values {
    std::vector<Operands> operands;  ///< by GPU; `a` is empty where it is another output
    Matrix residual;                 ///< where a norm follows, [rows][columns]
    std::vector<Matrix> result;      ///< once it has been asked for: by GPU, or one for all
  };
  using Round = std::vector<Values>;  ///< by output

  Round& round(std::uint32_t number);
  bool gathersOnly(std::uint32_t output) const;
  Matrix ownChunks(const std::vector<Operands>& operands, const OutputPlan& output) const;
  Values operandsOf(std::uint32_t output, std::uint32_t round) const;
  Matrix chainedWeights(std::uint32_t output, std::uint32_t gpu, std::uint64_t seed) const;
  const std::vector<Matrix>& resultOf(Round& data, std::uint32_t output);
  Matrix sumOf(const std::vector<Operands>& operands, const OutputPlan& output);
  /// What a GPU has in the end: all, its own chunks, or nothing that can be told.
  enum class Holds : std::uint8_t { All, OwnChunks, Nothing };
  Holds holds(std::uint32_t output) const;
  bool elided() const { return machine_.config().data != DataMode::Checked; }
  std::uint32_t roundOf(std::uint32_t gpu) const { return machine_.executor().round(gpu); }

  Machine& machine_;
  std::map<std::uint32_t, Round> rounds_;  ///< those that a GPU is at
  Verification verification_{};
};

}  // namespace t3
