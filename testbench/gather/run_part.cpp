// SPDX-License-Identifier: Apache-2.0
#include "testbench/gather/run_part.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "testbench/output/interrupt.h"
#include "tlm/transport/agenda.h"

namespace t3 {
PartFile::PartFile() {
  std::string path = (std::filesystem::temp_directory_path() / "t3-part-XXXXXX").string();
  const InterruptsHeld held;
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path.c_str());
  unlink(path.c_str());
}

PartFile::~PartFile() { close(descriptor_); }

void PartFile::fail(const char* what) {
  error_ = "temporary file of a recording: " + std::string(what) + ": " + std::strerror(errno);
  throw std::runtime_error(error_);
}

void PartFile::expectNoError() const {
  if (!error_.empty()) throw std::runtime_error(error_);
}

void PartFile::append(std::span<const unsigned char> block) {
  expectNoError();
  if (block.empty()) return;
  sizes_.push_back(block.size());
  while (!block.empty()) {
    const ssize_t count = write(descriptor_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written");
    block = block.subspan(static_cast<std::size_t>(count));
  }
}

std::vector<unsigned char> PartFile::next() {
  expectNoError();
  std::vector<unsigned char> block;
  if (taken_ == sizes_.size()) return block;
  block.resize(sizes_[taken_++]);
  for (std::size_t at = 0; at < block.size();) {
    const ssize_t count =
        pread(descriptor_, block.data() + at, block.size() - at, static_cast<off_t>(readAt_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot be read");
    at += static_cast<std::size_t>(count);
    readAt_ += static_cast<std::uint64_t>(count);
  }
  return block;
}

namespace {

// What process 0 asks of the others whenever they meet.
enum class Ask : std::uint8_t { Nothing, Block, End };

/// An error, or an empty text and a block.
Parcel nextOf(PartFile& own) {
  Parcel answer;
  try {
    const std::vector<unsigned char> block = own.next();
    answer.put(std::string());
    answer.put(block);
  } catch (const std::runtime_error& failure) {
    answer.put(std::string(failure.what()));
  }
  return answer;
}

}  // namespace

PartBlocks::~PartBlocks() {
  std::vector<Parcel> parcels(peers_.count()), arrived;
  for (std::uint32_t p = 1; p < peers_.count(); ++p) parcels[p].put(Ask::End);
  peers_.meet({}, parcels, arrived);
}

std::vector<unsigned char> PartBlocks::next(std::uint32_t process) {
  if (process == 0) return own_.next();
  std::vector<Parcel> parcels(peers_.count()), arrived;
  for (std::uint32_t p = 1; p < peers_.count(); ++p) {
    parcels[p].put(p == process ? Ask::Block : Ask::Nothing);
  }
  peers_.meet({}, parcels, arrived);
  for (Parcel& parcel : parcels) parcel.clear();
  peers_.meet({}, parcels, arrived);
  if (auto error = arrived[process].take<std::string>(); !error.empty()) {
    throw std::runtime_error(error);
  }
  return arrived[process].take<std::vector<unsigned char>>();
}

void serveBlocks(Peers& peers, PartFile& own) {
  while (true) {
    std::vector<Parcel> parcels(peers.count()), arrived;
    peers.meet({}, parcels, arrived);
    const auto asked = arrived[0].take<Ask>();
    if (asked == Ask::End) return;
    if (asked == Ask::Block) parcels[0] = nextOf(own);
    peers.meet({}, parcels, arrived);
  }
}

namespace {

constexpr std::size_t kPartBlock = 1 << 20;
constexpr std::uint64_t kLast = ~std::uint64_t{0};  // after all actions of that time

}  // namespace

bool Wishes::any() const {
  return samplePeriod != 0 || commands || cycles ||
         std::ranges::any_of(events, [](unsigned char wished) { return wished != 0; }) ||
         std::ranges::any_of(requests, [](RequestPhases phases) { return phases != 0; });
}

RunPart::RunPart(const Wishes& wishes, Listeners& listeners)
    : wishes_(wishes), commands_([this](std::uint32_t gpu, const DramCommand& command) {
        put(PartRecord::Command, orderNow());
        pending_.put(CommandRecord{gpu, command});
        flushIfFull();
      }) {
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
    commands_.finish();
    file_.append(pending_.bytes());
  } catch (const std::runtime_error&) {
    // Whoever reads the file gets the same error.
  }
  return file_;
}

}  // namespace t3
