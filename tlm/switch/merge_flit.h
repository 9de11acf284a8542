// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/traffic.h"

namespace t3 {

/// What the numbers of an update are, as the merge unit's ports say it. None: not to be added.
enum class MergeFormat : std::uint8_t { Fp16, Bf16, Fp32, None };

/// Of an operation in memory: the unit adds floating-point numbers, and nothing else.
constexpr MergeFormat mergeFormat(MemoryOperation operation, DataType type) {
  if (operation != MemoryOperation::Add) return MergeFormat::None;
  switch (type) {
    case DataType::Fp16:
      return MergeFormat::Fp16;
    case DataType::Bf16:
      return MergeFormat::Bf16;
    case DataType::Fp32:
      return MergeFormat::Fp32;
    case DataType::Int32:
      break;
  }
  return MergeFormat::None;
}

/// An update on its way through a merge unit: the sum of `count` contributions to a line.
struct MergeFlit {
  std::uint64_t line = 0;
  std::uint32_t count = 1;
  MergeFormat format = MergeFormat::None;
  std::vector<unsigned char>
      values;  ///< of a line, or of what a sender has of it; empty: sizes only

  bool operator==(const MergeFlit&) const = default;
};

}  // namespace t3
