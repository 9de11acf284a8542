// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/reference.h"

#include <Imath/half.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "tlm/gpu/tiling.h"

namespace t3 {

float decode16(std::uint16_t bits, DataType type) {
  if (type == DataType::Fp16) return imath_half_to_float(bits);
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t encode16(float value, DataType type) {
  if (type == DataType::Fp16) return imath_float_to_half(value);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

namespace {

/// Columns of a product that are added up side by side, so that compilers keep them in registers.
/// The model multiplies so, too (tlm/gpu/elements.cpp): a judge has code of its own.
constexpr std::size_t kStrip = 8;
/// Rows whose parts of all GPUs are held at a time.
constexpr std::uint32_t kBand = 256;

std::mt19937 generatorOf(std::uint64_t seed, GpuId gpu) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         gpu.value};
  return std::mt19937(sequence);
}

/// All integers up to this are exact.
std::uint32_t exactIntegers(DataType type) { return type == DataType::Fp16 ? 2048 : 256; }

void require16Bit(DataType type) {
  if (bytesOf(type) != 2) throw std::invalid_argument("checked data needs a 16-bit element type");
}

constexpr std::uint64_t kPiece = 1 << 20;

/// Goes through a range in pieces: `step(address, bytes)`.
void inPieces(std::uint64_t address, std::uint64_t bytes, const auto& step) {
  for (std::uint64_t done = 0; done < bytes; done += kPiece) {
    step(address + done, static_cast<std::uint32_t>(std::min(kPiece, bytes - done)));
  }
}

}  // namespace

Operands randomOperands(std::uint64_t seed, GpuId gpu, std::uint32_t rows, std::uint32_t columns,
                        std::uint32_t depth, DataType type, std::uint32_t exactSums) {
  require16Bit(type);
  std::mt19937 random = generatorOf(seed, gpu);
  const auto fill = [&](std::vector<std::uint16_t>& values, std::size_t count) {
    values.resize(count);
    // The raw generator, because std::uniform_real_distribution differs between libraries.
    for (auto& value : values) {
      value = encode16(static_cast<float>(random() >> 8) * 0x1p-23F - 1.0F, type);
    }
  };
  Operands operands;
  if (exactSums == 0) {
    fill(operands.a, std::size_t{rows} * depth);
    fill(operands.b, std::size_t{columns} * depth);
    return operands;
  }
  // Every sum of terms that many GPUs have together is exact.
  const std::uint32_t terms = std::max(1U, exactIntegers(type) / exactSums);
  const std::uint32_t spacing = (depth + terms - 1) / terms;
  const auto sign = [&] { return encode16(random() % 2 == 0 ? 1.0F : -1.0F, type); };
  operands.a.resize(std::size_t{rows} * depth);
  for (std::size_t first = 0; first < operands.a.size(); first += depth) {
    for (auto k = static_cast<std::uint32_t>(random() % spacing); k < depth; k += spacing)
      operands.a[first + k] = sign();
  }
  operands.b.resize(std::size_t{columns} * depth);
  for (auto& value : operands.b) value = sign();
  return operands;
}

Operands wideOperands(std::uint64_t seed, GpuId gpu, std::uint32_t rows, std::uint32_t columns,
                      std::uint32_t depth, DataType type, std::uint32_t gpus) {
  std::mt19937 random = generatorOf(seed, gpu);
  const std::uint32_t most = std::max(1U, exactIntegers(type) / gpus);
  Operands operands{.a = std::vector<std::uint16_t>(std::size_t{rows} * depth), .b = {}};
  for (std::size_t first = 0; first < operands.a.size(); first += depth) {
    operands.a[first + random() % depth] = encode16(random() % 2 == 0 ? 1.0F : -1.0F, type);
  }
  operands.b.resize(std::size_t{columns} * depth);
  for (auto& value : operands.b) {
    const auto whole = static_cast<int>(random() % (2 * most + 1)) - static_cast<int>(most);
    value = encode16(static_cast<float>(whole), type);
  }
  return operands;
}

std::vector<std::uint16_t> ringReference(const std::vector<Operands>& all, const Tiling& tiling,
                                         DataType type, const Adds& adds) {
  require16Bit(type);
  const auto gpus = static_cast<std::uint32_t>(all.size());
  const std::uint32_t rings = std::max(1U, tiling.chunks() / gpus);
  const auto band = [&](std::uint32_t gpu, std::uint32_t row) {
    const std::vector<std::uint16_t>& a = all[gpu].a;
    const auto depth = static_cast<std::uint32_t>(a.size() / tiling.rows());
    const auto first = static_cast<std::ptrdiff_t>(std::size_t{row} * depth);
    const auto last =
        static_cast<std::ptrdiff_t>(std::size_t{std::min(row + kBand, tiling.rows())} * depth);
    return productReference({a.begin() + first, a.begin() + last}, all[gpu].b, depth, type);
  };

  std::vector<std::uint16_t> result(std::size_t{tiling.rows()} * tiling.columns());
  std::vector<std::vector<std::uint16_t>> parts(gpus);  // a band of rows of each GPU
  for (std::uint32_t row = 0; row < tiling.rows(); ++row) {
    if (row % kBand == 0) {
      for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) parts[gpu] = band(gpu, row);
    }
    for (std::uint32_t column = 0; column < tiling.columns(); ++column) {
      const WorkgroupId wg{row / tiling.tileRows() * tiling.tilesAcross() +
                           column / tiling.tileColumns()};
      const std::uint32_t chunk = tiling.chunkOf(wg).value;
      const std::uint32_t owner = chunk / rings;
      const std::uint32_t step = chunk % rings == 0 ? 1 : gpus - 1;
      std::optional<std::uint16_t> sum;
      for (std::uint32_t hop = 1; hop <= gpus; ++hop) {
        const std::uint32_t gpu = (owner + hop * step) % gpus;
        if (adds && !adds(GpuId{gpu}, wg)) continue;
        const std::uint16_t own = parts[gpu][std::size_t{row % kBand} * tiling.columns() + column];
        sum = sum ? encode16(decode16(*sum, type) + decode16(own, type), type) : own;
      }
      result[std::size_t{row} * tiling.columns() + column] = sum.value_or(0);
    }
  }
  return result;
}

