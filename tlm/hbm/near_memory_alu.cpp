// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/near_memory_alu.h"

#include <Imath/half.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace t3 {
namespace {

// One struct for each element format: how a value is stored and how it is calculated with. Sums of
// two fp16 or bf16 values are formed in float and rounded once more. Float has at least 2p + 2 bits
// for both formats of p bits, so rounding twice gives the same result as rounding once.
struct Fp16 {
  using Stored = std::uint16_t;
  static float load(Stored bits) { return imath_half_to_float(bits); }
  static Stored store(float value) {
    return std::isnan(value) ? Stored{0x7e00} : imath_float_to_half(value);
  }
};

struct Bf16 {
  using Stored = std::uint16_t;
  static float load(Stored bits) { return floatFromBf16(bits); }
  static Stored store(float value) { return bf16FromFloat(value); }
};

struct Fp32 {
  using Stored = std::uint32_t;
  static float load(Stored bits) { return std::bit_cast<float>(bits); }
  static Stored store(float value) {
    return std::isnan(value) ? Stored{0x7fc00000} : std::bit_cast<Stored>(value);
  }
};

struct Int32 {
  using Stored = std::uint32_t;
  static std::int32_t load(Stored bits) { return static_cast<std::int32_t>(bits); }
  static Stored store(std::int32_t value) { return static_cast<Stored>(value); }
};

float add(float a, float b) { return a + b; }
std::int32_t add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

bool less(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }
bool less(std::int32_t a, std::int32_t b) { return a < b; }
bool isNan(float a) { return std::isnan(a); }
bool isNan(std::int32_t) { return false; }

template <typename Value>
Value smaller(Value a, Value b) {
  if (isNan(a)) return b;
  return isNan(b) || less(a, b) ? a : b;
}
template <typename Value>
Value larger(Value a, Value b) {
  if (isNan(a)) return b;
  return isNan(b) || less(b, a) ? a : b;
}

template <typename Format, typename Combine>
void forEach(unsigned char* memory, const unsigned char* operand, std::size_t bytes,
             Combine combine) {
  typename Format::Stored a, b;
  for (std::size_t i = 0; i < bytes; i += sizeof a) {
    std::memcpy(&a, memory + i, sizeof a);
    std::memcpy(&b, operand + i, sizeof b);
    a = Format::store(combine(Format::load(a), Format::load(b)));
    std::memcpy(memory + i, &a, sizeof a);
  }
}

template <typename Format>
void apply(MemoryOperation operation, unsigned char* memory, const unsigned char* operand,
           std::size_t bytes) {
  switch (operation) {
    case MemoryOperation::Store:
      std::memcpy(memory, operand, bytes);
      break;
    case MemoryOperation::Clear:
      std::memset(memory, 0, bytes);
      break;
    case MemoryOperation::Add:
      forEach<Format>(memory, operand, bytes, [](auto a, auto b) { return add(a, b); });
      break;
    case MemoryOperation::Min:
      forEach<Format>(memory, operand, bytes, [](auto a, auto b) { return smaller(a, b); });
      break;
    case MemoryOperation::Max:
      forEach<Format>(memory, operand, bytes, [](auto a, auto b) { return larger(a, b); });
      break;
  }
}

}  // namespace

std::uint16_t bf16FromFloat(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Adds half of the last bit that is kept, less one if that bit is 0, so ties go to even. A carry
  // out of the fraction goes into the exponent, which is right, up to infinity.
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float floatFromBf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

void applyOperation(MemoryOperation operation, DataType type, unsigned char* memory,
                    const unsigned char* operand, std::size_t bytes) {
  switch (type) {
    case DataType::Fp16:
      return apply<Fp16>(operation, memory, operand, bytes);
    case DataType::Bf16:
      return apply<Bf16>(operation, memory, operand, bytes);
    case DataType::Fp32:
      return apply<Fp32>(operation, memory, operand, bytes);
    case DataType::Int32:
      return apply<Int32>(operation, memory, operand, bytes);
  }
}

}  // namespace t3
