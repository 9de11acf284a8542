// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/compute_array.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace t3 {

ComputeArray::ComputeArray(const GpuConfig& config)
    : holders_(std::size_t{config.compute_units} * config.gemm.workgroups_per_cu),
      kept_(config.compute_units),
      matrixUnits_(config.compute_units),
      fillPaths_(config.compute_units) {}

void ComputeArray::offer() {
  for (std::uint32_t slot = 0; slot < holders_.size(); ++slot) {
    if (holders_[slot] == nullptr && !kept_[computeUnitOf(slot)]) give(slot);
  }
}

void ComputeArray::giveBack(std::uint32_t slot) {
  holders_[slot] = nullptr;
  if (kept_[computeUnitOf(slot)]) return serveClaims();
  give(slot);
}

void ComputeArray::claim(std::uint32_t count, Claimed claimed) {
  claims_.push_back({count, std::move(claimed), {}});
  serveClaims();
}

void ComputeArray::unclaim(const std::vector<std::uint32_t>& units) {
  for (const std::uint32_t unit : units) kept_[unit] = false;
  claimed_ -= static_cast<std::uint32_t>(units.size());
  serveClaims();
  offer();
}

void ComputeArray::serveClaims() {
  while (!claims_.empty()) {
    Claim& first = claims_.front();
    if (first.units.empty()) keepFor(first);
    if (first.units.empty() ||
        !std::ranges::all_of(first.units, [this](auto unit) { return isFree(unit); })) {
      return;
    }
    claimed_ += first.count;
    const Claim served = std::move(first);
    claims_.pop_front();
    served.claimed(served.units);
  }
}

/// Chooses units, unless too few would be left.
void ComputeArray::keepFor(Claim& claim) {
  if (claimed_ + claim.count >= kept_.size()) return;
  std::vector<std::uint32_t> busy(kept_.size());
  for (std::uint32_t slot = 0; slot < holders_.size(); ++slot) {
    if (holders_[slot] != nullptr) ++busy[computeUnitOf(slot)];
  }
  for (auto unit = static_cast<std::uint32_t>(kept_.size()); unit-- > 0;) {
    if (!kept_[unit]) claim.units.push_back(unit);
  }
  std::ranges::stable_sort(claim.units, {}, [&](std::uint32_t unit) { return busy[unit]; });
  claim.units.resize(claim.count);
  for (const std::uint32_t unit : claim.units) kept_[unit] = true;
}

bool ComputeArray::isFree(std::uint32_t unit) const {
  for (std::size_t slot = unit; slot < holders_.size(); slot += kept_.size()) {
    if (holders_[slot] != nullptr) return false;
  }
  return true;
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