double relativeError(const std::vector<std::uint16_t>& sums, double scale,
                     const std::vector<std::uint16_t>& exact, DataType type) {
  double differences = 0, squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double value = decode16(exact[i], type);
    differences += std::pow(scale * decode16(sums[i], type) - value, 2);
    squares += value * value;
  }
  return squares == 0 ? 0 : std::sqrt(differences / squares);
}

std::vector<std::uint16_t> normReference(const std::vector<std::uint16_t>& sums,
                                         const std::vector<std::uint16_t>& residual,
                                         std::uint32_t columns, DataType type) {
  require16Bit(type);
  std::vector<std::uint16_t> result(sums.size());
  for (std::size_t row = 0; row < sums.size(); row += columns) {
    std::vector<float> values;
    float squares = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      const float sum = decode16(sums[i], type) + decode16(residual[i], type);
      values.push_back(decode16(encode16(sum, type), type));
      squares += values.back() * values.back();
    }
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5F);
    for (std::size_t i = 0; i < columns; ++i) result[row + i] = encode16(values[i] * scale, type);
  }
  return result;
}

std::vector<std::uint16_t> productReference(const std::vector<std::uint16_t>& a,
                                            const std::vector<std::uint16_t>& b,
                                            std::uint32_t depth, DataType type) {
  require16Bit(type);
  const std::size_t rows = a.size() / depth;
  const std::size_t columns = b.size() / depth;
  std::vector<std::uint16_t> result(rows * columns);
  std::vector<float> factors;
  factors.reserve(a.size());
  for (const std::uint16_t bits : a) factors.push_back(decode16(bits, type));
  std::vector<float> strip(kStrip * depth);  // of B, [k][column]
  for (std::size_t first = 0; first < columns; first += kStrip) {
    const std::size_t count = std::min(kStrip, columns - first);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t k = 0; k < depth; ++k) {
        strip[k * kStrip + c] = decode16(b[(first + c) * depth + k], type);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      std::array<float, kStrip> sums{};
      for (std::size_t k = 0; k < depth; ++k) {
        const float factor = factors[row * depth + k];
        for (std::size_t c = 0; c < kStrip; ++c) sums[c] += factor * strip[k * kStrip + c];
      }
      for (std::size_t c = 0; c < count; ++c) {
        result[row * columns + first + c] = encode16(sums[c], type);
      }
    }
  }
  return result;
}

void poison(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> ones(std::min(kPiece, bytes), 0xff);
  inPieces(address, bytes, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_WRITE_COMMAND, at, ones.data(), count);
  });
}

bool holdsZeros(const DebugAccess& memory, std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> held(std::min(kPiece, bytes));
  bool zeros = true;
  inPieces(address, bytes, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_READ_COMMAND, at, held.data(), count);
    zeros = zeros && std::all_of(held.begin(), held.begin() + count,
                                 [](unsigned char byte) { return byte == 0; });
  });
  return zeros;
}

void storeOperands(const DebugAccess& memory, const MemoryLayout& layout, const Operands& operands,
                   std::uint32_t depth) {
  const auto store = [&](std::uint64_t base, std::vector<std::uint16_t> values) {
    for (std::size_t row = 0; row < values.size() / depth; ++row) {
      memory(tlm::TLM_WRITE_COMMAND, base + row * layout.operandPitchBytes,
             values.data() + row * depth, depth * 2);
    }
  };
  store(layout.operandA, operands.a);
  store(layout.operandB, operands.b);
}

void storeMatrix(const DebugAccess& memory, std::uint64_t address,
                 std::vector<std::uint16_t> values) {
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  inPieces(address, values.size() * 2, [&](std::uint64_t at, std::uint32_t count) {
    memory(tlm::TLM_WRITE_COMMAND, at, bytes + (at - address), count);
  });
}

void compareOutput(const DebugAccess& memory, std::uint64_t address, const Tiling& tiling,
                   const std::vector<std::uint16_t>& expected, const std::vector<TileRange>& tiles,
                   Verification& verification) {
  std::vector<std::uint16_t> values;
  for (const TileRange& range : tiles) {
    for (const Segment& segment : segmentsOf(tiling, range)) {
      values.resize(segment.bytes / sizeof values.front());
      memory(tlm::TLM_READ_COMMAND, address + segment.offset, values.data(),
             static_cast<std::uint32_t>(segment.bytes));
      const std::size_t first = segment.offset / sizeof values.front();
      for (std::size_t i = 0; i < values.size(); ++i) {
        verification.mismatches += values[i] != expected[first + i] ? 1 : 0;
      }
      verification.elements += values.size();
    }
  }
}

}  // namespace t3
