// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "testbench/gather/rtl_tapes.h"
#include "testbench/gather/run_part.h"
#include "testbench/probe/listeners.h"
#include "testbench/trace/command_trace.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_loop.h"

namespace t3 {

/// In process 0 of a run in many processes: listeners are told after the run what all processes
/// have simulated, in the order of one process. So what they write is what one process writes.
class ReplayedRun : public Listeners {
 public:
  void add(EventSink& sink, std::size_t model) override;
  void add(RequestSink& sink, std::size_t model, RequestPhases phases) override;
  PublishedValue watch(std::size_t model, std::size_t index, const PublishedValue& value,
                       Watch when) override;
  Picoseconds time() const override { return time_; }

  /// What has to be recorded for those that listen.
  Wishes wishes() const;

  /// Tells it all. `sample` is called when it is time to look at values; `commands` may be null.
  void replay(std::uint32_t processes, PartBlocks& blocks, const std::function<void()>& sample,
              CommandTrace* commands, RtlTapes& tapes);

 private:
  struct Model {
    std::vector<EventSink*> events;
    std::vector<std::pair<RequestSink*, RequestPhases>> requests;
  };
  /// The part of a process.
  struct Part {
    Parcel block;
    Mark mark;  ///< of its next record
    bool ended = false;
  };

  void advance(Part& part, std::uint32_t process, PartBlocks& blocks);
  void takeValues(Parcel& from);
  void step(const StepRecord& record, std::uint32_t process);
  const Payload& payloadOf(const StepRecord& record, std::uint32_t process);

  std::vector<Model> models_{models().size()};
  std::vector<WatchedValue> watched_;
  std::vector<std::uint64_t> values_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::unique_ptr<Payload>> payloads_;
  Picoseconds time_ = 0;
};

/// Recordings of a run in many processes, which all make the same calls in this order. Each notes
/// of its own GPUs what the instruments of process 0 wish to know; process 0 tells them after the
/// run.
class CutRecording {
 public:
  /// `live` are the models of this process, `tapes` those of their RTL.
  CutRecording(Peers& peers, Listeners& live, RtlTapes& tapes)
      : peers_(peers), live_(live), tapes_(tapes) {}

  /// What instruments listen to, in process 0.
  ReplayedRun& replayed() { return replayed_; }
  /// All learn from process 0 what is wished, and note it from now on. In process 0, `watch` has
  /// the sample period of the instruments; in all it then looks when they want it.
  void begin(RunWatch& watch, bool commands);
  /// For the memory of a GPU; null if nobody wants to know its commands.
  RunPart* commands() { return wishes_.commands ? &*part_ : nullptr; }
  /// After the run. Throws std::runtime_error; what instruments have written is not whole then.
  void replay(const std::function<void()>& sample, CommandTrace* commands);

 private:
  Peers& peers_;
  Listeners& live_;
  RtlTapes& tapes_;
  ReplayedRun replayed_;
  Wishes wishes_;
  std::optional<RunPart> part_;
};

}  // namespace t3
