// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tlm/transport/traffic.h"

namespace t3 {

/// sum[i] = a[i] + b[i], rounded to the element type (to nearest, ties to even; int32 wraps), as a
/// compute unit adds. `bytes` is a multiple of the element size; `sum` may be `a` or `b`.
void addElements(DataType type, unsigned char* sum, const unsigned char* a, const unsigned char* b,
                 std::size_t bytes);

}  // namespace t3
