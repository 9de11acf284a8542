// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/rtl_block_codec.h"

#include "Vt3_block_codec.h"
#include "tlm/rtl/pinned_block.h"

// Behind Verilator's headers.
#include <algorithm>
#include <cstring>
#include <span>
#include <sstream>
#include <systemc>
#include <vector>

#include "tlm/gpu/codec.h"

namespace t3 {
namespace {

constexpr std::uint32_t kBlockBytes = Codec::kBlockBytes;

class BlockCodecRtl : public RtlBlockCodec {
 public:
  BlockCodecRtl(const std::string& name, bool compared) : name_(name), compared_(compared) {
    pins_.clk_i = 0;
    pins_.read_valid_i = pins_.arrive_valid_i = 0;
    pins_.send_ready_i = pins_.write_ready_i = 1;
    rtl_.reset();
  }

  std::uint32_t encodeValues(const Codec& codec, DataType type, unsigned char* data,
                             std::uint32_t bytes) override {
    std::vector<unsigned char> plain(data, data + bytes);
    std::vector<unsigned char> coded;
    std::uint32_t left = 0;  // of the values that are still to leave
    const auto take = [&] {
      if (pins_.send_valid_o == 0) return;
      coded.push_back(pins_.send_exponent_o);
      const auto* const numbers =
          reinterpret_cast<const unsigned char*>(pins_.send_numbers_o.data());
      const std::uint32_t count = std::min(bytes - left, kBlockBytes) / 2;
      coded.insert(coded.end(), numbers, numbers + (count * codec.bits() + 7) / 8);
      left += count * 2;
      ++statistics_.encoded;
    };
    for (std::uint32_t at = 0; at < bytes; at += kBlockBytes) {
      auto* const values = reinterpret_cast<unsigned char*>(pins_.read_values_i.data());
      const std::uint32_t length = std::min(bytes - at, kBlockBytes);
      std::fill_n(std::copy_n(&plain[at], length, values), kBlockBytes - length, 0);
      pins_.read_bf16_i = type == DataType::Bf16;
      pins_.read_size_i = sizeOf(codec);
      pins_.read_valid_i = 1;
      cycle();
      take();
    }
    pins_.read_valid_i = 0;
    while (left < bytes) {
      cycle();
      take();
    }
    if (coded.size() < bytes) std::ranges::copy(coded, data);
    const auto length = std::min(static_cast<std::uint32_t>(coded.size()), bytes);
    if (compared_) {
      plain.resize(t3::encodeValues(codec, type, plain.data(), bytes));
      compare("encodes", codec, bytes, plain, {data, length});
    }
    return length;
  }

  void decodeValues(const Codec& codec, DataType type, unsigned char* data, std::uint32_t bytes,
                    std::uint32_t coded) override {
    if (coded == bytes) return;
    std::vector<unsigned char> expected(data, data + bytes);
    const std::vector<unsigned char> held(data, data + coded);
    const unsigned char* from = held.data();
    std::uint32_t left = 0;
    const auto take = [&] {
      if (pins_.write_valid_o == 0) return;
      const std::uint32_t length = std::min(bytes - left, kBlockBytes);
      std::memcpy(data + left, pins_.write_values_o.data(), length);
      left += length;
      ++statistics_.decoded;
    };
    for (std::uint32_t at = 0; at < bytes; at += kBlockBytes) {
      const std::uint32_t length = (std::min(bytes - at, kBlockBytes) / 2 * codec.bits() + 7) / 8;
      pins_.arrive_exponent_i = *from++;
      std::memcpy(pins_.arrive_numbers_i.data(), from, length);
      from += length;
      pins_.arrive_bf16_i = type == DataType::Bf16;
      pins_.arrive_size_i = sizeOf(codec);
      pins_.arrive_valid_i = 1;
      cycle();
      take();
    }
    pins_.arrive_valid_i = 0;
    while (left < bytes) {
      cycle();
      take();
    }
    if (!compared_) return;
    t3::decodeValues(codec, type, expected.data(), bytes, coded);
    compare("decodes", codec, bytes, expected, {data, bytes});
  }

 private:
  static CData sizeOf(const Codec& codec) { return static_cast<CData>((8 - codec.bits()) / 2); }

  void cycle() {
    rtl_.edge(now(), false);
    rtl_.cycle();
  }

  /// `bytes`: of the values.
  void compare(const char* does, const Codec& codec, std::uint32_t bytes,
               std::span<const unsigned char> expected, std::span<const unsigned char> found) {
    statistics_.compared += (bytes + kBlockBytes - 1) / kBlockBytes;
    if (std::ranges::equal(expected, found)) return;
    std::ostringstream text;
    text << name_ << ": at " << sc_core::sc_time_stamp() << " the RTL " << does
         << " values otherwise than the model, in numbers of " << codec.bits() << " bits";
    SC_REPORT_ERROR("t3/codec", text.str().c_str());
  }

  const std::string name_;
  const bool compared_;
  PinnedBlock<Vt3_block_codec, false> rtl_{name_.c_str(), {}};
  Vt3_block_codec& pins_ = rtl_.pins();
};

}  // namespace

std::unique_ptr<RtlBlockCodec> makeRtlBlockCodec(const std::string& name, bool compared) {
  return std::make_unique<BlockCodecRtl>(name, compared);
}

}  // namespace t3
