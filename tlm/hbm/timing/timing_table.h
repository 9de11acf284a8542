// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// How far a rule reaches: the same bank, any bank of the same group, or any bank of the channel
/// (HBM has no ranks; the standard's rank-wide rules are channel-wide here).
enum class RuleScope : std::uint8_t { Bank, Group, Channel };
inline constexpr std::size_t kRuleScopes = 3;

/// `next` may follow `previous` within `scope` after `delay` clocks at the earliest.
struct TimingRule {
  DramCommandKind previous;
  DramCommandKind next;
  RuleScope scope;
  Cycles delay;
};

/// The timing parameters as rules. Everything the controller knows about command distances is in
/// this list, plus the window rule (at most four activates in any `faw()` clocks) and the two
/// command buses (one column command per clock, one row command per clock, an activate taking
/// `activateCommandClocks`).
class TimingTable {
 public:
  explicit TimingTable(const HbmConfig& config);

  std::span<const TimingRule> rules() const { return rules_; }
  /// 0 where there is no rule.
  Cycles delay(DramCommandKind previous, DramCommandKind next, RuleScope scope) const {
    return delays_[static_cast<std::size_t>(scope)][indexOf(previous)][indexOf(next)];
  }

  Cycles faw() const { return faw_; }
  Cycles activateCommandClocks() const { return activateCommandClocks_; }
  Cycles refreshInterval() const { return refreshInterval_; }
  /// Clocks a refresh keeps its bank or all banks busy.
  Cycles refreshDuration(DramCommandKind kind) const {
    return delay(kind, DramCommandKind::Activate,
                 kind == DramCommandKind::RefreshAll ? RuleScope::Channel : RuleScope::Bank);
  }
  /// From a column command to the end of its data on the bus.
  Cycles dataEnd(DramCommandKind column) const {
    return column == DramCommandKind::Read ? readDataEnd_ : writeDataEnd_;
  }
  Cycles addClocks() const { return addClocks_; }

 private:
  void add(DramCommandKind previous, DramCommandKind next, RuleScope scope, Cycles delay);

  std::vector<TimingRule> rules_;
  std::array<std::array<std::array<Cycles, kDramCommandKinds>, kDramCommandKinds>, kRuleScopes>
      delays_{};
  Cycles faw_, activateCommandClocks_, refreshInterval_, readDataEnd_, writeDataEnd_, addClocks_;
};

}  // namespace t3
