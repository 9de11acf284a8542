// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Imath/half.h>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/transport/traffic.h"

namespace t3 {

/// How each DataType is stored, and the type in which sums are computed: fp32 for 16-bit formats,
/// rounded to nearest even when stored.
struct Fp16Format {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored bits) { return imath_half_to_float(bits); }
  static Stored encode(Value value) { return imath_float_to_half(value); }
};

/// bfloat16 is the upper half of a float.
struct Bf16Format {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static Stored encode(Value value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<Stored>(bits >> 16 | 0x40);  // stays a (quiet) NaN
    return static_cast<Stored>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

struct Fp32Format {
  using Stored = float;
  using Value = float;
  static Value decode(Stored value) { return value; }
  static Stored encode(Value value) { return value; }
};

/// Unsigned because signed overflow is undefined; the bits are the same.
struct Int32Format {
  using Stored = std::uint32_t;
  using Value = std::uint32_t;
  static Value decode(Stored value) { return value; }
  static Stored encode(Value value) { return value; }
};

/// sum[i] = a[i] + b[i], rounded to the element type (to nearest, ties to even; int32 wraps), as a
/// compute unit adds. `bytes` is a multiple of the element size; `sum` may be `a` or `b`.
void addElements(DataType type, unsigned char* sum, const unsigned char* a, const unsigned char* b,
                 std::size_t bytes);

/// The values of one output tile in checked mode: c[i][j] = sum over k, in order, of a[i][k] *
/// b[j][k]. 16-bit and fp32 operands accumulate in fp32 and are rounded once to nearest even; int32
/// wraps. All arrays are dense bytes in the element type; `c` is resized.
void partialProduct(DataType type, const std::vector<unsigned char>& a,
                    const std::vector<unsigned char>& b, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t depth, std::vector<unsigned char>& c);

}  // namespace t3
