// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tlm/gpu/elements.h"

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
    // The loop over k is outside, so the inner loop runs over neighbours in memory. Each sum still
    // adds its products in the order of k.
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
