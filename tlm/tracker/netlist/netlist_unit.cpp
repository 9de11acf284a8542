// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <utility>

#include "Vt3_netlist.h"
#include "tlm/tracker/verilated_unit.h"

// After Verilator's headers: it includes SystemC's.
#include "tlm/tracker/rtl_tape.h"

namespace t3 {
namespace {

/// Calls `compare(name, a's value, b's value)` for every output pin.
template <typename Compare>
void forEachOutput(const RtlPins& a, const RtlPins& b, Compare compare) {
  compare("lane_ready_o", a.laneReady, b.laneReady);
  compare("done_valid_o", a.doneValid, b.doneValid);
  compare("done_slot_o", a.doneSlot, b.doneSlot);
  compare("done_spoiled_o", a.doneSpoiled, b.doneSpoiled);
  compare("rel_valid_o", a.releaseValid, b.releaseValid);
  compare("rel_row_o", a.releaseRow, b.releaseRow);
  compare("rel_spoiled_o", a.releaseSpoiled, b.releaseSpoiled);
  compare("s_axil_awready_o", a.awReady, b.awReady);
  compare("s_axil_wready_o", a.wReady, b.wReady);
  compare("s_axil_bvalid_o", a.bValid, b.bValid);
  compare("s_axil_bresp_o", a.bResponse, b.bResponse);
  compare("s_axil_arready_o", a.arReady, b.arReady);
  compare("s_axil_rvalid_o", a.rValid, b.rValid);
  compare("s_axil_rdata_o", a.rData, b.rData);
  compare("s_axil_rresp_o", a.rResponse, b.rResponse);
  compare("irq_o", a.interrupt, b.interrupt);
  compare("alert_o", a.alert, b.alert);
  compare("busy_o", a.busy, b.busy);
}

// Before the base that refers to its pins.
struct NetlistHolder {
  VerilatedUnit<Vt3_netlist, false> gates;
};

class NetlistUnit : private NetlistHolder, public RtlUnit {
 public:
  NetlistUnit(const std::shared_ptr<VerilatedContext>& context, const char* name, bool traced)
      : NetlistHolder{{context, (std::string(name) + ".netlist").c_str()}},
        RtlUnit(gates.pins),
        rtl_(makeRtlUnit(context, name, traced)) {
    rtl_->whenLow([this] {
      if (low_) low_();
    });
  }

  bool cycle(std::uint64_t picoseconds) override {
    rtl_->pins.resetN = pins.resetN;
    RtlInputs::of(pins).drive(rtl_->pins);
    asserted_ = !rtl_->cycle(picoseconds);
    gates.cycle(picoseconds);
    bool same = true;
    forEachOutput(rtl_->pins, pins, [&same](const char*, std::uint64_t rtl, std::uint64_t netlist) {
      same &= rtl == netlist;
    });
    return same && !asserted_;
  }

  std::string failure(const std::string& where) const override {
    if (asserted_) return rtl_->failure(where);
    std::ostringstream text;
    text << "RTL and netlist differ at " << where << ":" << std::hex;
    forEachOutput(rtl_->pins, pins,
                  [&text](const char* pin, std::uint64_t rtl, std::uint64_t netlist) {
                    if (rtl == netlist) return;
                    text << " " << pin << " RTL 0x" << rtl << " netlist 0x" << netlist;
                  });
    return text.str();
  }

  bool traceTo(VerilatedFstC& sink) override { return rtl_->traceTo(sink); }

 private:
  std::unique_ptr<RtlUnit> rtl_;
  bool asserted_ = false;
};

}  // namespace

bool hasNetlist() { return true; }

std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced) {
  return std::make_unique<NetlistUnit>(context, name, traced);
}

}  // namespace t3
