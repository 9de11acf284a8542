// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/rtl/verilated_block.h"

#include <memory>
#include <utility>

#include "tlm/tracker/rtl_unit.h"

namespace t3 {

template <typename Model>
RtlPins pinsOf(Model& m) {
  return {.resetN = m.rst_ni,
          .laneValid = SizedPin(m.lane_valid_i),
          .laneWorkgroup = SizedPin(m.lane_wg_i),
          .laneWavefront = SizedPin(m.lane_wf_i),
          .laneAddress = SizedPin(m.lane_addr_i),
          .laneWeight = SizedPin(m.lane_weight_i),
          .laneReady = SizedPin(m.lane_ready_o),
          .doneReady = m.done_ready_i,
          .doneValid = m.done_valid_o,
          .doneSlot = SizedPin(m.done_slot_o),
          .doneSpoiled = m.done_spoiled_o,
          .releaseReady = m.rel_ready_i,
          .releaseValid = m.rel_valid_o,
          .releaseRow = SizedPin(m.rel_row_o),
          .releaseSpoiled = m.rel_spoiled_o,
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

/// An RtlUnit of one class that Verilator made.
template <typename Model, bool kTraced>
class VerilatedUnit : public VerilatedBlock<Model, RtlUnit, kTraced> {
 public:
  VerilatedUnit(std::shared_ptr<VerilatedContext> shared, const char* name)
      : VerilatedBlock<Model, RtlUnit, kTraced>(std::move(shared), name, pinsOf<Model>) {}
};

}  // namespace t3
