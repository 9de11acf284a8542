// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_arrivals.h"
#include "tlm/collectives/step_program.h"
#include "tlm/collectives/step_worker.h"
#include "tlm/gpu/collective_requests.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// A collective as a kernel on compute units, as collective libraries run it: the thread blocks of
/// one GPU, as a `StepProgram` says.
///
///     arrived ─► slice complete ─► + slice_sync_ns ─┐
///                                                   ▼
///     own copy ─────────────── loads ─► add ─► store ─► egress: other GPUs, and
///     received copies (memory) ─┘  └── bounded bytes ──┘  memory: this GPU's result
///
/// Order. Chunks are cut into slices. A step works on a slice when its messages have come that far
/// and the steps that it depends on have ended on it, so all steps are in flight at once, and what
/// the check of the algorithm found for whole steps holds for each slice. A run
/// (`StepProgram::Run`) issues its requests step by step and slice by slice: it takes a loop of
/// slices (all of a chunk, or `loopBytes` of each) through its steps, then the next loop. Thread
/// blocks that send share the compute units equally. Runs that do not send go first, because they
/// never wait for a link.
///
/// Requests and sockets: `CollectiveRequests`. `arrived` is called for each write of this
/// collective by another GPU's kernel; also before `launch`, because GPUs are not in step. Each
/// message has its own place in memory, or finds its target free, so no sender waits for room.
///
/// Sums from a switch (`SwitchLoads`). A GPU's chunk may be loaded when its kernel runs, and must
/// stay until it is. So all kernels raise a flag when they begin, and load the first sum `sync`
/// after the last flag has come. Unless each sum comes to all, which shows that it is made, they
/// raise another one behind their last sum, and end when all have.
///
///     begin ─► flags of all ─► + sync ─► loads of sums ─► stores, to all ─► … ─► flags of all
///
/// With `StepProgram::ownBlocks` each thread block is one run, in the order of the file, and stores
/// at its own pace. What it receives it copies from a buffer itself. Slices and loops are those of
/// its protocol. A step that waits for one of another thread block sees it end on a loop by a flag
/// in memory, which takes as long as one of Protocol::Simple, in every protocol.
class StepKernel : public StepWorker, public CollectiveRequests {
 public:
  /// `loopBytes`: 0 for all of a chunk, or with `ownBlocks` what the protocol says.
  StepKernel(const sc_core::sc_module_name& name, StepProgram program, const GpuConfig& config,
             std::uint64_t loopBytes, const RequestMaker& requests);

  /// The local copies of the chunks: in memory at the launch, or announced one by one by the kernel
  /// that produces them beside this one.
  enum class LocalCopies : std::uint8_t { Ready, Announced };

  /// Starts the kernel; again when every GPU is done. `done` runs when its last store is performed
  /// (own memory) or accepted (link) and all that it expects has arrived.
  void launch(Done done, LocalCopies copies);
  void launch(Done done) override { launch(std::move(done), LocalCopies::Ready); }
  /// The local copy of `chunk` is in memory at `when` (absolute), of a launch with `Announced`,
  /// which may come later. The kernel sees it as it sees others' slices, `slice_sync_ns` later.
  void localCopyReady(ChunkId chunk, Picoseconds when) { announced_.post(when + sync_, chunk); }
  void arrived(const Payload& payload, Picoseconds when) override {
    arrivals_.arrived(payload, decoded(payload, when));
    countArrival(payload);
  }

  /// Whether it needs a switch (`useSwitch`).
  bool loadsSums() const { return program_.loadsSums; }

  bool expects(const Payload& payload) const override {
    const std::uint32_t arrival = traffic(payload).step;
    return arrival < program_.arrivals.size() && program_.arrivals[arrival].expected;
  }

  bool idle() const override { return !running() && requestsIdle(); }
  /// Whether the links have taken all that other GPUs wait for. Only while the kernel runs.
  bool allSent() const { return allIssued() && inWork() == 0 && egress.idle(); }
  MemoryPort& memoryPort() override { return memory; }
  EgressPorts& egressPorts() override { return egress; }
  void publish(ValueList& list) const override;

 private:
  using Step = StepProgram::Step;

