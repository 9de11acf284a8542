// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cmath>
#include <cstdint>

#include "tlm/transport/traffic.h"

namespace t3 {

/// How values of 16 bits are written on a link (docs/compression.md). `Block8`, `Block6`, `Block4`:
/// 32 values share an exponent of 8 bits, and each is a whole number of so many bits. `Lossless`:
/// differences of neighbours, bit by bit of 32 values, without the bits that are zero in all.
/// `Threshold`: a bit for each value, and the values that are as large.
enum class CodecFormat : std::uint8_t { Off, Block8, Block6, Block4, Lossless, Threshold };
BOOST_DESCRIBE_ENUM(CodecFormat, Off, Block8, Block6, Block4, Lossless, Threshold)

/// Who codes values of a block format in a DMA engine.
enum class CodecUnit : std::uint8_t {
  Model,    ///< tlm/gpu/codec.h
  Rtl,      ///< the RTL of docs/block-codec.md
  Lockstep  ///< the RTL, and each request is compared with the model
};
BOOST_DESCRIBE_ENUM(CodecUnit, Model, Rtl, Lockstep)

/// A format with what it needs to know.
struct Codec {
  static constexpr std::uint32_t kBlockValues = 32;
  static constexpr std::uint32_t kBlockBytes = 2 * kBlockValues;  ///< before the codec

  CodecFormat format = CodecFormat::Off;
  double ratio = 1;      ///< where the data decides and only sizes move
  double threshold = 0;  ///< smaller magnitudes become zero

  bool on() const { return format != CodecFormat::Off; }
  /// Of each value, where they are fixed; else 0.
  constexpr unsigned bits() const {
    switch (format) {
      case CodecFormat::Block8:
        return 8;
      case CodecFormat::Block6:
        return 6;
      case CodecFormat::Block4:
        return 4;
      default:
        return 0;
    }
  }

  /// Bytes on the link of `bytes` bytes, a multiple of 2, of which only the size is known. Never
  /// more than these: what does not become shorter goes as it is.
  std::uint64_t codedBytes(std::uint64_t bytes) const {
    if (!on()) return bytes;
    const std::uint64_t values = bytes / 2;
    const std::uint64_t coded =
        bits() != 0 ? (values * bits() + 7) / 8 + blocksOf(values)
                    : static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / ratio));
    return coded < bytes ? coded : bytes;
  }
  /// No data becomes shorter.
  std::uint64_t leastBytes(std::uint64_t bytes, DataMode mode) const {
    if (mode == DataMode::Elided || bits() != 0 || !on()) return codedBytes(bytes);
    return blocksOf(bytes / 2) * (format == CodecFormat::Lossless ? kPlaneMap : kValueMap);
  }

  static constexpr std::uint32_t kPlaneMap = 2;  ///< bytes: which bits are not zero in all values
  static constexpr std::uint32_t kValueMap = 4;  ///< bytes: which values follow

 private:
  static std::uint64_t blocksOf(std::uint64_t values) {
    return (values + kBlockValues - 1) / kBlockValues;
  }
};

}  // namespace t3
