// SPDX-License-Identifier: Apache-2.0
// The RTL of the join at its pins (docs/stack-join.md, "Ports"). Verilator's headers come before
// SystemC's.
#include "Vt3_stack_join.h"
#include "Vt3_stack_join_traced.h"
#include "tlm/rtl/pinned_block.h"

// Behind them.
#include <bit>

#include "tlm/tracker/stack_join.h"

namespace t3 {
namespace {

constexpr std::uint32_t kSlotBits = std::bit_width(StackJoin::kSlots - 1);

template <typename Model, bool kTraced>
class RtlStackJoin : public StackJoin {
 public:
  RtlStackJoin(const char* name, Picoseconds period, const RtlTracing& tracing)
      : rtl_(name, tracing), pins_(rtl_.pins()) {
    rtl_.reset();
    for (std::uint32_t i = 0; pins_.busy_o != 0 && i < 2 * kSlots; ++i) rtl_.cycle();
    show();
    rtl_.begin(period);
  }

  const Outputs& outputs() const override { return outputs_; }
  void clock(Picoseconds edge, const Inputs& inputs, bool timed) override {
    rtl_.edge(edge, timed);
    drive(inputs);
    rtl_.cycle();
    pins_.share_valid_i = 0;
    pins_.cmd_valid_i = 0;
    show();
  }

 private:
  void drive(const Inputs& inputs) {
    std::uint32_t valid = 0, spoiled = 0;
    for (std::uint32_t s = 0; s < kStacks; ++s) {
      if (!inputs.shares[s]) continue;
      valid |= 1U << s;
      spoiled |= static_cast<std::uint32_t>(inputs.shares[s]->spoiled) << s;
      setSlot(s, inputs.shares[s]->slot);
    }
    pins_.share_valid_i = static_cast<std::uint8_t>(valid);
    pins_.share_spoiled_i = static_cast<std::uint8_t>(spoiled);
    pins_.done_ready_i = inputs.doneReady ? 1 : 0;
    pins_.cmd_valid_i = inputs.command ? 1 : 0;
    if (!inputs.command) return;
    pins_.cmd_write_i = inputs.command->write ? 1 : 0;
    pins_.cmd_force_i = inputs.command->force ? 1 : 0;
    pins_.cmd_first_i = static_cast<std::uint16_t>(inputs.command->first);
    pins_.cmd_last_i = static_cast<std::uint16_t>(inputs.command->last);
    pins_.cmd_shares_i = static_cast<std::uint8_t>(inputs.command->shares);
  }

  void setSlot(std::uint32_t stack, std::uint32_t slot) {
    constexpr std::uint32_t kWord = 32;
    for (std::uint32_t bit = 0; bit < kSlotBits; ++bit) {
      const std::uint32_t at = stack * kSlotBits + bit;
      std::uint32_t& word = pins_.share_slot_i[at / kWord];
      word = (word & ~(1U << at % kWord)) | (slot >> bit & 1U) << at % kWord;
    }
  }

  void show() {
    outputs_ = {.ready = pins_.share_ready_o,
                .done = {},
                .commandReady = pins_.cmd_ready_o != 0,
                .refused = pins_.cmd_refused_o != 0,
                .seenMissing = pins_.seen_missing_o,
                .seenWaits = pins_.seen_waits_o != 0,
                .seenSpoiled = pins_.seen_spoiled_o != 0,
                .stray = {},
                .waiting = pins_.waiting_o != 0,
                .busy = pins_.busy_o != 0};
    if (pins_.done_valid_o != 0) outputs_.done = {pins_.done_slot_o, pins_.done_spoiled_o != 0};
    if (pins_.stray_o != 0) {
      outputs_.stray = {pins_.event_slot_o,
                        static_cast<std::uint32_t>(std::countr_zero(pins_.event_stack_o))};
    }
  }

  PinnedBlock<Model, kTraced> rtl_;
  Model& pins_;
  Outputs outputs_;
};

}  // namespace

std::unique_ptr<StackJoin> makeRtlStackJoin(const char* name, Picoseconds period,
                                            const RtlTracing& tracing) {
  if (tracing.watcher == nullptr) {
    return std::make_unique<RtlStackJoin<Vt3_stack_join, false>>(name, period, tracing);
  }
  return std::make_unique<RtlStackJoin<Vt3_stack_join_traced, true>>(name, period, tracing);
}

}  // namespace t3
