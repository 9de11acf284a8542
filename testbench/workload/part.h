// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/trace_file.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/system_config.h"

namespace t3 {

enum class PartKind : std::uint8_t {
  Pair,       ///< a GEMM and the collective of its output
  Gemm,       ///< alone
  Collective  ///< alone
};
BOOST_DESCRIBE_ENUM(PartKind, Pair, Gemm, Collective)

/// What is simulated once and happens any number of times in an iteration.
struct WorkPart {
  PartKind kind = PartKind::Gemm;
  std::uint32_t gpus = 0;  ///< that take part in it; of a GEMM alone: 1
  GemmShape gemm = {};
  DataType type = DataType::Fp16;  ///< of the GEMM's elements
  const Promise* collective = nullptr;
  std::uint64_t bytes = 0;  ///< of a collective: of the larger one of a GPU's input and output
  std::string file = {};    ///< of a collective: the MSCCL file; empty: built in

  /// "GEMM 512 x 512 x 128 of fp16 and allreduce, 4 GPUs"
  std::string text() const;
  // clang-tidy takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const WorkPart&) const = default;
};

/// A GEMM with the outer dimension of its output as its rows.
GemmShape asStored(GemmShape gemm, OutputLayout layout);
/// Whether the rows of a GEMM's output are no whole bursts of 32 bytes. They are padded then.
bool padded(const GemmShape& gemm, DataType type, OutputLayout layout);
/// Why the models cannot run a part on a machine, in the words of its settings.
std::optional<std::string> partProblem(const WorkPart& part, const SystemConfig& scenario);
/// The sizes at which a collective is simulated, in bytes; those of a large one lie below its own.
std::vector<std::uint64_t> sizesOf(const WorkPart& part, const SystemConfig& scenario);
/// What a part is simulated with, a collective with so many bytes. `partProblem` found nothing.
SystemConfig partScenario(const WorkPart& part, const SystemConfig& scenario, std::uint64_t bytes);
/// Into which a collective cuts its bytes on the machine of `partScenario`.
std::uint32_t chunksOf(const WorkPart& part, const SystemConfig& machine);

}  // namespace t3
