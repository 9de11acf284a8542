// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "tlm/gpu/elements.h"
#include "tlm/gpu/rtl_block_codec.h"

namespace t3 {
namespace {

constexpr std::uint32_t kValues = Codec::kBlockValues;
constexpr std::uint32_t kFloatBias = 127, kNotFinite = 255;
constexpr int kLeastFp16Step = -24;  ///< exponent

/// Up to 32 values of 16 bits.
struct Block {
  std::array<std::uint16_t, kValues> bits{};
  std::uint32_t count = 0;
};

float valueOf(DataType type, std::uint16_t bits) {
  return type == DataType::Fp16 ? Fp16Format::decode(bits) : Bf16Format::decode(bits);
}

std::uint16_t bitsOf(DataType type, float value) {
  return type == DataType::Fp16 ? Fp16Format::encode(value) : Bf16Format::encode(value);
}

/// Numbers of a few bits behind one another, lowest bit first.
class BitWriter {
 public:
  explicit BitWriter(std::vector<unsigned char>& to) : to_(to) {}
  ~BitWriter() {
    if (held_ != 0) to_.push_back(static_cast<unsigned char>(bits_));
  }
  void put(std::uint32_t value, unsigned bits) {
    bits_ |= std::uint64_t{value} << held_;
    for (held_ += bits; held_ >= 8; held_ -= 8, bits_ >>= 8) {
      to_.push_back(static_cast<unsigned char>(bits_));
    }
  }

 private:
  std::vector<unsigned char>& to_;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const unsigned char*& from) : from_(from) {}
  std::uint32_t take(unsigned bits) {
    for (; held_ < bits; held_ += 8) bits_ |= std::uint64_t{*from_++} << held_;
    const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << bits) - 1));
    bits_ >>= bits;
    held_ -= bits;
    return value;
  }

 private:
  const unsigned char*& from_;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
};

// ---- a shared exponent --------------------------------------------------------------------------

/// Exponent of what the lowest bit of a number stands for.
int stepOf(DataType type, std::uint32_t exponent, unsigned bits) {
  const int step = static_cast<int>(std::max(exponent, 1U)) - static_cast<int>(kFloatBias) -
                   static_cast<int>(bits - 2);
  return type == DataType::Fp16 ? std::max(step, kLeastFp16Step) : step;
}

void encodeShared(unsigned bits, DataType type, const Block& block,
                  std::vector<unsigned char>& to) {
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(valueOf(type, block.bits[i])) << 1);
  }
  const std::uint32_t exponent = largest >> 24;
  to.push_back(static_cast<unsigned char>(exponent));
  const int step = stepOf(type, exponent, bits);
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  BitWriter writer(to);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    float number = 0;
    if (exponent != kNotFinite) {
      number = std::nearbyint(std::ldexp(valueOf(type, block.bits[i]), -step));
    }
    const auto q = static_cast<std::int32_t>(std::clamp(number, -most, most));
    writer.put(static_cast<std::uint32_t>(q) & ((1U << bits) - 1), bits);
  }
}

void decodeShared(unsigned bits, DataType type, const unsigned char*& from, Block& block) {
  const std::uint32_t exponent = *from++;
  const int step = stepOf(type, exponent, bits);
  BitReader reader(from);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const unsigned unused = 32 - bits;
    const auto q = static_cast<std::int32_t>(reader.take(bits) << unused) >> unused;
    block.bits[i] = exponent == kNotFinite ? (type == DataType::Fp16 ? 0x7e00 : 0x7fc0)
                                           : bitsOf(type, std::ldexp(static_cast<float>(q), step));
  }
}

// ---- planes of bits -----------------------------------------------------------------------------

constexpr unsigned kPlanes = 16;

void encodePlanes(const Block& block, std::vector<unsigned char>& to) {
  std::array<std::uint32_t, kPlanes> planes{};
  std::uint16_t before = 0;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const auto difference = static_cast<std::int16_t>(block.bits[i] - before);
    before = block.bits[i];
    const auto folded = static_cast<std::uint16_t>((difference << 1) ^ (difference >> 15));
    for (unsigned p = 0; p < kPlanes; ++p) planes[p] |= std::uint32_t{folded >> p & 1U} << i;
  }
  std::uint32_t map = 0;
  for (unsigned p = 0; p < kPlanes; ++p) map |= std::uint32_t{planes[p] != 0} << p;
  BitWriter writer(to);
  writer.put(map, kPlanes);
  for (const std::uint32_t plane : planes) {
    if (plane != 0) writer.put(plane, 32);
  }
}

void decodePlanes(const unsigned char*& from, Block& block) {
  BitReader reader(from);
  const std::uint32_t map = reader.take(kPlanes);
  std::array<std::uint16_t, kValues> folded{};
  for (unsigned p = 0; p < kPlanes; ++p) {
    if ((map >> p & 1U) == 0) continue;
    const std::uint32_t plane = reader.take(32);
    for (std::uint32_t i = 0; i < kValues; ++i) {
      folded[i] = static_cast<std::uint16_t>(folded[i] | (plane >> i & 1U) << p);
    }
  }
  std::uint16_t before = 0;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const auto difference = static_cast<std::uint16_t>((folded[i] >> 1) ^ -(folded[i] & 1));
    before = block.bits[i] = static_cast<std::uint16_t>(before + difference);
  }
}

// ---- values above a threshold -------------------------------------------------------------------

bool below(const Codec& codec, DataType type, std::uint16_t bits) {
  return std::abs(valueOf(type, bits)) < codec.threshold;
}

