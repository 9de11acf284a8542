// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/partial_product.h"

#include <Imath/half.h>

#include <bit>
#include <cstddef>
#include <cstring>

namespace t3 {
namespace {

struct Fp16 {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored bits) { return imath_half_to_float(bits); }
  static Stored encode(Value value) { return imath_float_to_half(value); }
};

struct Bf16 {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static Stored encode(Value value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) return static_cast<Stored>(bits >> 16 | 0x40);  // stays a (quiet) NaN
    return static_cast<Stored>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

struct Fp32 {
  using Stored = float;
  using Value = float;
  static Value decode(Stored value) { return value; }
  static Stored encode(Value value) { return value; }
};

/// Unsigned because signed overflow is undefined; the bits are the same.
struct Int32 {
  using Stored = std::uint32_t;
  using Value = std::uint32_t;
  static Value decode(Stored value) { return value; }
  static Stored encode(Value value) { return value; }
};

template <typename Format>
std::vector<typename Format::Value> decodeAll(const std::vector<unsigned char>& bytes,
                                              std::size_t rows, std::size_t columns,
                                              bool transpose) {
  std::vector<typename Format::Value> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      typename Format::Stored stored;
      std::memcpy(&stored, bytes.data() + (row * columns + column) * sizeof stored, sizeof stored);
      values[transpose ? column * rows + row : row * columns + column] = Format::decode(stored);
    }
  }
  return values;
}

template <typename Format>
void multiply(const std::vector<unsigned char>& aBytes, const std::vector<unsigned char>& bBytes,
              std::size_t rows, std::size_t columns, std::size_t depth,
              std::vector<unsigned char>& c) {
  const auto a = decodeAll<Format>(aBytes, rows, depth, false);
  const auto b = decodeAll<Format>(bBytes, columns, depth, true);
  std::vector<typename Format::Value> sums(columns);
  c.resize(rows * columns * sizeof(typename Format::Stored));
  for (std::size_t row = 0; row < rows; ++row) {
    std::fill(sums.begin(), sums.end(), typename Format::Value{});
    // k outside: every sum still grows in the order of k, and the inner loop runs over neighbours.
    for (std::size_t k = 0; k < depth; ++k) {
      const auto factor = a[row * depth + k];
      for (std::size_t column = 0; column < columns; ++column) {
        sums[column] += factor * b[k * columns + column];
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      const typename Format::Stored stored = Format::encode(sums[column]);
      std::memcpy(c.data() + (row * columns + column) * sizeof stored, &stored, sizeof stored);
    }
  }
}

}  // namespace

void partialProduct(DataType type, const std::vector<unsigned char>& a,
                    const std::vector<unsigned char>& b, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t depth, std::vector<unsigned char>& c) {
  switch (type) {
    case DataType::Fp16:
      return multiply<Fp16>(a, b, rows, columns, depth, c);
    case DataType::Bf16:
      return multiply<Bf16>(a, b, rows, columns, depth, c);
    case DataType::Fp32:
      return multiply<Fp32>(a, b, rows, columns, depth, c);
    case DataType::Int32:
      return multiply<Int32>(a, b, rows, columns, depth, c);
  }
}

}  // namespace t3
