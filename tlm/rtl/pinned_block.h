// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the files that name Verilated classes. Verilator's headers come before SystemC's.
#include "tlm/rtl/verilated_block.h"

// Behind them.
#include <sstream>
#include <systemc>

#include "tlm/rtl/rtl_block.h"
#include "tlm/transport/agenda.h"

namespace t3 {

template <typename Model>
struct ModelPins : RtlBlock {
  explicit ModelPins(Model& model) : pins(model) {}
  Model& pins;
};

/// A block of RTL whose owner sets its pins clock by clock, and who looks into it. An assertion
/// that fails ends the run with an error report "t3/rtl".
template <typename Model, bool kTraced>
class PinnedBlock {
 public:
  PinnedBlock(const char* name, const RtlTracing& tracing)
      : name_(name),
        watcher_(tracing.watcher),
        rtl_(tracing.context != nullptr ? tracing.context : makeRtlContext(),
             kTraced ? verilatedScopes(name).c_str() : name,
             [](Model& model) -> Model& { return model; }) {}

  Model& pins() { return rtl_.pins; }
  const Model& pins() const { return rtl_.pins; }

  /// Some cycles in reset, in no simulated time. Inputs are as they are.
  void reset() {
    constexpr int kCycles = 4;
    pins().rst_ni = 0;
    for (int i = 0; i < kCycles; ++i) cycle();
    pins().rst_ni = 1;
  }
  /// What comes is no part of the reset. Clock edges are at whole `period`s.
  void begin(Picoseconds period) {
    begun_ = true;
    if (watcher_ == nullptr) return;
    Agenda::ofSimulation().keepCommonOrder();
    watcher_->attach(rtl_, period);
    rtl_.whenLow([this] {
      if (timed_) watcher_->low(edge_);
    });
  }

  /// Before inputs are set for the cycle at `edge`. `timed`: it has a simulated time of its own.
  void edge(Picoseconds edge, bool timed = true) {
    edge_ = edge;
    timed_ = timed;
    if (timed && watcher_ != nullptr) [[unlikely]]
      watcher_->edge(edge);
  }
  /// The clock rises.
  void cycle() {
    if (rtl_.cycle(edge_)) return;
    std::ostringstream where;
    where << (begun_ ? fromPicoseconds(edge_).to_string() : "the reset") << " of " << name_;
    SC_REPORT_ERROR("t3/rtl", rtl_.failure(where.str()).c_str());
  }

 private:
  const std::string name_;
  RtlWatcher* const watcher_;
  VerilatedBlock<Model, ModelPins<Model>, kTraced> rtl_;
  bool begun_ = false, timed_ = false;
  Picoseconds edge_ = 0;  ///< the last one
};

}  // namespace t3
