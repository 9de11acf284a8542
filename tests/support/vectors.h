// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "rtl_test/recording.h"

namespace t3::test {

/// Writes what a second simulator needs to repeat a test (hw/icarus/run, vectors.svh): one line per
/// clock cycle, ports in hexadecimal digits. Writes nothing unless T3_RTL_VECTORS names a folder;
/// T3_RTL_VECTOR_CYCLES may end it early.
class Vectors {
 public:
  explicit Vectors(const char* unit) {
    const std::string path = rtl_test::recordingPath("T3_RTL_VECTORS", unit, "vectors");
    if (!path.empty()) file_.open(path);
  }

  /// Ports of a Verilated class, or what has their `data()` and `bytes()`, in the order in which
  /// the bench reads them.
  template <class... Ports>
  void line(const Ports&... ports) {
    if (!file_.is_open() || left_ == 0) return;
    --left_;
    line_.clear();
    (put(ports), ...);
    file_ << line_ << '\n';
  }

 private:
  template <class Port>
  void put(const Port& port) {
    if constexpr (requires { port.bytes(); }) {
      digits(port.data(), port.bytes());
    } else {
      digits(&port, sizeof port);
    }
    line_ += ' ';
  }
  void digits(const void* data, std::size_t size) {
    // On a little-endian host the last byte has the highest bits.
    const auto* bytes = static_cast<const unsigned char*>(data);
    while (size > 1 && bytes[size - 1] == 0) --size;
    while (size-- > 0) {
      line_ += "0123456789abcdef"[bytes[size] >> 4];
      line_ += "0123456789abcdef"[bytes[size] & 15u];
    }
  }

  std::ofstream file_;
  std::uint64_t left_ = rtl_test::recordedCycles("T3_RTL_VECTOR_CYCLES");
  std::string line_;
};

}  // namespace t3::test
