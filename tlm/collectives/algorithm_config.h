// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What a collective that is read from a file works on.
struct AlgorithmConfig {
  std::uint64_t bytes = 64 << 20;  ///< of the larger one of input and output
  DataType data_type = DataType::Fp16;
  std::uint64_t loop_bytes = 0;  ///< see StepKernel

  /// Bytes of one of `chunks` chunks: whole bursts, so that the chunks together may be a little
  /// more than `bytes`.
  std::uint64_t chunkBytes(std::uint32_t chunks) const;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const { return std::nullopt; }
};
BOOST_DESCRIBE_STRUCT(AlgorithmConfig, (), (bytes, data_type, loop_bytes))

}  // namespace t3
