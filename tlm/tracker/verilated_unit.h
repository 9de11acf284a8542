// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the files that name Verilated classes. Before any SystemC header: Verilator's refuse to be
// read after those.
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "tlm/tracker/rtl_unit.h"

namespace t3 {

template <typename Model>
RtlPins pinsOf(Model& m) {
  return {.clock = m.clk_i,
          .resetN = m.rst_ni,
          .laneValid = m.lane_valid_i,
          .laneWorkgroup = m.lane_wg_i.data(),
          .laneWavefront = m.lane_wf_i,
          .laneAddress = m.lane_addr_i.data(),
          .laneWeight = m.lane_weight_i,
          .laneReady = m.lane_ready_o,
          .doneReady = m.done_ready_i,
          .doneValid = m.done_valid_o,
          .doneSlot = m.done_slot_o,
          .doneSpoiled = m.done_spoiled_o,
          .releaseReady = m.rel_ready_i,
          .releaseValid = m.rel_valid_o,
          .releaseRow = m.rel_row_o,
          .awValid = m.s_axil_awvalid_i,
          .awAddress = m.s_axil_awaddr_i,
          .awProtection = m.s_axil_awprot_i,
          .awReady = m.s_axil_awready_o,
          .wValid = m.s_axil_wvalid_i,
          .wData = m.s_axil_wdata_i,
          .wStrobes = m.s_axil_wstrb_i,
          .wReady = m.s_axil_wready_o,
          .bReady = m.s_axil_bready_i,
          .bValid = m.s_axil_bvalid_o,
          .bResponse = m.s_axil_bresp_o,
          .arValid = m.s_axil_arvalid_i,
          .arAddress = m.s_axil_araddr_i,
          .arProtection = m.s_axil_arprot_i,
          .arReady = m.s_axil_arready_o,
          .rReady = m.s_axil_rready_i,
          .rValid = m.s_axil_rvalid_o,
          .rData = m.s_axil_rdata_o,
          .rResponse = m.s_axil_rresp_o,
          .interrupt = m.irq_o,
          .alert = m.alert_o,
          .busy = m.busy_o};
}

// Bases in the order in which they are needed: the context, the model in it, references to the
// model's ports.
struct ContextHolder {
  std::shared_ptr<VerilatedContext> context;
};

/// An RtlUnit of one class that Verilator made.
template <typename Model, bool kTraced>
class VerilatedUnit : private ContextHolder, private Model, public RtlUnit {
 public:
  VerilatedUnit(std::shared_ptr<VerilatedContext> shared, const char* name)
      : ContextHolder{std::move(shared)},
        Model(context.get(), name),
        RtlUnit(pinsOf(static_cast<Model&>(*this))) {}
  ~VerilatedUnit() override {
    select();
    Model::final();
  }

  bool cycle(std::uint64_t picoseconds) override {
    select();
    context->time(picoseconds);
    Model::clk_i = 0;
    Model::eval();
    if constexpr (kTraced) {
      if (low_) low_();
    }
    Model::clk_i = 1;
    Model::eval();
    if (!context->gotError()) return true;
    context->gotError(false);
    return false;
  }

  bool traceTo([[maybe_unused]] VerilatedFstC& sink) override {
    constexpr int kAllLevels = 99;
    if constexpr (kTraced) Model::trace(&sink, kAllLevels);
    return kTraced;
  }

 private:
  // Messages, errors and destructors use the thread's current context, not the model's.
  void select() { Verilated::threadContextp(context.get()); }
};

}  // namespace t3
