// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/element_add.h"

#include <cstring>

#include "tlm/gpu/element_format.h"

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

}  // namespace t3
