// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What a collective that is read from a file works on.
struct AlgorithmConfig {
  std::uint64_t bytes = 64 << 20;
  DataType data_type = DataType::Fp16;
  std::uint64_t loop_bytes = 0;

  /// Bytes of one of `chunks` chunks: whole bursts, so all may be a little more than `bytes`.
  std::uint64_t chunkBytes(std::uint32_t chunks) const {
    constexpr std::uint64_t kBurstBytes = 32;
    const std::uint64_t unit = chunks * kBurstBytes;
    return (bytes + unit - 1) / unit * kBurstBytes;
  }

  static constexpr auto settings() {
    using C = AlgorithmConfig;
    return std::tuple{T3_SETTING(bytes, "bytes", 1, 1099511627776.0,
                                 "size of a collective that runs alone: of the larger "
                                 "one of a GPU's input and output, as collective benchmarks count; "
                                 "rounded up to chunks of whole 32-byte bursts"),
                      T3_SETTING(data_type, "", 0, 0, "element format of such a collective"),
                      T3_SETTING(loop_bytes, "bytes", 0, 1099511627776.0,
                                 "bytes of each chunk that a thread block takes through all its "
                                 "steps before the next ones; 0: all, as the collectives of a "
                                 "sublayer do; MSCCL's runtime: 2 MiB with its protocol Simple")};
  }
  std::optional<std::string> check() const { return std::nullopt; }
};

}  // namespace t3
