// SPDX-License-Identifier: Apache-2.0
// Method: as symmetric_test, on every preset of the evaluation with 8 GPUs or fewer.
#include "testbench/presets/presets.h"
#include "tests/system/symmetric.h"

namespace t3::symmetric_presets_test {
namespace {

std::vector<const Preset*> presetsOfEight() {
  std::vector<const Preset*> list;
  for (const Preset& preset : presets()) {
    if (preset.config.gpus <= 8 && preset.layers > 0) list.push_back(&preset);
  }
  return list;
}

class SymmetricPreset : public testing::TestWithParam<const Preset*> {};

TEST_P(SymmetricPreset, AgreesWithExplicit) {
  test::Words preset = "--tracker model --preset";
  preset.push_back(GetParam()->name);
  test::expectSymmetricAgrees(preset + test::kKernelsGather, 5);
}

std::string nameOf(const testing::TestParamInfo<const Preset*>& preset) {
  std::string name;
  for (const char c : preset.param->name) name += c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Long, SymmetricPreset, testing::ValuesIn(presetsOfEight()), nameOf);

}  // namespace
}  // namespace t3::symmetric_presets_test
