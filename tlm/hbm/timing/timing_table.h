// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// Where a rule holds: in the same bank, between banks of the same group, or between any banks of
/// the channel. (HBM has no ranks; rules of the standard for a rank hold for a channel here.)
enum class RuleScope : std::uint8_t { Bank, Group, Channel };
inline constexpr std::size_t kRuleScopes = 3;

/// `next` may follow `previous` within `scope` after `delay` clocks at the earliest. So may what
/// `comesLike` next.
struct TimingRule {
  DramCommandKind previous;
  DramCommandKind next;
  RuleScope scope;
  Cycles delay;
};

/// Activates, row clears and per-bank refreshes of different banks are spaced by `ActivateWindow`
/// and nowhere else.
constexpr bool spacedByWindow(const TimingRule& rule) {
  const auto spaced = [](DramCommandKind kind) {
    return comesLike(kind) == DramCommandKind::Activate || kind == DramCommandKind::RefreshBank;
  };
  return spaced(rule.previous) && spaced(rule.next) && rule.scope != RuleScope::Bank;
}

/// The part of a rule that is used when its previous command has been planned.
struct TimingPush {
  std::uint32_t next;  ///< index of the kind that is held back
  std::int32_t delay;  ///< clocks, > 0
};

/// The timing parameters as rules. All distances between commands are in this list, but for two
/// things: at most four activates in any `faw()` clocks, and the command buses, which take one
/// column command and one row command a clock (an activate takes `activateCommandClocks`).
class TimingTable {
 public:
  explicit TimingTable(const HbmConfig& config);

  std::span<const TimingRule> rules() const { return rules_; }
  /// What a command of this kind holds back in one scope, but for what is `spacedByWindow`.
  std::span<const TimingPush> pushes(DramCommandKind previous, RuleScope scope) const {
    const Pushes& list = pushes_[indexOf(previous)][static_cast<std::size_t>(scope)];
    return {list.rules.data(), list.count};
  }
  /// 0 where there is no rule.
  Cycles delay(DramCommandKind previous, DramCommandKind next, RuleScope scope) const {
    return delays_[static_cast<std::size_t>(scope)][indexOf(previous)][indexOf(comesLike(next))];
  }

  Cycles faw() const { return faw_; }
  Cycles activateCommandClocks() const { return activateCommandClocks_; }
  Cycles refreshInterval() const { return refreshInterval_; }
  /// Clocks for which a refresh keeps its bank, or all banks, busy.
  Cycles refreshDuration(DramCommandKind kind) const {
    return delay(kind, DramCommandKind::Activate,
                 kind == DramCommandKind::RefreshAll ? RuleScope::Channel : RuleScope::Bank);
  }
  /// From a column command to the end of its data on the bus.
  Cycles dataEnd(DramCommandKind column) const {
    return isRead(column) ? readDataEnd_ : writeDataEnd_;
  }
  /// From a row clear to the next command of its bank.
  Cycles rowClear() const { return rowClear_; }
  Cycles addClocks() const { return addClocks_; }

 private:
  /// Flat, because a channel walks three of these lists for each burst.
  struct Pushes {
    std::uint32_t count = 0;
    std::array<TimingPush, kRuledKinds> rules{};
  };

  void add(DramCommandKind previous, DramCommandKind next, RuleScope scope, Cycles delay);

  std::vector<TimingRule> rules_;
  std::array<std::array<Pushes, kRuleScopes>, kDramCommandKinds> pushes_{};
  std::array<std::array<std::array<Cycles, kRuledKinds>, kDramCommandKinds>, kRuleScopes> delays_{};
  Cycles faw_, activateCommandClocks_, refreshInterval_, readDataEnd_, writeDataEnd_, rowClear_,
      addClocks_;
};

}  // namespace t3
