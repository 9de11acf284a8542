// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tlm/switch/merge_engine.h"
#include "tlm/switch/merge_unit.h"

namespace t3 {

/// The twin, MergeUnit.
class TwinMergeEngine : public MergeEngine {
 public:
  explicit TwinMergeEngine(const MergeConfig& config) : unit_(config) {
    for (std::uint32_t set = 0; set < config.sets; ++set) unit_.clock({});
  }

  bool ready() const override { return unit_.updateReady(); }
  const MergeFlit* onLink() const override { return unit_.onLink().update; }
  void clock(Picoseconds /*edge*/, std::optional<MergeFlit> update, bool credit) override {
    unit_.clock({.update = std::move(update), .write = {}, .updateCredit = credit});
  }
  bool empty() const override { return unit_.empty(); }
  std::uint64_t quiet() const override { return unit_.quiet(); }
  void pass(std::uint64_t cycles) override { unit_.pass(cycles); }
  std::size_t entries() const override { return unit_.table().entries(); }
  const MergeTable::Statistics& statistics() const override { return unit_.table().statistics(); }

 private:
  MergeUnit unit_;
};

}  // namespace t3
