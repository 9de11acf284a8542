// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "testbench/gather/part_blocks.h"
#include "testbench/gather/part_record.h"
#include "testbench/gather/rtl_tapes.h"
#include "testbench/probe/listeners.h"
#include "testbench/trace/command_trace.h"

namespace t3 {

/// In process 0 of a run in many processes: listeners are not told what this process simulates,
/// when that happens, but afterwards what all have simulated, in the order of one process. So what
/// they write is what one process writes.
class ReplayedRun : public Listeners {
 public:
  void add(EventSink& sink, std::size_t model) override;
  void add(RequestSink& sink, std::size_t model, RequestPhases phases) override;
  PublishedValue watch(std::size_t model, std::size_t index, const PublishedValue& value,
                       Watch when) override;
  Picoseconds time() const override { return time_; }

  /// What has to be recorded for those that listen.
  Wishes wishes() const;

  /// Tells it all. `sample` is called whenever it is time to look at values; `commands` may be
  /// null.
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

}  // namespace t3
