// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_tracker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

#include "tlm/tracker/model_registers.h"
#include "tlm/tracker/register_text.h"
#include "tlm/tracker/registers.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker.h"

namespace t3 {
namespace {

namespace r = registers;

constexpr std::uint32_t kWavefrontBits = 3;

constexpr std::uint8_t kAllByteStrobes = 0xf;
constexpr std::uint8_t kOkay = 0;
// Every access is answered within 16 cycles of its last valid (docs/tracker.md, promise 10); a unit
// that has not answered after this many never will.
constexpr std::uint64_t kPatience = 1000;
constexpr std::uint8_t kPrivileged = 1;

static_assert(std::endian::native == std::endian::little,
              "wide Verilated buses are written as bytes");

std::uint32_t slotOf(const RtlPins& pins) { return static_cast<std::uint32_t>(pins.doneSlot); }
std::uint32_t lanesReady(const RtlPins& pins) { return static_cast<std::uint32_t>(pins.laneReady); }
std::uint32_t rowOf(const RtlPins& pins) { return static_cast<std::uint32_t>(pins.releaseRow); }

/// Writes `bits` of a lane, at most 16, of a pin that has so many for each.
void writeBits(const SizedPin& pin, std::uint32_t lane, std::uint32_t bits, std::uint32_t value) {
  const std::uint32_t at = lane * bits;
  unsigned char* byte = pin.bytes() + at / 8;
  const std::size_t count = at / 8 + 1 < pin.size() ? 2 : 1;
  std::uint16_t both = 0;
  std::memcpy(&both, byte, count);
  const std::uint32_t mask = ((1U << bits) - 1) << at % 8;
  both = static_cast<std::uint16_t>((both & ~mask) | (value << at % 8 & mask));
  std::memcpy(byte, &both, count);
}

void writeLane(const RtlPins& pins, std::uint32_t lane, const LaneUpdate& update) {
  const auto workgroup = static_cast<std::uint16_t>(update.workgroup.value);
  std::memcpy(pins.laneWorkgroup.bytes() + 2 * lane, &workgroup, 2);
  std::memcpy(pins.laneAddress.bytes() + 6 * lane, &update.address, 6);
  writeBits(pins.laneWavefront, lane, kWavefrontBits, update.wavefront.value);
  pins.laneWeight.bytes()[lane] = static_cast<unsigned char>(update.bytes);
}

}  // namespace

RtlTracker::RtlTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                       const RtlOptions& options)
    : Tracker(name, config), options_(options), unit_(startUnit(options, this->name())) {
  if (options_.tape != nullptr) options_.tape->begin(this->name(), config, options_.netlist);
  if (options_.tape != nullptr || options_.tracing.watcher != nullptr) {
    Agenda::ofSimulation().keepCommonOrder();
  }
  if (options_.tracing.watcher == nullptr) return;
  options_.tracing.watcher->attach(*unit_, period());
  unit_->whenLow([this] {
    if (inEdge_) options_.tracing.watcher->low(now());
  });
}

// ---- one clock edge ---------------------------------------------------------------------------

Picoseconds RtlTracker::cycle(Picoseconds edge) {
  const RtlPins& pins = unit_->pins;
  if (options_.tracing.watcher != nullptr) [[unlikely]]
    options_.tracing.watcher->edge(edge);
  presentLanes(edge);
  pins.doneReady = commandReadyEdge() <= edge;
  pins.releaseReady = releaseReadyEdge() <= edge;
  inEdge_ = true;
  clock();
  inEdge_ = false;
  if (!outputs_.empty()) sendOutputs();
  return nextEdge(edge);
}

/// Sets the pins of each ready lane to its next update and removes that from its queue, because the
/// coming edge takes it. A lane that is not ready sees no update: the unit would only count a
/// stall. This class counts it instead, so that the clock may rest.
void RtlTracker::presentLanes(Picoseconds edge) {
  const RtlPins& pins = unit_->pins;
  unsigned valid = 0;
  for (unsigned left = waitingLanes(); left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const LaneQueue& queue = queues()[lane];
    if (!queue.ready(edge)) continue;
    if ((pins.laneReady >> lane & 1U) == 0) continue;
    // It has waited since it arrived, or since the update before it was taken.
    stalls_ += (edge - std::max(queue.frontEdge(), laneFree_[lane])) / period();
    laneFree_[lane] = edge + period();
    writeLane(pins, lane, queue.front());
    laneTakes(lane, queue.front());
    popLane(lane);
    valid |= 1U << lane;
  }
  pins.laneValid = pins.laneValid | valid;
}

