// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

// Verilator's headers cannot be read after SystemC's, so this one includes neither.
class VerilatedContext;
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
  /// A traced block calls `look` in the middle of each cycle: the inputs are set, the clock is low.
  void whenLow(std::function<void()> look) { low_ = std::move(look); }

 protected:
  std::function<void()> low_;
};

/// Looks into Verilated blocks, clock by clock. Times are in picoseconds. It sees the clock edges
/// that have a simulated time of their own: not the skipped ones, at which nothing changes, and not
/// those of reset and of register accesses, for which no time passes.
class RtlWatcher {
 public:
  virtual ~RtlWatcher() = default;
  /// A block that can be traced; before its first edge. Its edges are at whole multiples of
  /// `period`.
  virtual void attach(RtlBlock& block, std::uint64_t period) = 0;
  /// Called before an edge: all signals still are as the edge before it left them.
  virtual void edge(std::uint64_t when) = 0;
  /// Called at the same edge when the inputs are set and the clock is low. The clock rises next.
  virtual void low(std::uint64_t when) = 0;
};

/// The context that the Verilated models of one simulation share. A waveform file takes models of
/// one context only, which has to be made for traced ones.
std::shared_ptr<VerilatedContext> makeRtlContext(bool traced = false);

/// Who looks into a block of RTL: nobody, if `watcher` is null.
struct RtlTracing {
  /// Made for traced blocks if there is a watcher. Null: the block makes its own.
  std::shared_ptr<VerilatedContext> context;
  RtlWatcher* watcher = nullptr;
};

/// Who looks into the block of the model of that name.
using RtlTracingOf = std::function<RtlTracing(const std::string& model)>;

}  // namespace t3