  /// Where a run's next request is.
  struct Run {
    std::uint32_t number = 0;
    std::uint32_t loop = 0;  ///< first slice
    std::uint32_t step = 0, slice = 0;
    std::uint64_t offset = 0;  ///< in the slice
    std::uint64_t moved = 0;   ///< bytes, by the protocol's primitive
  };
  /// What moves several chunks of a step at once, as one call in a library's kernel does.
  struct Primitive {
    bool begins = false;  ///< with this chunk
    std::uint64_t sliceBytes = 0;
  };
  /// What a request works on.
  struct Piece {
    std::uint32_t run = 0, step = 0;
    std::uint64_t position = 0;  ///< in the step's chunk without gaps …
    std::uint64_t offset = 0;    ///< … and in the buffer in which its segments lie
  };

  /// What the kernels of all GPUs tell one another.
  enum Flag : std::uint32_t { kBegun, kLoaded };
  /// Of a kernel that loads sums.
  enum class Sums : std::uint8_t {
    AwaitBegun,   ///< flags
    Begun,        ///< they have come, and are seen soon
    Loads,        ///< may load
    AwaitLoaded,  ///< all its own are there
    Loaded,       ///< the flags have come, and are seen soon
    Ended         ///< nobody needs what is in its memory any more
  };

  std::string describeWork() const override;
  void flagArrived(std::uint32_t flag) override;
  void takeFlags();
  bool sumsEnded();
  void storeSum(std::uint32_t request) override;
  void requestEnded(std::uint32_t request) override;

  void rewind();
  const Step& stepOf(const Run& run) const { return program_.runs[run.number][run.step]; }
  /// Chunks of one step of the algorithm go together, slice by slice.
  bool sameStep(const Run& run, std::uint32_t other) const {
    return program_.runs[run.number][other].number == stepOf(run).number;
  }
  std::uint32_t slicesOf(const Step& step) const;
  std::uint64_t sliceBytes(const Step& step, std::uint32_t slice) const;
  bool atEnd(const Run& run) const { return run.step == program_.runs[run.number].size(); }
  bool allIssued() const;
  /// Behind the slices of the loop that a run is at.
  std::uint32_t loopEnd(const Run& run) const {
    return std::min(run.loop + slicesPerLoop_, slices_);
  }
  /// Whether a run hears of a step by a flag in memory.
  bool flagged(const StepProgram::Dependency& step, std::uint32_t run) const {
    return program_.ownBlocks && step.run != run;
  }
  void findFlags();
  bool ended(const StepProgram::Dependency& step, const Run& run) const;
  void tell(const Piece& piece);
  void findPrimitives();
  Picoseconds paceOf(const Run& run, std::uint32_t bytes) const;
  bool ready(const Run& run) const;
  void issue();
  bool issueRequest(Run& run);
  void nextSlice(Run& run);
  void next(Run& run);
  void sliceReady();
  void finishIfDone();
  std::string whatFor(const Run& run) const;

  const StepProgram program_;
  const CollectiveConfig config_;
  const std::uint64_t loopBytes_;
  const std::uint32_t sliceBytes_;
  const Picoseconds sync_;
  const Picoseconds flagTime_;  ///< from the end of a step to the first load that waited for it
  std::uint32_t slices_ = 0, slicesPerLoop_ = 0;  ///< of the largest chunk

  std::vector<Run> runs_;      ///< those that send nothing first
  std::uint32_t quiet_ = 0;    ///< their number
  std::uint32_t turn_ = 0;     ///< of the others: which is asked first
  std::vector<Piece> pieces_;  ///< by request
  std::vector<std::vector<std::vector<std::uint64_t>>> bytesLeft_;  ///< [run][step][slice]
  // Of thread blocks that work by themselves, [run][step]:
  std::vector<std::vector<Primitive>> primitives_;
  std::vector<std::vector<bool>> tells_;          ///< others wait for a flag
  std::vector<std::vector<std::uint32_t>> told_;  ///< slices that the flag says
  std::vector<bool> localCopy_;                   ///< by shape: there, and seen by the kernel
  std::vector<ChunkId> early_;                    ///< announced before the launch
  StepArrivals arrivals_;
  std::array<std::uint32_t, 2> flags_{};  ///< that have come, and not been taken
  Sums sums_ = Sums::Ended;
  TimedQueue<Sums> flagsSeen_;
  TimedQueue<ChunkId> announced_;
  /// A step has ended on all slices before that one, in so many launches.
  struct Told {
    StepProgram::Dependency step;
    std::uint32_t slices = 0;
    std::uint64_t launch = 0;
  };
  std::uint64_t launches_ = 0;
  TimedQueue<Told> flagsOfSteps_;
};

}  // namespace t3
