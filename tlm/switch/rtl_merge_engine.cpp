// SPDX-License-Identifier: Apache-2.0
// The RTL of the merge unit at its pins (docs/switch-merge.md, "Ports"): lines of 128 bytes,
// numbers of 48 bits, 128 sets of four. Verilator's headers come before SystemC's.
#include "Vt3_switch_merge.h"
#include "Vt3_switch_merge___024root.h"
#include "Vt3_switch_merge_traced.h"
#include "Vt3_switch_merge_traced___024root.h"
#include "tlm/rtl/pinned_block.h"

// Behind them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tlm/switch/merge_engine.h"

namespace t3 {
namespace {

constexpr std::size_t kLineBytes = 128;
/// Bits of T3_MOVE_T of rtl/switch/t3_switch_types.svh.
enum Move : std::uint8_t { kPass = 1, kLeave = 2, kStore = 4, kAdd = 8 };
static_assert(std::endian::native == std::endian::little,
              "wide Verilated buses are written as bytes");

template <typename Model, bool kTraced>
class RtlMergeEngine : public MergeEngine {
 public:
  RtlMergeEngine(const char* name, const MergeConfig& config, Picoseconds period,
                 const RtlTracing& tracing)
      : rtl_(name, tracing), pins_(rtl_.pins()) {
    pins_.expected_i = static_cast<std::uint8_t>(config.expected);
    pins_.age_i = static_cast<std::uint32_t>(config.age);
    rtl_.reset();
    for (std::uint32_t set = 0; set < config.sets; ++set) rtl_.cycle();
    rtl_.begin(period);
  }

  bool ready() const override { return pins_.upd_ready_o != 0; }
  const MergeFlit* onLink() const override { return pins_.link_valid_o != 0 ? &link_ : nullptr; }
  void clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) override {
    rtl_.edge(edge);
    pins_.upd_valid_i = update ? 1 : 0;
    if (update) {
      pins_.upd_line_i = update->line;
      pins_.upd_count_i = static_cast<std::uint8_t>(update->count);
      pins_.upd_format_i = static_cast<std::uint8_t>(update->format);
      auto* const data = reinterpret_cast<unsigned char*>(pins_.upd_data_i.data());
      std::memset(std::ranges::copy(update->values, data).out, 0,
                  kLineBytes - update->values.size());
      values_ = !update->values.empty();
    }
    pins_.credit_upd_i = credit ? 1 : 0;
    count();
    rtl_.cycle();
    figures_.most_entries = std::max<std::uint64_t>(figures_.most_entries, entries());
    if (pins_.link_valid_o != 0) lookAtLink();
  }
  bool empty() const override { return pins_.empty_o != 0; }
  std::size_t entries() const override {
    return pins_.rootp->t3_switch_merge__DOT__u_tags__DOT__entries_q;
  }
  const MergeFigures& figures() const override { return figures_; }

 private:
  /// The operation in cycle B is done with the edge that comes, unless all stands. It has no pins
  /// (rtl/t3_switch_merge.vlt).
  void count() {
    const auto& inside = *pins_.rootp;
    if (inside.t3_switch_merge__DOT__go == 0) return;
    const std::uint8_t move = inside.t3_switch_merge__DOT__b_move;
    MergeFigures& all = figures_;
    if (inside.t3_switch_merge__DOT__u_tags__DOT__visit_q != 0) all.aged += (move & kLeave) != 0;
    if (inside.t3_switch_merge__DOT__u_tags__DOT__update_q != 0) {
      ++all.updates;
      all.joined += (move & kAdd) != 0;
      all.passed += (move & kPass) != 0;
      all.complete += (move & kAdd) != 0 && (move & kLeave) != 0;
      all.partial += (move & kStore) != 0 && (move & kLeave) != 0;
    }
  }

  void lookAtLink() {
    link_.line = pins_.link_line_o;
    link_.count = pins_.link_count_o;
    link_.format = static_cast<MergeFormat>(pins_.link_format_o);
    const auto* const data = reinterpret_cast<const unsigned char*>(pins_.link_data_o.data());
    link_.values.assign(data, data + (values_ ? kLineBytes : 0));
  }

  PinnedBlock<Model, kTraced> rtl_;
  Model& pins_;
  MergeFlit link_;       ///< what is on it in this cycle
  bool values_ = false;  ///< updates have some
  MergeFigures figures_;
};

}  // namespace

std::unique_ptr<MergeEngine> makeRtlMergeEngine(const char* name, const MergeConfig& config,
                                                Picoseconds period, const RtlTracing& tracing) {
  if (tracing.watcher == nullptr) {
    return std::make_unique<RtlMergeEngine<Vt3_switch_merge, false>>(name, config, period, tracing);
  }
  return std::make_unique<RtlMergeEngine<Vt3_switch_merge_traced, true>>(name, config, period,
                                                                         tracing);
}

}  // namespace t3
