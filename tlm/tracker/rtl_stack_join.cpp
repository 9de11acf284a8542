// SPDX-License-Identifier: Apache-2.0
// The RTL of the join at its pins (docs/stack-join.md, "Ports"). Verilator's headers come before
// SystemC's.
#include "Vt3_stack_join.h"
#include "Vt3_stack_join_traced.h"
#include "tlm/rtl/verilated_block.h"

// Behind them.
#include <bit>
#include <cstring>
#include <sstream>
#include <systemc>

#include "tlm/rtl/rtl_block.h"
#include "tlm/tracker/stack_join.h"
#include "tlm/transport/agenda.h"

namespace t3 {
namespace {

constexpr int kResetCycles = 4;
constexpr std::uint32_t kSlotBits = std::bit_width(StackJoin::kSlots - 1);

template <typename Model>
struct JoinBlock : RtlBlock {
  explicit JoinBlock(Model& model) : pins(model) {}
  Model& pins;
};

template <typename Model, bool kTraced>
class RtlStackJoin : public StackJoin {
 public:
  RtlStackJoin(const char* name, Picoseconds period, const RtlTracing& tracing)
      : name_(name),
        watcher_(tracing.watcher),
        rtl_(tracing.context != nullptr ? tracing.context : makeRtlContext(),
             kTraced ? verilatedScopes(name).c_str() : name,
             [](Model& model) -> Model& { return model; }),
        pins_(rtl_.pins) {
    pins_.rst_ni = 0;
    for (int i = 0; i < kResetCycles; ++i) cycle(0);
    pins_.rst_ni = 1;
    for (std::uint32_t i = 0; pins_.busy_o != 0 && i < 2 * kSlots; ++i) cycle(0);
    show();
    if (watcher_ == nullptr) return;
    Agenda::ofSimulation().keepCommonOrder();
    watcher_->attach(rtl_, period);
    rtl_.whenLow([this] {
      if (timed_) watcher_->low(edge_);
    });
  }

  const Outputs& outputs() const override { return outputs_; }
  void clock(Picoseconds edge, const Inputs& inputs, bool timed) override {
    edge_ = edge;
    timed_ = timed;
    if (timed && watcher_ != nullptr) [[unlikely]]
      watcher_->edge(edge);
    drive(inputs);
    cycle(edge);
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

  void cycle(Picoseconds edge) {
    if (rtl_.cycle(edge)) return;
    std::ostringstream where;
    where << fromPicoseconds(edge) << " of " << name_;
    SC_REPORT_ERROR("t3/rtl", rtl_.failure(where.str()).c_str());
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

  const std::string name_;
  RtlWatcher* const watcher_;
  VerilatedBlock<Model, JoinBlock<Model>, kTraced> rtl_;
  Model& pins_;
  Outputs outputs_;
  bool timed_ = false;    ///< reset takes no time
  Picoseconds edge_ = 0;  ///< the last one
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
