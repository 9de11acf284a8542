// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/collectives/step_worker.h"
#include "tlm/collectives/tracked_grid.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/transport/number_pool.h"
#include "tlm/transport/timed_queue.h"
#include "tlm/transport/trigger_message.h"

namespace t3 {

/// An algorithm without a kernel: the DMA engine of one GPU does its steps as the tracker says that
/// messages are complete.
///
///     trigger ─► blocks missing ─┐
///     step before, dependencies ─┴─► join ─► queue ─► channels ─► read ─► memory
///                                                                 ├─► local write ─► memory
///                                                                 └─► update, copy ─► egress
///
/// Join. A slot of the tracker counts the bytes of one block. What a step waits for beyond
/// that (several blocks of a message, sums of the input that it reads, the step before it in its
/// thread block, steps it depends on) is counted here, a count for each step and slice. When it is
/// zero the step's transfers are queued; a step ends on a slice when the links have taken its last
/// remote write and memory has performed its last local one, or at once if it transfers nothing.
///
/// Timing as in `DmaEngine`, from the same settings: `command_latency_ns` before the first read,
/// channels and a data buffer that the ports share equally, requests of `read_bytes`. Transfers
/// that stay in the local memory have a share like that of a port.
///
/// Sockets. `trigger`: every block that is done, as the tracker's `TriggerMessage`s; all are taken.
class StepDma : public StepWorker, private MemoryClient {
 public:
  tlm_utils::simple_target_socket<StepDma> trigger{"trigger"};
  MemoryPort memory;
  EgressPorts egress;

  StepDma(const sc_core::sc_module_name& name, const TrackedProgram& program,
          const TrackedGrid& grid, const DmaConfig& config, DataType dataType, DataMode mode,
          GpuId gpu, Phase phase, PayloadPool& pool);

  /// Called with a number of tiles of the input when their sums are sent on or, where no step goes
  /// on with them, complete.
  void onInputThrough(std::function<void(std::uint32_t tiles)> handler) {
    inputThrough_ = std::move(handler);
  }

  void launch(Done done) override;
  void arrived(const Payload& /*payload*/, Picoseconds /*when*/) override {}  // the tracker counts
  bool idle() const override;
  /// Blocks that the tracker has not reported complete.
  std::uint64_t blocksMissing() const { return blocksMissing_; }
  MemoryPort& memoryPort() override { return memory; }
  EgressPorts& egressPorts() override { return egress; }
  void publish(ValueList& list) const override;

 private:
  using Step = TrackedProgram::Step;
  using Transfer = TrackedProgram::Transfer;

  struct StepRef {
    std::uint32_t threadBlock = 0, step = 0;
  };
  /// A step on all its slices.
  struct WholeStep {
    std::uint32_t slicesLeft = 0;
    bool begun = false;
  };
  /// A step on a slice.
  struct Progress {
    std::uint32_t missing =
        0;                    ///< steps that come first, sums that it reads, blocks of the message
    std::uint32_t first = 0;  ///< of them: all but the message's
    bool beforeDone = true, ended = false;
  };
  /// A transfer of a step on a slice: one piece for each chunk.
  struct Command {
    StepRef step;
    std::uint32_t slice = 0;
    bool isBefore = false;
    const Transfer* transfer = nullptr;
    std::uint32_t chunk = 0, piece = 0;  ///< of the next read
    std::uint32_t offset = 0;            ///< in the piece
    std::uint32_t requests = 0;          ///< read, not yet written
    bool exhausted = false;
  };
  /// What a port, or the local memory, has of the engine.
  struct Share {
    std::deque<std::uint32_t> waiting;  ///< commands without a channel
    std::vector<std::uint32_t> active;
    std::size_t channels = 1, turn = 0;
    std::uint64_t mostBytes = 0, bytes = 0;
    std::uint64_t mostReads = 0, reads = 0;
  };
  /// A read and the writes that follow from it.
  struct Request {
    std::uint32_t command = 0, bytes = 0, writesLeft = 0, chunk = 0, piece = 0;
    std::uint64_t offset = 0;  ///< from the transfer's addresses
  };

  std::string describeWork() const override;
  tlm::tlm_sync_enum onMessage(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  const Step& stepOf(StepRef ref) const { return program_.threadBlocks[ref.threadBlock][ref.step]; }
  Progress& progress(StepRef ref, std::uint32_t slice) {
    return progress_[ref.threadBlock][std::size_t{ref.step} * slices_ + slice];
  }
  void buildJoins();
  void tellInputThrough(const Command& command) const;
  void blockComplete(std::uint32_t slot);
  /// `ofMessage`: what has come is a block of the step's own message.
  void countDown(StepRef ref, std::uint32_t slice, bool ofMessage);
  void proceed(StepRef ref, std::uint32_t slice);
  void queue(StepRef ref, std::uint32_t slice, const Transfer& transfer, bool isBefore);
  void stepBegins(StepRef ref);
  void stepEnded(StepRef ref, std::uint32_t slice);
  void announceCommand(EventKind kind, const Command& command) const;
  void finishIfDone();
  void work();
  void issueReads(Share& share);
  void issueRead(Share& share, std::uint32_t command);
  void writeOut(Payload* read);
  void writeDone(std::uint32_t request);
  Payload& makeWrite(const Payload& read, std::uint32_t request, std::uint64_t address,
                     const TrackedProgram::Message& message);

  const TrackedProgram program_;
  const TrackedGrid grid_;
  const DmaConfig config_;
  const DataType dataType_;
  const DataMode mode_;
  const GpuId gpu_;
  const Phase phase_;
  PayloadPool& pool_;
  const std::uint32_t slices_;

  std::vector<std::vector<WholeStep>> wholeSteps_;          ///< [thread block][step]
  std::vector<std::vector<Progress>> progress_;             ///< [thread block][step x slice]
  std::vector<std::vector<std::vector<StepRef>>> waiters_;  ///< [thread block][step]
  /// Who waits for a row of the grid: the step that receives it, or those that read a sum.
  std::vector<std::vector<StepRef>> waitersOfRow_;
  std::vector<bool> complete_;  ///< by slot
  std::function<void(std::uint32_t)> inputThrough_;
  std::vector<Command> commands_;
  NumberPool commandNumbers_;
  std::vector<Request> requests_;
  NumberPool requestNumbers_;
  std::vector<Share> shares_;  ///< by port, then that of the local memory
  std::uint64_t blocksMissing_ = 0, inWork_ = 0;
  std::uint64_t readBytes_ = 0, sentBytes_ = 0;
  TimedQueue<std::uint32_t> starting_;   ///< commands, at the end of their latency
  TimedQueue<Payload*> due_;             ///< reads, at the time of their data
  TimedQueue<std::uint32_t> performed_;  ///< requests, when a local write is in memory
};

}  // namespace t3
