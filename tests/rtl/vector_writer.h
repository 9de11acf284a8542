// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "rtl_test/recording.h"
#include "tests/rtl/unit_model.h"

namespace t3::rtl_test {

/// Writes what a simulator of its own needs to repeat a test: one line per clock cycle, the inputs
/// before the rising edge and the outputs that go with them, in the order of vectors_tb.sv, in
/// hexadecimal digits. Writes nothing unless T3_RTL_VECTORS names a folder; T3_RTL_VECTOR_CYCLES
/// may end it early.
class VectorWriter {
 public:
  explicit VectorWriter(const char* unit) {
    const std::string path = recordingPath("T3_RTL_VECTORS", unit, "vectors");
    if (!path.empty()) file_.open(path);
  }

  void write(const UnitPorts& m) {
    if (!file_.is_open() || left_ == 0) return;
    --left_;
    line_.clear();
    put(m.rst_ni, m.lane_valid_i, m.lane_wg_i, m.lane_wf_i, m.lane_addr_i, m.lane_weight_i,
        m.done_ready_i, m.rel_ready_i, m.s_axil_awvalid_i, m.s_axil_awaddr_i, m.s_axil_awprot_i,
        m.s_axil_wvalid_i, m.s_axil_wdata_i, m.s_axil_wstrb_i, m.s_axil_bready_i,
        m.s_axil_arvalid_i, m.s_axil_araddr_i, m.s_axil_arprot_i, m.s_axil_rready_i);
    put(m.lane_ready_o, m.done_valid_o, m.done_slot_o, m.done_spoiled_o, m.rel_valid_o, m.rel_row_o,
        m.s_axil_awready_o, m.s_axil_wready_o, m.s_axil_bvalid_o, m.s_axil_bresp_o,
        m.s_axil_arready_o, m.s_axil_rvalid_o, m.s_axil_rdata_o, m.s_axil_rresp_o, m.irq_o,
        m.alert_o, m.busy_o);
    file_ << line_ << '\n';
  }

 private:
  template <class... Ports>
  void put(const Ports&... ports) {
    (putOne(ports), ...);
  }
  void putOne(const AnyPort& port) {
    if (port.wide()) {
      for (std::size_t word = port.bytes() / 4; word-- > 0;) digits(port.word(word), 8);
    } else {
      digits(port.value(), 1);
    }
    line_ += ' ';
  }
  void digits(std::uint64_t value, int least) {
    char text[16];
    int count = 0;
    while (value != 0 || count < least) {
      text[count++] = "0123456789abcdef"[value & 15u];
      value >>= 4;
    }
    while (count > 0) line_ += text[--count];
  }

  std::ofstream file_;
  std::uint64_t left_ = recordedCycles("T3_RTL_VECTOR_CYCLES");
  std::string line_;
};

}  // namespace t3::rtl_test
