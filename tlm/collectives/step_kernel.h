// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_arrivals.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/step_worker.h"
#include "tlm/gpu/collective_requests.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// An algorithm as a kernel on compute units: the thread blocks of one GPU, as a `StepProgram`
/// says. What sends nothing goes first, because it never waits for a link. What a request takes,
/// and the sockets: `CollectiveRequests`; `arrived` as in `CollectiveKernel`.
///
/// Order. Each chunk is cut into slices. Slice by slice a thread block does what the algorithm
/// says: a step begins to work on a slice when all earlier steps of its thread block have ended on
/// that slice, the steps it depends on too, and the slice of its message is there. So what the
/// check of the algorithm has found for whole steps holds for each slice. Different slices may be
/// in different steps at the same time: a *run* of steps that all send, or that all do not, takes a
/// loop of slices (all of a chunk, or `loopBytes` of each) through its steps, one step after
/// another, and then the next loop; the runs of a thread block work side by side.
class StepKernel : public StepWorker, public CollectiveRequests {
 public:
  /// `loopBytes`: 0 for all of a chunk.
  StepKernel(const sc_core::sc_module_name& name, const StepProgram& program,
             const GpuConfig& config, std::uint64_t loopBytes, DataType dataType, DataMode mode,
             GpuId gpu, Phase phase, PayloadPool& pool);

  void launch(Done done) override;
  void arrived(const Payload& payload, Picoseconds when) override {
    arrivals_.arrived(payload, when);
    countArrival(payload);
  }

  bool idle() const override { return !running() && requestsIdle(); }
  MemoryPort& memoryPort() override { return memory; }
  EgressPorts& egressPorts() override { return egress; }
  void publish(ValueList& list) const override;

 private:
  using Step = StepProgram::Step;

  /// How far a slice has come in a thread block.
  struct Progress {
    std::uint32_t ended = 0;      ///< steps
    std::uint64_t bytesLeft = 0;  ///< of the step that is at work
  };
  struct ThreadBlock {
    const StepProgram::ThreadBlock* steps = nullptr;
    std::vector<Progress> slices = {};
  };
  /// Steps [first, end) of a thread block, and where their next request is.
  struct Run {
    std::uint32_t threadBlock = 0, first = 0, end = 0;
    bool sends = false;
    std::uint32_t loop = 0;  ///< first slice
    std::uint32_t step = 0, slice = 0, chunk = 0;
    std::uint64_t offset = 0;  ///< in the slice
  };
  /// What a request works on.
  struct Piece {
    std::uint32_t slice = 0;
    const Step* step = nullptr;
    std::uint64_t offset = 0;  ///< from the step's addresses
  };

  std::string describeWork() const override;
  void storeSum(std::uint32_t request) override;
  void requestEnded(std::uint32_t request) override;

  void addRuns(std::uint32_t threadBlock);
  const Step& stepOf(const Run& run) const { return (*blocks_[run.threadBlock].steps)[run.step]; }
  bool atEnd(const Run& run) const { return run.loop >= slices_; }
  std::uint64_t sliceBytes(std::uint32_t slice) const;
  bool ready(const Run& run) const;
  /// Lets a run issue what it can; whether registers were enough.
  bool issue(Run& run);
  void issueAll();
  bool issueRequest(Run& run);
  void nextSlice(Run& run);
  void sliceEnded(ThreadBlock& block, std::uint32_t slice);
  void finishIfDone();

  const StepProgram program_;
  const CollectiveConfig config_;
  const Phase phase_;
  std::uint32_t slices_, slicesPerLoop_;

  bool issuing_ = false, again_ = false;
  std::vector<ThreadBlock> blocks_;
  std::vector<Run> quiet_, sending_;  ///< runs that send nothing, and the others
  std::uint32_t turn_ = 0;            ///< of `sending_`: which is asked first
  std::vector<Piece> pieces_;         ///< by request
  StepArrivals arrivals_;
};

}  // namespace t3
