// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/element_add.h"

#include <Imath/half.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace t3 {
namespace {

/// bfloat16 is the upper half of a float.
struct Bf16 {
  std::uint16_t bits;

  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static Bf16 round(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return {static_cast<std::uint16_t>(wide >> 16 | 0x40)};
    return {static_cast<std::uint16_t>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16)};
  }
};

template <typename T, typename Add>
void addAs(unsigned char* sum, const unsigned char* a, const unsigned char* b, std::size_t bytes,
           Add add) {
  for (std::size_t i = 0; i < bytes; i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a + i, sizeof(T));
    std::memcpy(&y, b + i, sizeof(T));
    const T result = add(x, y);
    std::memcpy(sum + i, &result, sizeof(T));
  }
}

}  // namespace

void addElements(DataType type, unsigned char* sum, const unsigned char* a, const unsigned char* b,
                 std::size_t bytes) {
  switch (type) {
    case DataType::Fp16:
      return addAs<Imath::half>(sum, a, b, bytes, [](Imath::half x, Imath::half y) {
        return Imath::half(static_cast<float>(x) + static_cast<float>(y));
      });
    case DataType::Bf16:
      return addAs<Bf16>(sum, a, b, bytes, [](Bf16 x, Bf16 y) {
        return Bf16::round(static_cast<float>(x) + static_cast<float>(y));
      });
    case DataType::Fp32:
      return addAs<float>(sum, a, b, bytes, [](float x, float y) { return x + y; });
    case DataType::Int32:
      return addAs<std::uint32_t>(sum, a, b, bytes,
                                  [](std::uint32_t x, std::uint32_t y) { return x + y; });
  }
}

}  // namespace t3
