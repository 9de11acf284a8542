// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <verilated_fst_c.h>

#include "tlm/transport/clock.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// Values that models publish, as signals of a waveform: `read` reads them, and Verilator calls
/// `draw`. A counter of bytes is drawn as its mean rate over the last microsecond.
class WaveValues {
 public:
  /// Rates are means over this time.
  static constexpr Picoseconds kRateWindow = 1'000'000;

  std::size_t size() const { return values_.size(); }
  void add(const std::string& model, const PublishedValue& value);
  /// After the last `add`: signals are in the order of their names.
  void sort();

  /// Declares all signals, from `code` on.
  void declare(VerilatedFst& sink, std::uint32_t code);
  void draw(VerilatedFst::Buffer& buffer, bool all) const;

  /// Reads all values; true if one has changed.
  bool read(Picoseconds when);
  /// Nothing has happened for a while: rates are 0.
  void fallQuiet();

 private:
  /// A published value as it is drawn.
  struct Value {
    PublishedValue value;
    std::string name;  ///< whole, dots between scopes
    std::uint32_t bits = 1;
    bool rate = false;  ///< MB/s of a counter
    std::uint64_t drawn = 0;
    std::uint64_t counted = 0;  ///< at the beginning of the rate's window
  };

  static void declareTable(VerilatedFst& sink, int number, const Value& value);
  std::uint32_t codeOf(std::size_t index) const;

  std::vector<Value> values_;
  std::uint32_t first_ = 0;  ///< code of the first, even
  Picoseconds rateFrom_ = 0;
};

}  // namespace t3
