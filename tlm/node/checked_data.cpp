// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/checked_data.h"

#include <algorithm>

namespace t3 {

CheckedData::Sublayer& CheckedData::sublayer(std::uint32_t number) {
  const auto found = sublayers_.find(number);
  if (found != sublayers_.end()) return found->second;
  std::uint32_t oldest = number;
  for (const std::uint32_t g : cluster_.own()) {
    oldest = std::min(oldest, cluster_.sublayer(g));
  }
  sublayers_.erase(sublayers_.begin(), sublayers_.lower_bound(oldest));
  const SystemConfig& config = cluster_.config();
  const Tiling& tiling = cluster_.tiling();
  Sublayer& made = sublayers_[number];
  for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
    made.operands.push_back(randomOperands(
        config.seed + number, GpuId{g}, tiling.rows(), tiling.columns(), config.workload.depth,
        config.workload.data_type, cluster_.route().sumsInFixedOrder() ? 0 : cluster_.gpus()));
  }
  return made;
}

void CheckedData::writeOperands(std::uint32_t gpu) {
  if (elided()) return;
  const std::uint32_t depth = cluster_.config().workload.depth;
  Operands& operands = sublayer(cluster_.sublayer(gpu)).operands[gpu];
  const auto store = [&](std::uint64_t base, std::vector<std::uint16_t>& values) {
    for (std::size_t row = 0; row < values.size() / depth; ++row) {
      cluster_.node(gpu).debugAccess(tlm::TLM_WRITE_COMMAND,
                                     base + row * cluster_.layout().operandPitchBytes,
                                     values.data() + row * depth, depth * 2);
    }
  };
  store(cluster_.layout().operandA, operands.a);
  store(cluster_.layout().operandB, operands.b);
}

void CheckedData::compare(std::uint32_t gpu) {
  verification_.data = cluster_.config().data;
  if (elided()) return;
  const SystemConfig& config = cluster_.config();
  const Tiling& tiling = cluster_.tiling();
  Sublayer& now = sublayer(cluster_.sublayer(gpu));
  if (now.expected.empty()) {
    now.expected =
        ringReference(now.operands, tiling, config.workload.depth, config.workload.data_type);
  }
  std::vector<std::uint16_t> row(tiling.columns());
  for (std::uint32_t r = 0; r < tiling.rows(); ++r) {
    cluster_.node(gpu).debugAccess(tlm::TLM_READ_COMMAND,
                                   cluster_.layout().output + r * tiling.pitchBytes(), row.data(),
                                   static_cast<std::uint32_t>(tiling.pitchBytes()));
    for (std::uint32_t c = 0; c < tiling.columns(); ++c) {
      const bool differs = row[c] != now.expected[std::size_t{r} * tiling.columns() + c];
      verification_.mismatches += differs ? 1 : 0;
    }
    verification_.elements += tiling.columns();
  }
}

}  // namespace t3