void encodeLarge(const Block& block, std::vector<unsigned char>& to) {
  std::uint32_t map = 0;
  for (std::uint32_t i = 0; i < block.count; ++i) map |= std::uint32_t{block.bits[i] != 0} << i;
  BitWriter writer(to);
  writer.put(map, kValues);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    if (block.bits[i] != 0) writer.put(block.bits[i], 16);
  }
}

void decodeLarge(const unsigned char*& from, Block& block) {
  BitReader reader(from);
  const std::uint32_t map = reader.take(kValues);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    if ((map >> i & 1U) != 0) block.bits[i] = static_cast<std::uint16_t>(reader.take(16));
  }
}

}  // namespace

std::uint32_t encodeValues(const Codec& codec, DataType type, unsigned char* data,
                           std::uint32_t bytes) {
  std::vector<unsigned char> coded;
  coded.reserve(bytes + bytes / 8);
  for (std::uint32_t at = 0; at < bytes; at += Codec::kBlockBytes) {
    Block block{.count = std::min(kValues, (bytes - at) / 2)};
    std::memcpy(block.bits.data(), data + at, std::size_t{block.count} * 2);
    if (codec.format == CodecFormat::Threshold) {
      for (std::uint32_t i = 0; i < block.count; ++i) {
        if (below(codec, type, block.bits[i])) block.bits[i] = 0;
      }
      std::memcpy(data + at, block.bits.data(), std::size_t{block.count} * 2);
      encodeLarge(block, coded);
    } else if (codec.format == CodecFormat::Lossless) {
      encodePlanes(block, coded);
    } else {
      encodeShared(codec.bits(), type, block, coded);
    }
  }
  if (coded.size() >= bytes) return bytes;
  std::ranges::copy(coded, data);
  return static_cast<std::uint32_t>(coded.size());
}

void decodeValues(const Codec& codec, DataType type, unsigned char* data, std::uint32_t bytes,
                  std::uint32_t coded) {
  if (coded == bytes) return;
  const std::vector<unsigned char> held(data, data + coded);
  const unsigned char* from = held.data();
  for (std::uint32_t at = 0; at < bytes; at += Codec::kBlockBytes) {
    Block block{.count = std::min(kValues, (bytes - at) / 2)};
    if (codec.format == CodecFormat::Threshold) {
      decodeLarge(from, block);
    } else if (codec.format == CodecFormat::Lossless) {
      decodePlanes(from, block);
    } else {
      decodeShared(codec.bits(), type, from, block);
    }
    std::memcpy(data + at, block.bits.data(), std::size_t{block.count} * 2);
  }
}

void encode(const Codec& codec, Payload& write, RtlBlockCodec* rtl) {
  TrafficExtension& extension = traffic(write);
  const std::uint32_t bytes = write.get_data_length();
  unsigned char* data = values(write);
  extension.coded = data == nullptr  ? static_cast<std::uint32_t>(codec.codedBytes(bytes))
                    : rtl != nullptr ? rtl->encodeValues(codec, extension.dataType, data, bytes)
                                     : encodeValues(codec, extension.dataType, data, bytes);
}

void decode(const Codec& codec, Payload& write, RtlBlockCodec* rtl) {
  TrafficExtension& extension = traffic(write);
  if (unsigned char* data = values(write); data != nullptr) {
    const std::uint32_t bytes = write.get_data_length();
    if (rtl != nullptr) {
      rtl->decodeValues(codec, extension.dataType, data, bytes, extension.coded);
    } else {
      decodeValues(codec, extension.dataType, data, bytes, extension.coded);
    }
  }
  extension.coded = 0;
}

CodecEngine::CodecEngine(const sc_core::sc_module_name& name, const Codec& codec,
                         const Timing& timing, CodecUnit unit)
    : sc_module(name),
      codec_(codec),
      clock_(timing.clockMhz),
      timing_(timing),
      encoding_(
          "encoding",
          [](const std::pair<Payload*, MemoryPort*>& item) { item.second->send(*item.first); }),
      rtl_(unit == CodecUnit::Model
               ? nullptr
               : makeRtlBlockCodec(this->name(), unit == CodecUnit::Lockstep)) {}

CodecEngine::~CodecEngine() = default;

Picoseconds CodecEngine::timeOf(const Payload& write) const {
  return static_cast<Picoseconds>(std::ceil(write.get_data_length() / timing_.bytesPerCycle *
                                            static_cast<double>(clock_.period())));
}

void CodecEngine::send(Payload& write, MemoryPort& port) {
  encode(codec_, write, rtl_.get());
  statistics_.encodedBytes += write.get_data_length();
  statistics_.sentBytes += traffic(std::as_const(write)).coded;
  encoderFree_ = std::max(encoderFree_, now()) + timeOf(write);
  encoding_.post(encoderFree_ + timing_.latency, {&write, &port});
}

Picoseconds CodecEngine::take(const Payload& coded) {
  statistics_.decodedBytes += coded.get_data_length();
  decoderFree_ = takesAt() + timeOf(coded);
  return decoderFree_ + timing_.latency;
}

void CodecEngine::publish(ValueList& list) const {
  list.level("encoding", 16, "requests", [this] { return encoding_.size(); });
  list.counter("encoded", "bytes", [this] { return statistics_.encodedBytes; });
  list.counter("sent", "bytes", [this] { return statistics_.sentBytes; });
  list.counter("decoded", "bytes", [this] { return statistics_.decodedBytes; });
}

}  // namespace t3
