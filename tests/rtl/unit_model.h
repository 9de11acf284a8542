// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtl_test/bits.h"
#include "tests/support/memory.h"

namespace t3::rtl_test {

/// Sizes a Verilated t3_track_trigger was built with.
struct UnitSize {
  std::uint32_t lanes = 8;
  std::uint32_t banks = 8;
  std::uint32_t wgWidth = 16;
  std::uint32_t wfWidth = 3;
  std::uint32_t addrWidth = 48;
  std::uint32_t weightWidth = 8;
  std::uint32_t countWidth = 23;
  std::uint32_t windows = 4;
  std::uint32_t regions = 8;
  std::uint32_t slots = 4096;
  std::uint32_t rows = 256;
  std::uint32_t laneDepth = 4;
  std::uint32_t queueDepth = 64;
  std::uint32_t protection = 0;

  constexpr std::uint32_t wavefronts() const { return 1u << wfWidth; }
  constexpr std::uint32_t workgroups() const { return 1u << wgWidth; }
  constexpr std::uint32_t mostWeight() const { return 1u << (weightWidth - 1); }
  constexpr std::uint32_t mostCount() const { return 1u << (countWidth - 1); }
};

/// A port of a Verilated class, whatever type Verilator gave it: an integer of 8 to 64 bits, or an
/// array of 32-bit words.
class AnyPort {
 public:
  AnyPort(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  AnyPort(const AnyPort&) = default;
  AnyPort& operator=(const AnyPort&) = delete;

  void set(std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
    setBitsAt(data_, lsb, width, value);
  }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool wide() const { return bytes_ > sizeof(std::uint64_t); }
  /// The value of one that is not wide.
  std::uint64_t value() const {
    switch (bytes_) {
      case 1:
        return *static_cast<const std::uint8_t*>(data_);
      case 2:
        return *static_cast<const std::uint16_t*>(data_);
      case 4:
        return *static_cast<const std::uint32_t*>(data_);
      default:
        return *static_cast<const std::uint64_t*>(data_);
    }
  }
  /// A word of a wide one.
  std::uint32_t& word(std::size_t index) const { return static_cast<std::uint32_t*>(data_)[index]; }

  /// All its bytes, and back.
  std::vector<std::uint8_t> image() const {
    const auto* bytes = static_cast<const std::uint8_t*>(data_);
    return {bytes, bytes + bytes_};
  }
  void restore(const std::vector<std::uint8_t>& image) {
    std::copy(image.begin(), image.end(), static_cast<std::uint8_t*>(data_));
  }

 private:
  void* data_;
  std::size_t bytes_;
};

/// A port that is read and written like an integer.
template <std::unsigned_integral Value>
class Port : public AnyPort {
 public:
  Port(void* data, std::size_t bytes) : AnyPort(data, bytes) {}
  Port(const Port&) = default;
  Port& operator=(Value value) {
    set(0, static_cast<std::uint32_t>(bytes() * 8), value);
    return *this;
  }
  Port& operator=(const Port& other) { return *this = Value{other}; }
  operator Value() const { return static_cast<Value>(value()); }
};
using SmallPort = Port<std::uint32_t>;    ///< of at most 32 bits
using AddressPort = Port<std::uint64_t>;  ///< of at most 64

using test::Memory;

/// The ports of t3_track_trigger, under their names there.
struct UnitPorts {
  SmallPort clk_i, rst_ni;
  SmallPort lane_valid_i;
  AnyPort lane_wg_i, lane_wf_i, lane_addr_i, lane_weight_i;
  SmallPort lane_ready_o;
  SmallPort done_ready_i, done_valid_o, done_slot_o, done_spoiled_o;
  SmallPort rel_ready_i, rel_valid_o, rel_row_o, rel_spoiled_o;
  SmallPort s_axil_awvalid_i, s_axil_awaddr_i, s_axil_awprot_i, s_axil_awready_o;
  SmallPort s_axil_wvalid_i, s_axil_wdata_i, s_axil_wstrb_i, s_axil_wready_o;
  SmallPort s_axil_bready_i, s_axil_bvalid_o, s_axil_bresp_o;
  SmallPort s_axil_arvalid_i, s_axil_araddr_i, s_axil_arprot_i, s_axil_arready_o;
  SmallPort s_axil_rready_i, s_axil_rvalid_o, s_axil_rdata_o, s_axil_rresp_o;
  SmallPort irq_o, alert_o, busy_o;
};

/// A Verilated t3_track_trigger of any size. The tests see no class of Verilator's: each of those
/// is compiled into one file (units.cpp), not into every test.
class UnitModel : public UnitPorts {
 public:
  virtual ~UnitModel() = default;
  virtual const char* name() const = 0;
  virtual void eval() = 0;
  /// A rising edge with the inputs as they are, and the falling one.
  virtual void edge() = 0;
  /// The complete state, for models that were made savable.
  virtual std::string state() = 0;
  /// Its memories, for models that were made with memories.vlt; a register, with poke.vlt.
  virtual std::vector<Memory> memories() = 0;
  virtual Memory registerNamed(const char* name) = 0;

 protected:
  explicit UnitModel(const UnitPorts& ports) : UnitPorts(ports) {}
};

/// A size in which tests/rtl/CMakeLists.txt builds the unit.
struct Unit {
  UnitSize size;
  std::unique_ptr<UnitModel> (*make)();
};

}  // namespace t3::rtl_test
