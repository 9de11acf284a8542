// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/compute_array.h"

#include <algorithm>
#include <cstddef>

namespace t3 {

ComputeArray::ComputeArray(const GpuConfig& config)
    : holders_(std::size_t{config.compute_units} * config.gemm.workgroups_per_cu),
      matrixUnits_(config.compute_units),
      fillPaths_(config.compute_units) {}

void ComputeArray::offer() {
  for (std::uint32_t slot = 0; slot < holders_.size(); ++slot) {
    if (holders_[slot] == nullptr) give(slot);
  }
}

void ComputeArray::giveBack(std::uint32_t slot) {
  holders_[slot] = nullptr;
  give(slot);
}

void ComputeArray::give(std::uint32_t slot) {
  const auto user =
      std::ranges::find_if(users_, [](const SlotUser* one) { return one->wantsSlot(); });
  if (user == users_.end()) return;
  holders_[slot] = *user;
  (*user)->begin(slot);
}

bool ComputeArray::takeMatrixUnit(std::uint32_t slot) {
  MatrixUnit& unit = matrixUnits_[computeUnitOf(slot)];
  if (unit.busy) {
    unit.queue.push_back(slot);
    return false;
  }
  unit.busy = true;
  return true;
}

void ComputeArray::freeMatrixUnit(std::uint32_t slot) {
  MatrixUnit& unit = matrixUnits_[computeUnitOf(slot)];
  unit.busy = !unit.queue.empty();
  if (!unit.busy) return;
  const std::uint32_t next = unit.queue.front();
  unit.queue.pop_front();
  holders_[next]->matrixUnitFree(next);
}

}  // namespace t3
