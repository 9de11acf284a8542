// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/stacked_tracker.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "tlm/tracker/model_tracker.h"

namespace t3 {
namespace {

TrackerConfig ofAll(TrackerConfig config, std::uint32_t stacks) {
  config.lanes *= stacks;
  return config;
}

}  // namespace

class StackedTracker::LaneEar : public TrackerObserver {
 public:
  LaneEar(const StackedTracker& all, std::uint32_t firstLane) : all_(all), firstLane_(firstLane) {}

  void pieceTaken(std::uint32_t lane, const LanePiece& piece) override {
    for (TrackerObserver* observer : all_.observers()) {
      observer->pieceTaken(firstLane_ + lane, piece);
    }
  }
  void commandIssued(const TriggerMessage& /*message*/) override {}
  void released(const ReleaseMessage& /*message*/) override {}

 private:
  const StackedTracker& all_;
  const std::uint32_t firstLane_;
};

StackedTracker::StackedTracker(const sc_core::sc_module_name& name, const TrackerConfig& config,
                               const Parts& parts)
    : Tracker(name, ofAll(config, parts.stacks), Turn::Join),
      toLanes_("to_lanes", parts.stacks * config.lanes),
      toRegisters_("to_registers", parts.stacks),
      shares_("shares", kJoins * parts.stacks) {
  for (std::uint32_t stack = 0; stack < parts.stacks; ++stack) {
    units_.push_back(parts.unit(("stack" + std::to_string(stack)).c_str(), config));
    Tracker& unit = *units_.back();
    ears_.push_back(std::make_unique<LaneEar>(*this, stack * config.lanes));
    unit.observe(*ears_.back());
    for (std::uint32_t l = 0; l < config.lanes; ++l) {
      const std::uint32_t lane = stack * config.lanes + l;
      toLanes_[lane].register_nb_transport_bw(this, &StackedTracker::laneResponse,
                                              static_cast<int>(lane));
      toLanes_[lane].bind(unit.lanes[l]);
    }
    toRegisters_[stack].bind(unit.registers);
    for (std::size_t join = kSlots; join < kJoins; ++join) {
      const std::size_t input = join * parts.stacks + stack;
      shares_[input].register_nb_transport_fw(this, &StackedTracker::share,
                                              static_cast<int>(input));
      (join == kSlots ? unit.commands : unit.releases).bind(shares_[input]);
    }
  }
  const char* const names[kJoins] = {".join", ".row_join"};
  for (std::size_t join = kSlots; join < kJoins; ++join) {
    const std::string full = std::string(this->name()) + names[join];
    joins_[join].engine = makeStackJoin(full.c_str(), parts.kind, period(),
                                        parts.joins ? parts.joins(full) : RtlTracing{});
  }
}

StackedTracker::~StackedTracker() = default;

// ---- lanes ------------------------------------------------------------------------------------

tlm::tlm_sync_enum StackedTracker::laneRequest(int lane, Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  return toLanes_[static_cast<std::size_t>(lane)]->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum StackedTracker::laneResponse(int lane, Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  return lanes[static_cast<std::size_t>(lane)]->nb_transport_bw(payload, phase, delay);
}

// ---- joins ------------------------------------------------------------------------------------

/// A unit hands over a slot or a row, at a clock edge: the join has room for it, or the unit would
/// wait for the answer to the one before.
tlm::tlm_sync_enum StackedTracker::share(int input, Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  const auto number = static_cast<std::uint32_t>(input);
  Join& join = joins_[number / stacks()];
  const std::uint32_t stack = number % stacks();
  StackJoin::Said said;
  if (number / stacks() == kSlots) {
    TriggerMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    said = {message.command.value, message.spoiled};
  } else {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    said = {message.row, message.spoiled};
  }
  join.inputs.shares[stack] = said;
  join.held[stack] = &payload;
  scheduleEdge(now());
  return tlm::TLM_ACCEPTED;
}

Picoseconds StackedTracker::cycle(Picoseconds edge) {
  std::array<std::optional<StackJoin::Said>, kJoins> said;
  for (std::size_t j = kSlots; j < kJoins; ++j) {
    Join& join = joins_[j];
    join.inputs.doneReady = readyEdge(j) <= edge;
    if (join.inputs.doneReady) said[j] = join.engine->outputs().done;
    const bool comes =
        std::ranges::any_of(join.inputs.shares, [](const auto& one) { return one.has_value(); });
    if (comes || said[j] || join.engine->outputs().busy) clock(join, edge, true);
  }
  if (said[kSlots]) {
    ++joins_[kSlots].said;
    issueCommand({CommandId{said[kSlots]->slot}, said[kSlots]->spoiled});
  }
  if (said[kRows]) {
    ++joins_[kRows].said;
    releaseRow({said[kRows]->slot, said[kRows]->spoiled});
  }
  return nextEdge(edge);
}

/// One cycle with the inputs as they are, which leave the pins. A unit whose place is free again
/// sees that at the next edge.
void StackedTracker::clock(Join& join, Picoseconds edge, bool timed) {
  join.engine->clock(edge, join.inputs, timed);
  join.inputs = {};
  const StackJoin::Outputs& outputs = join.engine->outputs();
  if (outputs.stray) {
    const std::string text = std::string(name()) + ": stack " +
                             std::to_string(outputs.stray->stack) + " has said slot " +
                             std::to_string(outputs.stray->slot) +
                             (&join == &joins_[kRows] ? " of the rows" : "") +
                             ", of which the join misses no share of this stack";
    SC_REPORT_ERROR("t3/tracker", text.c_str());
  }
  const auto which = static_cast<std::size_t>(&join - joins_.data());
  for (std::uint32_t stack = 0; stack < stacks(); ++stack) {
    if (join.held[stack] == nullptr || (outputs.ready >> stack & 1) == 0) continue;
    Payload& payload = *std::exchange(join.held[stack], nullptr);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    shares_[which * stacks() + stack]->nb_transport_bw(payload, phase, delay);
  }
}

Picoseconds StackedTracker::nextEdge(Picoseconds edge) const {
  Picoseconds next = kNever;
  for (std::size_t j = kSlots; j < kJoins; ++j) {
    const StackJoin::Outputs& outputs = joins_[j].engine->outputs();
    if (outputs.busy) return edge + period();
    if (outputs.done) next = std::min(next, readyEdge(j));
  }
  return next == kNever ? kNever : std::max(next, edge + period());
}

// ---- registers --------------------------------------------------------------------------------

void StackedTracker::accessRegister(Payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t face = address >> stacked::kFaceShift;
  const auto inside = static_cast<std::uint32_t>(address - (face << stacked::kFaceShift));
  if (face < stacks()) {
    payload.set_address(inside);
    toRegisters_[static_cast<std::size_t>(face)]->b_transport(payload, delay);
    payload.set_address(address);
    return;
  }
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (face < stacks() + kJoins) accessJoin(joins_[face - stacks()], inside, payload, delay);
}

void StackedTracker::accessJoin(Join& join, std::uint32_t address, Payload& payload,
                                sc_core::sc_time& delay) {
  constexpr std::uint32_t kSlotMask = StackJoin::kSlots - 1,
                          kShareMask = (1U << StackJoin::kStacks) - 1;
  std::uint32_t value = 0;
  std::uint64_t cycles = ModelTracker::kRegisterCycles;
  if (payload.is_read()) {
    const StackJoin::Outputs& outputs = join.engine->outputs();
    if (address == stacked::kJoinRange) {
      value = join.range;
    } else if (address == stacked::kJoinSaid) {
      value = static_cast<std::uint32_t>(join.said);
    } else if (address == stacked::kJoinStatus) {
      value = (outputs.refused ? stacked::kJoinStatusRefused : 0) |
              (outputs.waiting || outputs.busy ? stacked::kJoinStatusWaiting : 0) |
              static_cast<std::uint32_t>(outputs.seenWaits) << 2 |
              static_cast<std::uint32_t>(outputs.seenSpoiled) << 3 |
              outputs.seenMissing << stacked::kJoinStatusMissingShift;
    } else {
      return;
    }
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    if (address == stacked::kJoinRange) {
      join.range = value;
    } else if (address == stacked::kJoinSaid) {
      join.said = 0;
    } else if (address == stacked::kJoinCommand) {
      join.inputs.command = {.first = join.range & kSlotMask,
                             .last = join.range >> stacked::kJoinRangeLastShift & kSlotMask,
                             .shares = value & kShareMask,
                             .write = (value & stacked::kJoinCommandWrite) != 0,
                             .force = (value & stacked::kJoinCommandForce) != 0};
      // Who takes what is done has no edge in these cycles.
      do {
        clock(join, now(), false);
        ++cycles;
      } while (!join.engine->outputs().commandReady);
      scheduleEdge(edgeAfter(now()));
    } else {
      return;
    }
  } else {
    return;
  }
  delay += fromPicoseconds(cycles * period());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned int StackedTracker::debugRegister(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t face = address >> stacked::kFaceShift;
  if (face >= stacks()) return 0;
  payload.set_address(address - (face << stacked::kFaceShift));
  const unsigned int bytes = toRegisters_[static_cast<std::size_t>(face)]->transport_dbg(payload);
  payload.set_address(address);
  return bytes;
}

// ---- interrupts -------------------------------------------------------------------------------

std::uint32_t StackedTracker::interrupts() const {
  std::uint32_t levels = 0;
  for (std::uint32_t stack = 0; stack < stacks(); ++stack) {
    levels |= static_cast<std::uint32_t>(units_[stack]->interrupt()) << stack;
  }
  return levels;
}

bool StackedTracker::alert() const {
  return std::ranges::any_of(units_, [](const auto& unit) { return unit->alert(); });
}

void StackedTracker::onInterrupt(std::function<void()> handler) {
  for (const auto& unit : units_) unit->onInterrupt(handler);
}

// ---- reports ----------------------------------------------------------------------------------

TrackerStatistics StackedTracker::statistics() {
  TrackerStatistics all;
  for (const auto& unit : units_) {
    const TrackerStatistics own = unit->statistics();
    const std::uint32_t errors = all.errors | own.errors;
    addFigures(all, own);
    all.errors = errors;
  }
  all.triggers = all.taken = joins_[kSlots].said;
  all.releases = joins_[kRows].said;
  return all;
}

void StackedTracker::compare() {
  for (const auto& unit : units_) unit->compare();
}

bool StackedTracker::idle() const {
  return Tracker::idle() &&
         std::ranges::all_of(units_, [](const auto& unit) { return unit->idle(); }) &&
         std::ranges::all_of(joins_, [](const Join& join) {
           return !join.engine->outputs().busy && !join.engine->outputs().done;
         });
}

std::string StackedTracker::waiting() {
  std::ostringstream text;
  text << Tracker::waiting();
  for (std::uint32_t stack = 0; stack < stacks(); ++stack) {
    std::istringstream lines(units_[stack]->waiting());
    for (std::string line; std::getline(lines, line);) {
      text << "stack " << stack << ": " << line << "\n";
    }
  }
  for (std::size_t j = kSlots; j < kJoins; ++j) {
    const StackJoin::Outputs& outputs = joins_[j].engine->outputs();
    if (outputs.done) {
      text << "the join shows " << (j == kSlots ? "slot " : "row slot ") << outputs.done->slot
           << "\n";
    }
  }
  return text.str();
}

void StackedTracker::publish(ValueList& list) const {
  const char* const names[kJoins] = {"join.", "row_join."};
  for (std::size_t j = kSlots; j < kJoins; ++j) {
    const StackJoin& join = *joins_[j].engine;
    const std::string name = names[j];
    list.flag(name + "waits", [&join] { return join.outputs().waiting; });
    list.level(name + "held", 8, "shares", [this, j] {
      return std::ranges::count_if(joins_[j].held,
                                   [](const Payload* one) { return one != nullptr; });
    });
    list.counter(name + "said", j == kSlots ? "commands" : "rows",
                 [this, j] { return joins_[j].said; });
  }
  list.flag("interrupt", [this] { return interrupt(); });
}

}  // namespace t3
