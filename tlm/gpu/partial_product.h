// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/traffic.h"

namespace t3 {

/// The values of one output tile in checked mode: c[i][j] = sum over k, in order, of a[i][k] *
/// b[j][k]. 16-bit and fp32 operands accumulate in fp32 and are rounded once to nearest even; int32
/// wraps. All arrays are dense bytes in the element type; `c` is resized.
void partialProduct(DataType type, const std::vector<unsigned char>& a,
                    const std::vector<unsigned char>& b, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t depth, std::vector<unsigned char>& c);

}  // namespace t3
