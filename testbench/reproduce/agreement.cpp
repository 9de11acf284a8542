// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/agreement.h"

#include "testbench/reproduce/parts.h"

namespace t3 {

std::vector<Agreement> agreements(const std::vector<PointResult>& points) {
  std::vector<Agreement> list;
  for (const PointResult& all : points) {
    if (!isExplicitRepeat(all.point)) continue;
    for (const PointResult& one : points) {
      if (one.point.part != all.point.part || one.point.preset != all.point.preset ||
          !one.point.study.empty()) {
        continue;
      }
      for (const Mode mode : all.point.modes) {
        const RunRecord* every = all.run(mode);
        const RunRecord* single = one.run(mode);
        if (every == nullptr || single == nullptr) continue;
        const auto ratio = [](std::uint64_t a, std::uint64_t b) {
          return static_cast<double>(a) / static_cast<double>(b) - 1;
        };
        list.push_back({all.point.preset, mode,
                        ratio(single->result.time_ps, every->result.time_ps),
                        ratio(single->result.of(Phase::Gemm).dram_read,
                              every->result.of(Phase::Gemm).dram_read),
                        single->result.link_bytes == every->result.link_bytes});
      }
    }
  }
  return list;
}

}  // namespace t3
