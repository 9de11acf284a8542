// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

class VerilatedFstC;

namespace t3 {

/// One Verilated block of RTL, whatever its pins are.
class RtlBlock {
 public:
  virtual ~RtlBlock() = default;
  /// One clock cycle with the inputs as they are. `picoseconds` is the time in messages of the RTL.
  /// False if an assertion failed in it. (Verilator would abort the program; that is switched off.)
  virtual bool cycle(std::uint64_t picoseconds) = 0;
  /// What went wrong in the latest cycle that returned false. `where` is its name in the text.
  virtual std::string failure(const std::string& where) const {
    return "an assertion of the RTL failed at " + where + " (Verilator's message above says which)";
  }

  /// Adds all signals of the block to `sink`; each dump of `sink` then writes them. False for
  /// blocks that were not made to be traced. (Code that Verilator generates can write to this class
  /// of Verilator only; the owner of `sink` chooses its file.)
  virtual bool traceTo(VerilatedFstC& /*sink*/) { return false; }
  /// A traced block calls `look` in the middle of each cycle, when the inputs are set and the clock
  /// is low.
  void whenLow(std::function<void()> look) { low_ = std::move(look); }

 protected:
  std::function<void()> low_;
};

}  // namespace t3
