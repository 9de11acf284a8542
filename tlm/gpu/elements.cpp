// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/elements.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace t3 {

namespace {

template <typename Format>
void addAs(unsigned char* sum, const unsigned char* a, const unsigned char* b, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(typename Format::Stored)) {
    typename Format::Stored x, y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    const auto result = Format::encode(Format::decode(x) + Format::decode(y));
    std::memcpy(sum + i, &result, sizeof result);
  }
}

}  // namespace

void addElements(DataType type, unsigned char* sum, const unsigned char* a, const unsigned char* b,
                 std::size_t bytes) {
  switch (type) {
    case DataType::Fp16:
      return addAs<Fp16Format>(sum, a, b, bytes);
    case DataType::Bf16:
      return addAs<Bf16Format>(sum, a, b, bytes);
    case DataType::Fp32:
      return addAs<Fp32Format>(sum, a, b, bytes);
    case DataType::Int32:
      return addAs<Int32Format>(sum, a, b, bytes);
  }
}

namespace {

/// Columns that are added up side by side, so that compilers keep them in registers.
constexpr std::size_t kStrip = 8;

template <typename Format>
typename Format::Value valueAt(const std::vector<unsigned char>& bytes, std::size_t index) {
  typename Format::Stored stored;
  std::memcpy(&stored, bytes.data() + index * sizeof stored, sizeof stored);
  return Format::decode(stored);
}

template <typename Format>
void multiply(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b,
              std::size_t rows, std::size_t columns, std::size_t depth,
              std::vector<unsigned char>& c) {
  using Value = typename Format::Value;
  c.resize(rows * columns * sizeof(typename Format::Stored));
  std::vector<Value> factors(rows * depth);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = valueAt<Format>(a, i);
  std::vector<Value> strip(kStrip * depth);  // of B, [k][column]
  for (std::size_t first = 0; first < columns; first += kStrip) {
    const std::size_t count = std::min(kStrip, columns - first);
    for (std::size_t at = 0; at < count; ++at) {
      for (std::size_t k = 0; k < depth; ++k) {
        strip[k * kStrip + at] = valueAt<Format>(b, (first + at) * depth + k);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      std::array<Value, kStrip> sums{};
      for (std::size_t k = 0; k < depth; ++k) {
        const Value factor = factors[row * depth + k];
        for (std::size_t at = 0; at < kStrip; ++at) sums[at] += factor * strip[k * kStrip + at];
      }
      for (std::size_t at = 0; at < count; ++at) {
        const typename Format::Stored stored = Format::encode(sums[at]);
        std::memcpy(c.data() + (row * columns + first + at) * sizeof stored, &stored,
                    sizeof stored);
      }
    }
  }
}

}  // namespace

void partialProduct(DataType type, const std::vector<unsigned char>& a,
                    const std::vector<unsigned char>& b, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t depth, std::vector<unsigned char>& c) {
  switch (type) {
    case DataType::Fp16:
      return multiply<Fp16Format>(a, b, rows, columns, depth, c);
    case DataType::Bf16:
      return multiply<Bf16Format>(a, b, rows, columns, depth, c);
    case DataType::Fp32:
      return multiply<Fp32Format>(a, b, rows, columns, depth, c);
    case DataType::Int32:
      return multiply<Int32Format>(a, b, rows, columns, depth, c);
  }
}

}  // namespace t3
