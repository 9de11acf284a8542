// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/gemm_data.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What goes into the GPUs' memories before a collective from a file, and what must come out, by
/// the definition of the collective and not by the algorithm. (Of a custom collective, by what the
/// check of the algorithm has found.)
///
/// Values are whole numbers so small that every sum is exact, in whatever order it is added: a
/// hash of seed, GPU, chunk and element. All other bytes begin as NaNs (of int32: -1).
class CollectiveData {
 public:
  using MemoryOf = std::function<DebugAccess(std::uint32_t gpu)>;

  CollectiveData(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout, DataType type,
                 std::uint64_t seed, MemoryOf memory);

  /// `poisoned`: bytes from address 0 on that begin as NaNs where no input is.
  void write(std::uint32_t gpu, std::uint64_t poisoned);
  /// Compares all output chunks of a GPU of which something is promised.
  void compare(std::uint32_t gpu, Verification& verification);

 private:
  std::int32_t value(std::uint32_t gpu, std::uint32_t chunk, std::uint64_t element) const;
  template <typename Format>
  void write(std::uint32_t gpu, std::uint64_t poisoned);
  template <typename Format>
  void compare(std::uint32_t gpu, Verification& verification);

  const AlgorithmMeaning& meaning_;
  const AlgorithmLayout& layout_;
  const DataType type_;
  const std::uint64_t seed_;
  const std::uint32_t most_;  ///< largest magnitude of an input
  MemoryOf memory_;
};

}  // namespace t3
