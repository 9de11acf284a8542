// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace t3::test {

/// The sliced GEMM of a preset.
struct PresetGemm {
  const char* name;
  std::uint32_t rows, columns, depth, gpus;
};

/// One of each shape; `transposed` stores the output the other way round.
inline constexpr PresetGemm kPresetGemms[] = {
    {"mega_gpt_2_op_tp8", 16384, 3072, 384, 8},
    {"mega_gpt_2_ip_tp8", 16384, 3072, 1152, 8},
    {"mega_gpt_2_fc2_tp8", 16384, 3072, 1536, 8},
    {"mega_gpt_2_op_tp16", 16384, 3072, 192, 16},
    {"mega_gpt_2_ip_tp16", 16384, 3072, 576, 16},
    {"mega_gpt_2_fc2_tp16", 16384, 3072, 768, 16},
    {"t_nlg_op_tp8", 8192, 4256, 532, 8},
    {"t_nlg_ip_tp8", 8192, 4256, 1596, 8},
    {"t_nlg_fc2_tp8", 8192, 4256, 2128, 8},
    {"t_nlg_op_tp16", 8192, 4256, 266, 16},
    {"t_nlg_ip_tp16", 8192, 4256, 798, 16},
    {"t_nlg_fc2_tp16", 8192, 4256, 1064, 16},
    {"gpt_3_op_tp32", 2048, 12288, 384, 32},
    {"gpt_3_fc2_tp32", 2048, 12288, 1536, 32},
    {"gpt_3_fc2_tp32_transposed", 12288, 2048, 1536, 32},
    {"palm_fc2_tp32", 2048, 18432, 2304, 32},
    {"palm_fc2_tp32_transposed", 18432, 2048, 2304, 32},
    {"mt_nlg_op_tp32", 2048, 20480, 640, 32},
    {"mt_nlg_fc2_tp32", 2048, 20480, 2560, 32},
    {"mt_nlg_fc2_tp32_transposed", 20480, 2048, 2560, 32},
};

inline std::string nameOf(const testing::TestParamInfo<PresetGemm>& instance) {
  return instance.param.name;
}

}  // namespace t3::test
