// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/coded_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "tlm/node/reference.h"

namespace t3 {
namespace {

constexpr std::uint32_t kBlock = Codec::kBlockValues;
using Values = std::array<double, kBlock>;

/// Half of a unit in the last place of a sum, or of the smallest one.
double roundingOf(double sum, DataType type) {
  const bool half = type == DataType::Fp16;
  return std::max(std::abs(sum) * (half ? 0x1p-11 : 0x1p-8), half ? 0x1p-25 : 0x1p-134);
}

double largestOf(const Values& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Codes and decodes a block; returns what a value of it may be wrong by.
double pass(const Codec& codec, DataType type, Values& block) {
  if (codec.format == CodecFormat::Threshold) {
    for (double& value : block) {
      if (std::abs(value) < codec.threshold) value = 0;
    }
    return codec.threshold;
  }
  const auto bits = static_cast<int>(codec.bits());
  if (bits == 0) return 0;
  const double largest = largestOf(block);
  if (!std::isfinite(largest) || std::ranges::any_of(block, [](double v) { return v != v; })) {
    block.fill(std::numeric_limits<double>::quiet_NaN());
    return 0;
  }
  const int least = type == DataType::Fp16
                        ? -24
                        : std::numeric_limits<float>::min_exponent - 1 - (bits - 2);  // of a step
  const int step = largest == 0 ? least : std::max(least, std::ilogb(largest) - (bits - 2));
  const double unit = std::ldexp(1.0, step), most = std::ldexp(1.0, bits - 1) - 1;
  for (double& value : block) {
    const double number = std::min(most, std::rint(std::abs(value) / unit));
    value = std::copysign(number * unit, number == 0 ? 1.0 : value);
  }
  return std::ldexp(largest, 1 - bits);
}

/// The n-th block of a matrix.
Values blockOf(const std::vector<std::uint16_t>& matrix, std::size_t number, DataType type) {
  Values block;
  for (std::uint32_t i = 0; i < kBlock; ++i) {
    block[i] = decode16(matrix[number * kBlock + i], type);
  }
  return block;
}

/// By chunk and GPU: who sends the chunk there, in the order of GPUs.
std::vector<std::vector<std::vector<std::uint32_t>>> sendersOf(const Route& route) {
  std::vector<std::vector<std::vector<std::uint32_t>>> senders(route.chunks());
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    senders[c].resize(route.gpus());
    for (std::uint32_t g = 0; g < route.gpus(); ++g) {
      if (route.owner(ChunkId{c}) == GpuId{g}) continue;
      senders[c][route.peer(GpuId{g}, route.port(GpuId{g}, ChunkId{c})).value].push_back(g);
    }
  }
  return senders;
}

/// Relative to the largest exact sum of each block.
class Errors {
 public:
  void add(const Values& values, const double* exact, const double* bounds) {
    double largest = 0;
    for (std::uint32_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(exact[i]));
    if (largest == 0) return;
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      const double error = std::abs(values[i] - exact[i]);
      if (!(error <= bounds[i] * (1 + 1e-9))) ++figures_.above_bound;
      figures_.max = std::max(figures_.max, error / largest);
      figures_.bound = std::max(figures_.bound, bounds[i] / largest);
      squares_ += error / largest * (error / largest);
      ++count_;
    }
  }
  CodingError figures() const {
    CodingError figures = figures_;
    if (count_ != 0) figures.rms = std::sqrt(squares_ / static_cast<double>(count_));
    return figures;
  }

 private:
  CodingError figures_;
  double squares_ = 0;
  std::uint64_t count_ = 0;
};

/// The sums of one block on its way to its owner.
class BlockSums {
 public:
  BlockSums(const Parts& parts, std::size_t block,
            const std::vector<std::vector<std::uint32_t>>& senders, const Codec& codec,
            DataType type)
      : parts_(parts), block_(block), senders_(senders), codec_(codec), type_(type) {}

  /// At a GPU, with what may be wrong of them.
  std::pair<Values, Values> at(std::uint32_t gpu) const {
    Values sums = blockOf(parts_[gpu], block_, type_), wrong{};
    for (const std::uint32_t sender : senders_[gpu]) {
      auto [values, more] = at(sender);
      const double coding = pass(codec_, type_, values);
      for (std::uint32_t i = 0; i < kBlock; ++i) {
        sums[i] = decode16(encode16(static_cast<float>(sums[i] + values[i]), type_), type_);
        wrong[i] += more[i] + coding + roundingOf(sums[i], type_);
      }
    }
    return {sums, wrong};
  }

 private:
  const Parts& parts_;
  const std::size_t block_;
  const std::vector<std::vector<std::uint32_t>>& senders_;
  const Codec& codec_;
  const DataType type_;
};

/// Of the block's first element.
ChunkId chunkOf(std::size_t block, const Tiling& tiling) {
  const auto row = static_cast<std::uint32_t>(block * kBlock / tiling.columns());
  const auto column = static_cast<std::uint32_t>(block * kBlock % tiling.columns());
  return tiling.chunkOf(
      WorkgroupId{row / tiling.tileRows() * tiling.tilesAcross() + column / tiling.tileColumns()});
}

}  // namespace

CodedSums codedReference(const Parts& parts, const Tiling& tiling, const Route& route,
                         const Codec& codec, DataType type) {
  const auto senders = sendersOf(route);
  const std::size_t elements = std::size_t{tiling.rows()} * tiling.columns();
  CodedSums result;
  result.exact.resize(elements);
  Errors errors;
  for (std::size_t block = 0; block < elements / kBlock; ++block) {
    const ChunkId chunk = chunkOf(block, tiling);
    const BlockSums way(parts, block, senders[chunk.value], codec, type);
    const auto [sums, wrong] = way.at(route.owner(chunk).value);
    double* exact = result.exact.data() + block * kBlock;
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      for (const auto& part : parts) exact[i] += decode16(part[block * kBlock + i], type);
      result.sums.push_back(encode16(static_cast<float>(sums[i]), type));
      result.bounds.push_back(wrong[i]);
    }
    errors.add(sums, exact, wrong.data());
  }
  result.error = errors.figures();
  return result;
}

std::vector<std::uint16_t> gatheredReference(const std::vector<std::uint16_t>& all,
                                             const Tiling& tiling, const Route& route, GpuId gpu,
                                             const Codec& codec, DataType type) {
  std::vector<std::uint16_t> gathered = all;
  for (std::size_t block = 0; block < all.size() / kBlock; ++block) {
    if (route.owner(chunkOf(block, tiling)) == gpu) continue;
    Values values = blockOf(all, block, type);
    pass(codec, type, values);
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      gathered[block * kBlock + i] = encode16(static_cast<float>(values[i]), type);
    }
  }
  return gathered;
}

CodingError gatheredError(const CodedSums& sums, const Codec& codec, DataType type) {
  Errors errors;
  for (std::size_t block = 0; block < sums.sums.size() / kBlock; ++block) {
    Values values = blockOf(sums.sums, block, type), bounds;
    const double coding = pass(codec, type, values);
    for (std::uint32_t i = 0; i < kBlock; ++i) bounds[i] = sums.bounds[block * kBlock + i] + coding;
    errors.add(values, sums.exact.data() + block * kBlock, bounds.data());
  }
  return errors.figures();
}

}  // namespace t3
