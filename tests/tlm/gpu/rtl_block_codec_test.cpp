// SPDX-License-Identifier: Apache-2.0
// Method: random bytes, so also infinities and NaNs, of all lengths go through the RTL and through
// the model.
#include "tlm/gpu/rtl_block_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/support/seed.h"
#include "tlm/gpu/codec.h"

namespace t3::rtl_block_codec_test {
namespace {

TEST(RtlBlockCodec, CodesAsTheModelDoes) {
  std::mt19937_64 random(test::seed(64));
  const auto rtl = makeRtlBlockCodec("codec", false);
  for (int round = 0; round < 3000; ++round) {
    const Codec codec{
        std::array{CodecFormat::Block8, CodecFormat::Block6, CodecFormat::Block4}[random() % 3]};
    const DataType type = random() % 2 == 0 ? DataType::Fp16 : DataType::Bf16;
    const auto bytes = static_cast<std::uint32_t>(2 * (1 + random() % 200));
    // Half of them small, so that not every block has an infinity.
    std::vector<unsigned char> plain(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      plain[i] = static_cast<unsigned char>(random());
      if (round % 2 == 0 && i % 2 == 1) plain[i] &= 0xbf;
    }
    std::vector<unsigned char> expected = plain;
    const std::uint32_t coded = encodeValues(codec, type, expected.data(), bytes);
    ASSERT_EQ(rtl->encodeValues(codec, type, plain.data(), bytes), coded);
    ASSERT_TRUE(std::equal(plain.begin(), plain.begin() + coded, expected.begin())) << round;
    decodeValues(codec, type, expected.data(), bytes, coded);
    rtl->decodeValues(codec, type, plain.data(), bytes, coded);
    ASSERT_EQ(plain, expected) << round;
  }
}

}  // namespace
}  // namespace t3::rtl_block_codec_test
