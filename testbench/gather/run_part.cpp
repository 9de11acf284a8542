// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/run_part.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/transport/order.h"

namespace t3 {
namespace {

constexpr std::size_t kPartBlock = 1 << 20;
constexpr std::uint64_t kLast = ~std::uint64_t{0};  // after all actions of that time

}  // namespace

bool Wishes::any() const {
  return samplePeriod != 0 || commands || cycles ||
         std::ranges::any_of(events, [](unsigned char wished) { return wished != 0; }) ||
         std::ranges::any_of(requests, [](RequestPhases phases) { return phases != 0; });
}

/// Sorts the commands of one memory and notes them.
class RunPart::Memory : public CommandObserver {
 public:
  Memory(RunPart& part, std::uint32_t gpu, const HbmConfig& config)
      : part_(part), gpu_(gpu), ordered_(config, *this) {}

  OrderedCommands& ordered() { return ordered_; }
  void command(const DramCommand& command) override {
    part_.put(PartRecord::Command, orderNow());
    part_.pending_.put(CommandRecord{gpu_, command});
    part_.flushIfFull();
  }

 private:
  RunPart& part_;
  std::uint32_t gpu_;
  OrderedCommands ordered_;
};

RunPart::RunPart(const Wishes& wishes, Listeners& listeners) : wishes_(wishes) {
  for (std::uint32_t number = 0; number < wishes.values.size(); ++number) {
    const WatchedValue& wished = wishes.values[number];
    ValueList list;
    listeners.models()[wished.model].model->publish(list);
    const PublishedValue& value = list.values()[wished.index];
    values_.push_back({value, value.read()});
    (wished.atEvents ? asked_[wished.model] : sampled_).push_back(number);
  }
  for (std::size_t m = 0; m < listeners.models().size(); ++m) {
    if (wishes.events[m] != 0) listeners.add(static_cast<EventSink&>(*this), m);
    if (wishes.requests[m] != 0) listeners.add(static_cast<RequestSink&>(*this), m);
  }
}

RunPart::~RunPart() = default;

CommandObserver& RunPart::memory(std::uint32_t gpu, const HbmConfig& config) {
  memories_.push_back(std::make_unique<Memory>(*this, gpu, config));
  return memories_.back()->ordered();
}

void RunPart::put(PartRecord kind, std::uint64_t order) {
  pending_.put(Mark{now(), round_, order});
  pending_.put(kind);
}

void RunPart::flushIfFull() {
  if (pending_.bytes().size() < kPartBlock) return;
  file_.append(pending_.bytes());
  pending_.clear();
}

void RunPart::happened(const Event& event) {
  if (const auto asked = asked_.find(event.source); asked != asked_.end()) {
    putChanges(PartRecord::Values, orderNow(), asked->second);
  }
  put(PartRecord::Event, orderNow());
  pending_.put(event);
  flushIfFull();
}

void RunPart::moved(const RequestStep& step) {
  if ((wishes_.requests[step.source] & phaseBit(step.phase)) == 0) return;
  put(PartRecord::Step, orderNow());
  pending_.put(StepRecord{step.phase, step.payload.is_read(), step.source, step.when,
                          reinterpret_cast<std::uintptr_t>(&step.payload), traffic(step.payload),
                          step.channel, step.address, step.bytes, step.entered, step.message});
  flushIfFull();
}

void RunPart::cycle(const CycleRecord& record) {
  put(PartRecord::Cycle, orderNow());
  pending_.put(record);
  flushIfFull();
}

void RunPart::putChanges(PartRecord kind, std::uint64_t order,
                         const std::vector<std::uint32_t>& values) {
  std::vector<ValueRecord> changes;
  for (const std::uint32_t number : values) {
    const std::uint64_t present = values_[number].value.read();
    const std::uint64_t last = std::exchange(values_[number].last, present);
    if (present != last) changes.push_back({number, present - last});
  }
  if (kind == PartRecord::Values && changes.empty()) return;
  put(kind, order);
  pending_.put(changes);
}

void RunPart::sample() {
  putChanges(PartRecord::Sample, kLast, sampled_);  // what follows writes it to the file
  ++round_;
}

PartFile& RunPart::finish() {
  ++round_;  // after all that others still have
  try {
    for (const auto& memory : memories_) memory->ordered().finish();
    file_.append(pending_.bytes());
  } catch (const std::runtime_error&) {
    // Whoever reads the file gets the same error.
  }
  return file_;
}

}  // namespace t3
