// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/agenda.h"

#include <algorithm>
#include <sysc/kernel/sc_dynamic_processes.h>
#include <utility>

#include "tlm/transport/order.h"

namespace t3 {
namespace {

/// SplitMix64: spreads neighbours over all values.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Fields of a key.
constexpr unsigned kNumberBits = 32;
constexpr unsigned kPlaceBits = 24;

/// Of the action that happens now, and one more; 0 outside of all.
std::uint64_t acting = 0;

}  // namespace

std::uint64_t orderNow() { return acting; }

Agenda& Agenda::ofSimulation() {
  static Agenda agenda;
  return agenda;
}

Agenda::Agenda() {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("agenda"), &options);
}

std::uint32_t Agenda::number(const sc_core::sc_object* module) {
  return places_.try_emplace(module, static_cast<std::uint32_t>(places_.size())).first->second;
}

std::uint32_t Agenda::placeOf(const sc_core::sc_object* object) {
  while (object != nullptr && !places_.contains(object) && object->get_parent_object() != nullptr) {
    object = object->get_parent_object();
  }
  return number(object);
}

std::uint64_t Agenda::key(Picoseconds when, const Alarm& alarm) const {
  const auto turn = static_cast<std::uint64_t>(alarm.turn_);
  if (seed_ == 0) {
    return turn << (kPlaceBits + kNumberBits) | std::uint64_t{alarm.place_} << kNumberBits |
           alarm.number_;
  }
  // The number needs less than 32 bits; what is left holds a random number of the place.
  constexpr unsigned kTurnBits = 4;
  constexpr unsigned kSmallNumberBits = 20;
  constexpr unsigned kRandomBits = 64 - kTurnBits - kSmallNumberBits;
  const std::uint64_t random = mixed(mixed(seed_ ^ when) ^ alarm.place_) >> (64 - kRandomBits);
  return random << (kTurnBits + kSmallNumberBits) | turn << kSmallNumberBits | alarm.number_;
}

void Agenda::add(Picoseconds when, Alarm& alarm) {
  heap_.push_back({when, key(when, alarm), &alarm});
  ++alarm.entries_;
  std::ranges::push_heap(heap_, later);
  if (!running_ && heap_.front().when < armed_) arm();
}

void Agenda::forget(const Alarm& alarm) {
  std::erase_if(heap_, [&alarm](const Entry& entry) { return entry.alarm == &alarm; });
  std::ranges::make_heap(heap_, later);
}

void Agenda::arm() {
  armed_ = heap_.front().when;
  event_.notify(fromPicoseconds(armed_ > now() ? armed_ - now() : 0));
}

void Agenda::run() {
  running_ = true;
  armed_ = kNone;
  while (!heap_.empty()) {
    const Entry entry = heap_.front();
    // An alarm that was set to an earlier time after this one has left an entry behind.
    const bool stale = entry.alarm->when_ != entry.when;
    if (!stale && entry.when > now()) break;
    std::ranges::pop_heap(heap_, later);
    heap_.pop_back();
    --entry.alarm->entries_;
    if (stale) continue;
    entry.alarm->when_ = kNone;
    acting = entry.key + 1;
    entry.alarm->action_();
  }
  acting = 0;
  running_ = false;
  if (!heap_.empty()) arm();
}

Alarm::Alarm(Turn turn, std::function<void()> action)
    : agenda_(Agenda::ofSimulation()),
      turn_(turn),
      place_(agenda_.placeOf(sc_core::sc_get_curr_simcontext()->hierarchy_curr())),
      number_(agenda_.nextNumber()),
      action_(std::move(action)) {}

Alarm::~Alarm() {
  if (entries_ != 0) agenda_.forget(*this);
}

void Alarm::place(const sc_core::sc_object& module, std::uint32_t port) {
  place_ = agenda_.placeOf(&module);
  number_ = port;
}

}  // namespace t3
