// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "rtl_test/recording.h"

namespace t3::switch_test {

/// Writes what hw/icarus/run needs to repeat a test: one line per clock cycle, the inputs before
/// the rising edge and the outputs that go with them, in the order of merge_vectors_tb.sv, in
/// hexadecimal digits. Writes nothing unless T3_RTL_VECTORS names a folder; T3_RTL_VECTOR_CYCLES
/// may end it early.
class MergeVectors {
 public:
  explicit MergeVectors(const char* unit) {
    const std::string path = rtl_test::recordingPath("T3_RTL_VECTORS", unit, "vectors");
    if (!path.empty()) file_.open(path);
  }

  template <class Model>
  void write(const Model& m) {
    if (!file_.is_open() || left_ == 0) return;
    --left_;
    put(m.rst_ni, m.expected_i, m.age_i, m.drain_i, m.upd_valid_i, m.upd_line_i, m.upd_count_i,
        m.upd_format_i, m.upd_data_i, m.wr_valid_i, m.wr_line_i, m.wr_data_i, m.credit_upd_i,
        m.credit_wr_i, m.upd_ready_o, m.wr_ready_o, m.link_valid_o, m.link_write_o, m.link_line_o,
        m.link_count_o, m.link_format_o, m.link_data_o, m.empty_o);
    file_ << '\n';
  }

 private:
  template <class... Ports>
  void put(const Ports&... ports) {
    (putOne(ports), ...);
  }
  template <class Port>
  void putOne(const Port& port) {
    // On a little-endian host the last byte has the highest bits.
    const auto* bytes = reinterpret_cast<const unsigned char*>(&port);
    for (std::size_t i = sizeof port; i-- > 0;) {
      file_ << "0123456789abcdef"[bytes[i] >> 4] << "0123456789abcdef"[bytes[i] & 15u];
    }
    file_ << ' ';
  }

  std::ofstream file_;
  std::uint64_t left_ = rtl_test::recordedCycles("T3_RTL_VECTOR_CYCLES");
};

}  // namespace t3::switch_test
