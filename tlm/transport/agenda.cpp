// SPDX-License-Identifier: Apache-2.0
#include "tlm/transport/agenda.h"

#include <algorithm>
#include <sysc/kernel/sc_dynamic_processes.h>
#include <utility>

#include "tlm/transport/numbers.h"

namespace t3 {
namespace {

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
  const std::uint32_t place =
      places_.try_emplace(module, static_cast<std::uint32_t>(places_.size())).first->second;
  if (lookahead_ != 0 && queues_.size() < places_.size()) queues_.resize(places_.size());
  return place;
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

Agenda::Queue& Agenda::queueOf(const Alarm& alarm) {
  return queues_[lookahead_ == 0 ? 0 : alarm.place_];
}

void Agenda::goByPlace(Picoseconds lookahead) {
  if (!common_ && lookahead > 1) split(lookahead);
}

void Agenda::keepCommonOrder() {
  common_ = true;
  split(0);
}

void Agenda::split(Picoseconds lookahead) {
  lookahead_ = lookahead;
  std::deque<Queue> before(lookahead == 0 ? 1 : std::max<std::size_t>(1, places_.size()));
  queues_.swap(before);
  for (const Queue& queue : before) {
    for (const Entry& entry : queue.heap) queueOf(*entry.alarm).heap.push_back(entry);
  }
  for (Queue& queue : queues_) {
    std::ranges::make_heap(queue.heap, later);
    queue.time = now();
  }
}

void Agenda::add(Picoseconds when, Alarm& alarm) {
  std::vector<Entry>& heap = queueOf(alarm).heap;
  heap.push_back({when, key(when, alarm), &alarm});
  ++alarm.entries_;
  std::ranges::push_heap(heap, later);
  if (!running_ && when < armed_) arm();
}

void Agenda::forget(const Alarm& alarm) {
  std::vector<Entry>& heap = queueOf(alarm).heap;
  std::erase_if(heap, [&alarm](const Entry& entry) { return entry.alarm == &alarm; });
  std::ranges::make_heap(heap, later);
}

/// When something happens next; the end of time if nothing does.
Picoseconds Agenda::next() const {
  Picoseconds first = kNoTime;
  for (const Queue& queue : queues_) {
    if (!queue.heap.empty()) first = std::min(first, queue.heap.front().when);
  }
  return first;
}

void Agenda::arm() {
  const Picoseconds time = sc_core::sc_time_stamp().value();
  armed_ = next();
  if (armed_ == kNoTime) {  // SystemC's time still has to come to the last action
    const Picoseconds last = std::ranges::max(queues_, {}, &Queue::time).time;
    if (last <= time) return;
    armed_ = last;
  }
  event_.notify(fromPicoseconds(armed_ > time ? armed_ - time : 0));
}

void Agenda::run() {
  running_ = true;
  armed_ = kNoTime;
  const Picoseconds time = sc_core::sc_time_stamp().value();
  Picoseconds end = time + 1;
  if (lookahead_ != 0) {
    const Picoseconds others = sc_core::sc_time_to_pending_activity().value();
    end = std::max(end, std::min(time + std::min(lookahead_, others), limit_));
  }
  const std::size_t count = queues_.size();  // an action may add a place
  const std::size_t first = seed_ == 0 ? 0 : mixed(seed_ ^ time) % count;
  for (std::size_t i = 0; i < count; ++i) run(queues_[(first + i) % count], end);
  detail::actionTime = kNoTime;
  acting = 0;
  running_ = false;
  arm();
}

/// All that is due before `end`, also what comes up meanwhile.
void Agenda::run(Queue& queue, Picoseconds end) {
  std::vector<Entry>& heap = queue.heap;
  while (!heap.empty()) {
    const Entry entry = heap.front();
    // An alarm that was set to an earlier time after this one has left an entry behind.
    const bool stale = entry.alarm->when_ != entry.when;
    if (!stale && entry.when >= end) break;
    std::ranges::pop_heap(heap, later);
    heap.pop_back();
    --entry.alarm->entries_;
    if (stale) continue;
    if (entry.when < queue.time) SC_REPORT_ERROR("t3/agenda", "an action in the past of its place");
    entry.alarm->when_ = kNoTime;
    acting = entry.key + 1;
    detail::actionTime = queue.time = entry.when;
    entry.alarm->action_();
  }
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
