// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/replayed_run.h"

namespace t3 {
void ReplayedRun::add(EventSink& sink, std::size_t model) {
  models_[model].events.push_back(&sink);
}

void ReplayedRun::add(RequestSink& sink, std::size_t model, RequestPhases phases) {
  models_[model].requests.emplace_back(&sink, phases);
}

PublishedValue ReplayedRun::watch(std::size_t model, std::size_t index, const PublishedValue& value,
                                  Watch when) {
  const std::size_t number = values_.size();
  watched_.push_back({static_cast<std::uint32_t>(model), static_cast<std::uint32_t>(index),
                      when == Watch::AtEvents});
  values_.push_back(value.read());
  PublishedValue replayed = value;
  replayed.read = [this, number] { return values_[number]; };
  return replayed;
}

Wishes ReplayedRun::wishes() const {
  Wishes wishes;
  wishes.values = watched_;
  for (const Model& model : models_) {
    wishes.events.push_back(model.events.empty() ? 0 : 1);
    RequestPhases phases = 0;
    for (const auto& [sink, some] : model.requests) phases |= some;
    wishes.requests.push_back(phases);
  }
  return wishes;
}

void ReplayedRun::advance(Part& part, std::uint32_t process, PartBlocks& blocks) {
  if (part.block.empty()) part.block = Parcel(blocks.next(process));
  part.ended = part.block.empty();
  if (!part.ended) part.mark = part.block.take<Mark>();
}

void ReplayedRun::replay(std::uint32_t processes, PartBlocks& blocks,
                         const std::function<void()>& sample, CommandTrace* commands,
                         RtlTapes& tapes) {
  std::vector<Part> parts(processes);
  for (std::uint32_t p = 0; p < processes; ++p) advance(parts[p], p, blocks);
  while (true) {
    // Of what each has next, the first; at equal marks that of the first process.
    Part* next = nullptr;
    for (Part& part : parts) {
      if (!part.ended && (next == nullptr || part.mark < next->mark)) next = &part;
    }
    if (next == nullptr) break;
    const auto process = static_cast<std::uint32_t>(next - parts.data());
    time_ = next->mark.now;
    switch (next->block.take<PartRecord>()) {
      case PartRecord::Event: {
        const auto event = next->block.take<Event>();
        for (EventSink* sink : models_[event.source].events) sink->happened(event);
        break;
      }
      case PartRecord::Step:
        step(next->block.take<StepRecord>(), process);
        break;
      case PartRecord::Values:
        takeValues(next->block);
        break;
      case PartRecord::Sample:
        takeValues(next->block);
        // All processes look at the same times, so the others have theirs before this one.
        if (process + 1 == processes) sample();
        break;
      case PartRecord::Command: {
        const auto record = next->block.take<CommandRecord>();
        commands->write(record.gpu, record.command);
        break;
      }
      case PartRecord::Cycle:
        tapes.replay(next->block.take<CycleRecord>(), time_);
        break;
    }
    advance(*next, process, blocks);
  }
  time_ = now();
}

void ReplayedRun::takeValues(Parcel& from) {
  for (const ValueRecord& record : from.take<std::vector<ValueRecord>>()) {
    values_[record.value] += record.grown;
  }
}

void ReplayedRun::step(const StepRecord& record, std::uint32_t process) {
  const RequestStep step{record.phase,   record.source,  record.when,  payloadOf(record, process),
                         record.channel, record.address, record.bytes, record.entered,
                         record.message};
  for (const auto& [sink, phases] : models_[record.source].requests) {
    if ((phases & phaseBit(record.phase)) != 0) sink->moved(step);
  }
}

/// One object for each of the process's own: listeners know a request by its address.
const Payload& ReplayedRun::payloadOf(const StepRecord& record, std::uint32_t process) {
  std::unique_ptr<Payload>& payload = payloads_[{process, record.payload}];
  if (payload == nullptr) {
    payload = std::make_unique<Payload>();
    payload->set_extension(new TrafficExtension);  // the payload frees it
  }
  payload->set_command(record.read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  static_cast<Traffic&>(traffic(*payload)) = record.traffic;
  return *payload;
}

void CutRecording::begin(RunWatch& watch, bool commands) {
  if (peers_.self() == 0) {
    wishes_ = replayed_.wishes();
    wishes_.samplePeriod = watch.samplePeriod;
    wishes_.commands = commands;
    wishes_.cycles = tapes_.any();
  }
  wishes_ = toldByFirst(peers_, wishes_);
  if (!wishes_.any()) return;
  part_.emplace(wishes_, live_);
  if (wishes_.cycles) tapes_.noteIn(*part_);
  watch.round = [this] { part_->beginRound(); };
  watch.samplePeriod = wishes_.samplePeriod;
  watch.sample = {};
  if (wishes_.samplePeriod != 0) watch.sample = [this] { part_->sample(); };
}

void CutRecording::replay(const std::function<void()>& sample, CommandTrace* commands) {
  if (!part_) return;
  PartFile& own = part_->finish();
  if (peers_.self() != 0) return serveBlocks(peers_, own);
  PartBlocks blocks(peers_, own);
  try {
    replayed_.replay(peers_.count(), blocks, sample, commands, tapes_);
  } catch (...) {
    if (commands != nullptr) commands->abandon();
    throw;
  }
}

}  // namespace t3
