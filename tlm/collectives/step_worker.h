// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>

#include "tlm/gpu/egress_ports.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// All that a collective from a file moves when it runs alone.
inline constexpr Phase kCollectivePhase = extraPhase(0);

/// What does the steps of an algorithm on one GPU: a kernel, or a DMA engine that the tracker
/// drives. Both work slice by slice; this is what they have in common, how far they are.
class StepWorker : public sc_core::sc_module, public Publisher {
 public:
  using Done = std::function<void(Picoseconds)>;

  /// Starts; `done` runs when the last step has ended on its last slice.
  virtual void launch(Done done) = 0;
  /// Its run has ended, and another one follows: from now on what others send for that may come.
  virtual void renew() {}
  /// A write of another GPU is performed in local memory at `when` (absolute, may lie ahead).
  virtual void arrived(const Payload& payload, Picoseconds when) = 0;
  /// Whether a write is for this one of a GPU's workers.
  virtual bool expects(const Payload& /*payload*/) const { return true; }

  virtual bool idle() const = 0;
  bool finished() const { return finished_; }
  /// Slices of steps that have ended, and all.
  std::uint64_t slicesDone() const { return slicesDone_; }
  std::uint64_t slicesToDo() const { return slicesToDo_; }
  /// One line for a watchdog.
  std::string describe() const {
    const std::string who = std::string(name()) + ": ";
    if (finished_ && idle()) return who + "done";
    return who + (running_ ? "" : "not running, ") + std::to_string(slicesDone_) + " of " +
           std::to_string(slicesToDo_) + " slices of steps done, " + describeWork();
  }

  virtual MemoryPort& memoryPort() = 0;
  virtual EgressPorts& egressPorts() = 0;

 protected:
  explicit StepWorker(const sc_core::sc_module_name& name) : sc_module(name) {}

  /// A step has so many slices to do.
  void addSlices(std::uint64_t slices) { slicesToDo_ += slices; }
  void countSlice() { ++slicesDone_; }
  bool allSlicesDone() const { return slicesDone_ == slicesToDo_; }
  bool running() const { return running_; }
  void beginRun(Done done) {
    running_ = true;
    finished_ = false;
    slicesDone_ = 0;
    announce({.kind = EventKind::KernelBegin});
    done_ = std::move(done);
  }
  /// Only while it runs: the last step has ended on its last slice.
  void endRun() {
    running_ = false;
    finished_ = true;
    announce({.kind = EventKind::KernelEnd});
    if (done_) std::exchange(done_, nullptr)(now());
  }
  void announceStep(EventKind kind, std::uint32_t threadBlock, std::uint32_t step) const {
    announce({.kind = kind, .number = step, .threadBlock = threadBlock});
  }
  /// What is at work, and what waits for what; the rest of `describe`.
  virtual std::string describeWork() const = 0;

 private:
  bool running_ = false, finished_ = false;
  Done done_;
  std::uint64_t slicesDone_ = 0, slicesToDo_ = 0;
};

}  // namespace t3
