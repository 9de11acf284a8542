// SPDX-License-Identifier: Apache-2.0
// Method: a ring of four GPUs, whose requests are whole blocks. The engine counts the bytes of its
// requests, the RTL the blocks that leave it.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/tlm/node/small_ring.h"
#include "tlm/gpu/codec.h"
#include "tlm/gpu/rtl_block_codec.h"
#include "tlm/node/job.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_loop.h"

namespace t3::codec_unit_test {
namespace {

class CodecUnitOfAGpu : public testing::TestWithParam<CodecUnit> {};
std::string nameOf(const testing::TestParamInfo<CodecUnit>& unit) {
  constexpr std::array kNames = {"Model", "Rtl", "Lockstep"};
  return kNames.at(static_cast<std::size_t>(unit.param));
}
INSTANTIATE_TEST_SUITE_P(Units, CodecUnitOfAGpu,
                         testing::Values(CodecUnit::Model, CodecUnit::Rtl, CodecUnit::Lockstep),
                         nameOf);

TEST_P(CodecUnitOfAGpu, IsWhatEveryValueOfItsEnginePasses) {
  SystemConfig config = test::smallRing();
  config.data = DataMode::Checked;
  config.gpu.dma.codec = CodecFormat::Block6;
  config.gpu.dma.codec_unit = GetParam();
  Job job(config, Mode::T3, TrackerKind::Model);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  job.judge().prepare();
  runToEnd(job.executor(), {});
  job.judge().check();
  for (const std::uint32_t g : job.machine().own()) {
    const CodecEngine& codec = *job.machine().node(g).gpu.codec;
    const auto [encoded, sent, decoded] = codec.statistics();
    EXPECT_GT(encoded, sent);
    EXPECT_GT(decoded, 0U);
    ASSERT_EQ(codec.rtl() == nullptr, GetParam() == CodecUnit::Model);
    if (codec.rtl() == nullptr) continue;
    const auto [encodedBlocks, decodedBlocks, compared] = codec.rtl()->statistics();
    EXPECT_EQ(encodedBlocks * Codec::kBlockBytes, encoded);
    EXPECT_EQ(decodedBlocks * Codec::kBlockBytes, decoded);
    EXPECT_EQ(compared, GetParam() == CodecUnit::Lockstep ? encodedBlocks + decodedBlocks : 0);
  }
}

}  // namespace
}  // namespace t3::codec_unit_test
