// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tlm/transport/traffic.h"

namespace t3 {

/// One op-and-store: `memory[i] = memory[i] op operand[i]` over whole elements. `bytes` is a
/// multiple of the element size; no alignment is needed.
///
/// Add rounds to nearest even; overflow gives infinity, subnormals are kept, a NaN result is the
/// quiet NaN 0x7e00, 0x7fc0 or 0x7fc00000. Min and max return the other operand of a NaN (IEEE
/// 754-2008 minNum/maxNum) and order -0 below +0. Int32 addition wraps. `Store` copies, `Clear`
/// gives zeros.
void applyOperation(MemoryOperation operation, DataType type, unsigned char* memory,
                    const unsigned char* operand, std::size_t bytes);

/// Brain float: the upper half of a float, rounded to nearest even.
std::uint16_t bf16FromFloat(float value);
float floatFromBf16(std::uint16_t bits);

}  // namespace t3
