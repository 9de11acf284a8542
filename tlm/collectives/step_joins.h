// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_worker.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// An algorithm without a kernel: the DMA engine of one GPU does its steps as the tracker says that
/// messages are complete. This says which step is next.
///
///     trigger ─► blocks missing ─┐
///     step before, dependencies ─┴─► join ─► transfer of the DMA engine ─► step ended ─┐
///                         ▲────────────────────────────────────────────────────────────┘
///
/// A slot of the tracker counts the bytes of one block. What else a step waits for (other blocks of
/// a message, the step before it, dependencies) is counted here, for each step and slice. At zero
/// the step's transfers run; it ends on a slice when the links have taken its last remote write and
/// memory has performed its last local one.
///
/// It gets all triggers of the engine. A transfer reads the block's tiles of each chunk of the step
/// (`TrackedGrid`).
class StepJoins : public StepWorker {
 public:
  StepJoins(const sc_core::sc_module_name& name, const TrackedProgram& program,
            const TrackedGrid& grid, DmaEngine& engine);

  void launch(Done done) override;
  void renew() override;
  void arrived(const Payload& /*payload*/, Picoseconds /*when*/) override {}  // the tracker counts
  bool idle() const override { return !running() && engine_.idle(); }
  MemoryPort& memoryPort() override { return engine_.memory; }
  EgressPorts& egressPorts() override { return engine_.egress; }
  void publish(ValueList& list) const override;

 private:
  using Step = TrackedProgram::Step;
  using StepRef = AlgorithmStep::Dependency;

  /// A step on all its slices.
  struct WholeStep {
    std::uint32_t slicesLeft = 0;
    bool begun = false;
  };
  /// A step on a slice.
  struct Progress {
    std::uint32_t missing = 0;  ///< steps that come first, blocks of the message
    std::uint32_t first = 0;    ///< of them: all but the message's
    bool beforeDone = true, ended = false;
  };

  std::string describeWork() const override;
  const Step& stepOf(StepRef ref) const { return program_.threadBlocks[ref.threadBlock][ref.step]; }
  Progress& progress(StepRef ref, std::uint32_t slice) {
    return progress_[ref.threadBlock][std::size_t{ref.step} * slices_ + slice];
  }
  void buildJoins();
  void triggered(const TriggerMessage& message);
  /// `ofMessage`: what has come is a block of the step's own message.
  void countDown(StepRef ref, std::uint32_t slice, bool ofMessage);
  void proceed(StepRef ref, std::uint32_t slice);
  void run(StepRef ref, std::uint32_t slice, const DmaTransfer& transfer, bool isBefore);
  void transferred(StepRef ref, std::uint32_t slice, bool isBefore);
  void stepBegins(StepRef ref);
  void stepEnded(StepRef ref, std::uint32_t slice);
  void finishIfDone();

  const TrackedProgram program_;
  const TrackedGrid grid_;
  DmaEngine& engine_;
  const std::uint32_t slices_;

  std::vector<std::vector<WholeStep>> wholeSteps_;          ///< [thread block][step]
  std::vector<std::vector<Progress>> progress_, atStart_;   ///< [thread block][step x slice]
  std::vector<std::vector<std::vector<StepRef>>> waiters_;  ///< [thread block][step]
  std::vector<StepRef> waiterOfRow_;                 ///< the step that receives a row of the grid
  std::vector<bool> complete_;                       ///< by slot
  std::uint64_t blocksMissing_ = 0, transfers_ = 0;  ///< not reported complete; under way
};

}  // namespace t3
