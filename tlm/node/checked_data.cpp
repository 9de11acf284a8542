// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/checked_data.h"

#include <algorithm>
#include <utility>

#include "tlm/node/gemm_data.h"

namespace t3 {

CheckedData::Sublayer& CheckedData::sublayer(std::uint32_t number) {
  const auto found = sublayers_.find(number);
  if (found != sublayers_.end()) return found->second;
  std::uint32_t oldest = number;
  for (const std::uint32_t g : machine_.own()) {
    oldest = std::min(oldest, round(g));
  }
  sublayers_.erase(sublayers_.begin(), sublayers_.lower_bound(oldest));
  const SystemConfig& config = machine_.config();
  const Tiling& tiling = machine_.tiling();
  Sublayer& made = sublayers_[number];
  const std::vector<std::uint32_t> depths = config.depths();
  for (std::uint32_t g = 0; g < machine_.simulated(); ++g) {
    made.operands.push_back(randomOperands(
        config.seed + number, GpuId{g}, tiling.rows(), tiling.columns(), depths[g],
        config.workload.data_type, machine_.route().sumsInFixedOrder() ? 0 : machine_.gpus()));
  }
  if (config.workload.norms()) {
    made.residual = randomOperands(config.seed + number, GpuId{machine_.gpus() + 1}, tiling.rows(),
                                   0, tiling.columns(), config.workload.data_type)
                        .a;
  }
  if (const OutputPlan* consumer = machine_.consumer()) {
    made.weights =
        randomOperands(config.seed + number, GpuId{machine_.gpus()}, 0, consumer->tiling.columns(),
                       consumer->mostDepth(), config.workload.data_type)
            .b;
  }
  return made;
}

void CheckedData::writeOperands(std::uint32_t gpu) {
  if (elided()) return;
  storeOperands(memoryOf(machine_.node(gpu)), machine_.layout(), sublayer(round(gpu)).operands[gpu],
                machine_.config().depths()[gpu]);
  if (machine_.config().workload.norms()) {
    storeMatrix(memoryOf(machine_.node(gpu)), machine_.layout().residual,
                sublayer(round(gpu)).residual);
  }
  if (const OutputPlan* consumer = machine_.consumer()) {
    storeOperands(memoryOf(machine_.node(gpu)), consumer->layout,
                  {{}, sublayer(round(gpu)).weights}, consumer->mostDepth());
  }
}

void CheckedData::compare(std::uint32_t gpu) {
  verification_.data = machine_.config().data;
  if (elided()) return;
  Sublayer& now = sublayer(round(gpu));
  if (now.gathered.empty()) addUp(now);
  compareOutput(memoryOf(machine_.node(gpu)), machine_.layout().gathered(), machine_.tiling(),
                now.gathered, verification_);
  compareConsumer(gpu, now);
}

void CheckedData::addUp(Sublayer& data) {
  const Tiling& tiling = machine_.tiling();
  const WorkloadConfig& work = machine_.config().workload;
  const DataType type = work.data_type;
  data.gathered = ringReference(data.operands, tiling, type);
  if (machine_.node(machine_.own().front()).hbm.statistics().dropped) {
    const auto admitted = [&](GpuId gpu, WorkgroupId tile) {
      const GpuId owner = machine_.route().owner(tiling.chunkOf(tile));
      return machine_.node(owner.value).hbm.admitted(tile, gpu);
    };
    const auto all =
        std::exchange(data.gathered, ringReference(data.operands, tiling, type, admitted));
    const double scale = static_cast<double>(machine_.gpus()) / work.contributions;
    verification_.left_out_error = relativeError(data.gathered, scale, all, type);
  }
  if (!work.norms()) return;
  data.gathered = normReference(data.gathered, data.residual, tiling.columns(), type);
}

void CheckedData::compareConsumer(std::uint32_t gpu, Sublayer& data) {
  const OutputPlan* consumer = machine_.consumer();
  if (consumer == nullptr || !machine_.consumerWaits()) return;
  if (data.consumed.empty()) {
    data.consumed = productReference(data.gathered, data.weights, consumer->mostDepth(),
                                     machine_.config().workload.data_type);
  }
  compareOutput(memoryOf(machine_.node(gpu)), consumer->layout.output, consumer->tiling,
                data.consumed, verification_);
}

}  // namespace t3