/// One cycle with the inputs as they are. The outputs from before the edge decide the handshakes,
/// because all of them are functions of registers only. Inputs that were taken leave the pins.
void RtlTracker::clock() {
  const RtlPins& pins = unit_->pins;
  if (pins.doneValid != 0 && pins.doneReady != 0) {
    outputs_.emplace_back(TriggerMessage{CommandId{slotOf(pins)}, pins.doneSpoiled != 0});
  }
  if (pins.releaseValid != 0 && pins.releaseReady != 0) {
    outputs_.emplace_back(ReleaseMessage{rowOf(pins), pins.releaseSpoiled != 0});
  }

  if (options_.tape != nullptr) [[unlikely]]
    options_.tape->cycle(RtlInputs::of(pins), inEdge_);
  if (!unit_->cycle(now())) reportFailure();
  ++cycles_;

  pins.laneValid = 0;
}

void RtlTracker::sendOutputs() {
  // From a separate list: a receiver may access registers, and those cycles may add outputs.
  std::vector<Output> sending;
  sending.swap(outputs_);
  for (const Output& output : sending) {
    if (const auto* command = std::get_if<TriggerMessage>(&output)) {
      issueCommand(*command);
    } else {
      releaseRow(std::get<ReleaseMessage>(output));
    }
  }
  sending.clear();
  if (outputs_.empty()) sending.swap(outputs_);  // keeps the memory
}

void RtlTracker::reportFailure() {
  std::ostringstream where;
  where << fromPicoseconds(now()) << ", cycle " << cycles_ << " of " << name();
  fail(unit_->failure(where.str()));
}

void RtlTracker::fail(const std::string& text) { SC_REPORT_ERROR("t3/rtl", text.c_str()); }

Picoseconds RtlTracker::nextEdge(Picoseconds edge) const {
  const RtlPins& pins = unit_->pins;
  const Picoseconds following = edge + period();
  if (pins.busy != 0 || !options_.skipIdleClocks) return following;
  Picoseconds next = kNever;
  // A lane that is not ready stays so while nothing is inside.
  for (unsigned left = waitingLanes() & lanesReady(pins); left != 0; left &= left - 1) {
    next = std::min(next, queues()[static_cast<std::size_t>(std::countr_zero(left))].frontEdge());
  }
  if (pins.doneValid != 0) next = std::min(next, commandReadyEdge());
  if (pins.releaseValid != 0) next = std::min(next, releaseReadyEdge());
  return next == kNever ? kNever : std::max(next, following);
}

// ---- registers --------------------------------------------------------------------------------

void RtlTracker::extraClock() {
  unit_->pins.doneReady = 0;
  unit_->pins.releaseReady = 0;
  clock();
}

RtlTracker::RegisterResult RtlTracker::writeRegister(std::uint16_t address, std::uint32_t value,
                                                     std::uint8_t strobes, bool privileged) {
  const RtlPins& pins = unit_->pins;
  RegisterResult result;
  pins.awAddress = address;
  pins.awProtection = privileged ? kPrivileged : 0;
  pins.wData = value;
  pins.wStrobes = strobes;
  pins.awValid = pins.wValid = pins.bReady = 1;
  while (result.cycles < kPatience) {
    const bool addressTaken = (pins.awValid & pins.awReady) != 0;
    const bool dataTaken = (pins.wValid & pins.wReady) != 0;
    const bool answered = pins.bValid != 0;
    result.ok = pins.bResponse == kOkay;
    extraClock();
    ++result.cycles;
    if (addressTaken) pins.awValid = 0;
    if (dataTaken) pins.wValid = 0;
    if (answered) {
      pins.bReady = 0;
      return result;
    }
  }
  fail("a write of " + registerText(address) + " of " + name() + " was never answered");
  return {};
}

RtlTracker::RegisterResult RtlTracker::readRegister(std::uint16_t address) {
  const RtlPins& pins = unit_->pins;
  RegisterResult result;
  pins.arAddress = address;
  pins.arProtection = kPrivileged;
  pins.arValid = pins.rReady = 1;
  while (result.cycles < kPatience) {
    const bool addressTaken = (pins.arValid & pins.arReady) != 0;
    const bool answered = pins.rValid != 0;
    result.ok = pins.rResponse == kOkay;
    result.data = pins.rData;
    extraClock();
    ++result.cycles;
    if (addressTaken) pins.arValid = 0;
    if (answered) {
      pins.rReady = 0;
      return result;
    }
  }
  fail("a read of " + registerText(address) + " of " + name() + " was never answered");
  return {};
}

void RtlTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  constexpr std::uint64_t kSpace = 1 << 16;
  if (payload.get_address() >= kSpace || payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const auto address = static_cast<std::uint16_t>(payload.get_address());
  RegisterResult result;
  if (payload.is_read()) {
    result = readRegister(address);
    // The unit does not see updates that stall (presentLanes), so its own counter stays zero.
    if (address == r::kStalls) result.data = static_cast<std::uint32_t>(stalls_);
    if (address == r::kStatus && lanesWait()) result.data |= r::kStatusWaiting;
    if (address == r::kStalls + 4) {
      constexpr std::uint64_t kEnd = std::uint64_t{1} << ModelRegisters::kCounterBits;
      result.data = static_cast<std::uint32_t>(stalls_ % kEnd >> 32);
    }
    if (result.ok) std::memcpy(payload.get_data_ptr(), &result.data, sizeof result.data);
  } else {
    std::uint8_t strobes = kAllByteStrobes;
    if (const unsigned char* enables = payload.get_byte_enable_ptr(); enables != nullptr) {
      for (unsigned i = 0; i < 4; ++i) {
        if (enables[i] == 0) strobes = static_cast<std::uint8_t>(strobes & ~(1U << i));
      }
    }
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    if (address == r::kCtrl && (value & r::kCtrlClear) != 0) stalls_ = 0;
    result = writeRegister(address, value, strobes, isPrivileged(payload));
  }
  payload.set_response_status(result.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  delay += fromPicoseconds(result.cycles * period());
  sendOutputs();
  const Picoseconds next = nextEdge(edgeAfter(now()) - period());
  if (next != kNever) scheduleEdge(next);
}

/// Whether a lane has an update that the unit does not take (presentLanes does not show it those).
bool RtlTracker::lanesWait() const {
  for (unsigned left = waitingLanes() & ~lanesReady(unit_->pins); left != 0; left &= left - 1) {
    if (queues()[static_cast<std::size_t>(std::countr_zero(left))].ready(now())) return true;
  }
  return false;
}

unsigned int RtlTracker::debugRegister(Payload& payload) {
  if (!payload.is_read() || !idle()) return 0;
  sc_core::sc_time ignored;
  accessRegister(payload, ignored);
  return payload.is_response_ok() ? payload.get_data_length() : 0;
}

std::uint32_t RtlTracker::peek(std::uint16_t address) {
  const std::uint64_t before = cycles_;
  const std::uint32_t value = readRegister(address).data;
  cycles_ = before;
  return value;
}

std::uint64_t RtlTracker::readCounter(std::uint16_t address) {
  const std::uint64_t low = readRegister(address).data;
  return std::uint64_t{readRegister(static_cast<std::uint16_t>(address + 4)).data} << 32 | low;
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics RtlTracker::statistics() {
  TrackerStatistics result = portStatistics();
  result.rtl_cycles = cycles_;
  result.updates = readCounter(r::kUpdates);
  result.untracked = readCounter(r::kUntracked);
  result.dropped = readCounter(r::kDropped);
  result.completed = readCounter(r::kCompleted);
  result.triggers = readCounter(r::kTriggers);
  result.taken = readCounter(r::kTaken);
  result.releases = readCounter(r::kReleased);
  const auto errors = [this](std::uint32_t cause) {
    const std::uint32_t number = static_cast<std::uint32_t>(std::countr_zero(cause));
    return readRegister(static_cast<std::uint16_t>(r::errorCount(number))).data;
  };
  result.overrun = errors(r::kErrorsOverrun);
  result.stray = errors(r::kErrorsStray);
  result.errors = readRegister(r::kErrors).data;
  cycles_ = result.rtl_cycles;
  sendOutputs();
  return result;
}

bool RtlTracker::idle() const {
  const RtlPins& pins = unit_->pins;
  return Tracker::idle() && pins.busy == 0 && pins.doneValid == 0 && pins.releaseValid == 0;
}

bool RtlTracker::interrupt() const { return unit_->pins.interrupt != 0; }

bool RtlTracker::alert() const { return unit_->pins.alert != 0; }

std::string RtlTracker::waiting() {
  const RtlPins& pins = unit_->pins;
  std::ostringstream text;
  text << Tracker::waiting();
  if (pins.doneValid != 0) text << "done_valid: slot " << pins.doneSlot << "\n";
  if (pins.releaseValid != 0) text << "rel_valid: row slot " << pins.releaseRow << "\n";
  if (pins.busy != 0) text << "busy\n";
  return text.str();
}

}  // namespace t3
