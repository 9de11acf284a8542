// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/codec.h"
#include "tlm/transport/traffic.h"

namespace t3 {

// What becomes of values that pass a codec, by arithmetic and without the codec's bits. A matrix is
// raw element bits of 16 bits, [rows][columns], whose columns are whole blocks of 32.

/// A GPU's part of each sum, rounded, by GPU.
using Parts = std::vector<std::vector<std::uint16_t>>;

struct CodedSums {
  std::vector<std::uint16_t> sums;
  std::vector<double> exact;   ///< sums of the parts
  std::vector<double> bounds;  ///< that no error of a sum is above
  CodingError error;
};

/// What the owner of each chunk has of the sums, where whatever one GPU sends another on the
/// chunk's route is coded: the part of the first, each sum on the way. A GPU adds to its own part,
/// rounding to the element type; where several come the sums have to be exact.
///
/// The bound of an error. A value that is coded to b bits is wrong by at most 2^(1-b) of the
/// largest magnitude of its block, one that a threshold drops by the threshold, and each addition
/// by half a unit of its result. All of them add up on the way.
CodedSums codedReference(const Parts& parts, const Tiling& tiling, const Route& route,
                         const Codec& codec, DataType type);

/// What a GPU has of all chunks that were gathered through a codec: its own as they were.
std::vector<std::uint16_t> gatheredReference(const std::vector<std::uint16_t>& all,
                                             const Tiling& tiling, const Route& route, GpuId gpu,
                                             const Codec& codec, DataType type);
/// How far all of what others have of sums is from the exact ones.
CodingError gatheredError(const CodedSums& sums, const Codec& codec, DataType type);

}  // namespace t3
