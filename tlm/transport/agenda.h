// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

/// Where the action that happens now stands among those of its time; 0 outside of all actions. The
/// least of several places is the first, whether one process simulates them or several.
std::uint64_t orderNow();

/// Who goes first at equal times inside one GPU: what comes in, then what works, then what goes
/// out, then what looks at all of it.
enum class Turn : std::uint8_t {
  Arrival,  ///< links deliver, in the order of the ports at which they end
  Work,     ///< kernels, DMA, software
  Port,     ///< memory ports send
  Wire,     ///< links choose what to send
  Clock,    ///< the tracker's clock edge
  Join,     ///< the same of what joins several trackers, at what they send at that edge
  Memory,   ///< the memory serves its channels
  Check     ///< comparisons
};

class Alarm;

/// The order of everything that happens: by time; at equal times by turn; then by place (a GPU with
/// all that is its own; a switch); inside a place by port or, without one, by construction. So what
/// happens at a place follows from the place and from what links bring, not from the order of
/// insertion, how SystemC orders processes (the LRM leaves that open), or which other places are in
/// this process.
///
/// Places meet only through links, whose messages and credits arrive later than they are sent. So
/// the order of places at equal times changes nothing, which `shuffle` lets a test see. And places
/// may come apart in time, which is faster, because what one GPU touches stays in the processor's
/// caches: after `goByPlace` each place in turn does all that it has to do in a window. Whoever
/// looks at several places, or at SystemC's time, needs the common order (`keepCommonOrder`).
///
///     common order    gpu0 gpu1 gpu0 gpu2 gpu1 gpu0 …          by time
///     by place        gpu0 gpu0 gpu0 │ gpu1 gpu1 │ gpu2 …      window [T, T + lookahead)
///
/// One SystemC process runs all actions.
class Agenda {
 public:
  static Agenda& ofSimulation();
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  /// Everything below `module` is one place. In its constructor, before what lies below it. Other
  /// objects belong to the place of their outermost module.
  void addPlace(const sc_core::sc_object& module) { number(&module); }

  /// From now on the order of places is drawn anew at each time. 0: the order above.
  void shuffle(std::uint64_t seed) { seed_ = seed; }

  /// From now on places come apart by less than `lookahead`, the least time in which anything gets
  /// from one to another; no effect below two picoseconds or in the common order. SystemC's time is
  /// that of the begin of the window, at the end that of the last action. No window goes past what
  /// SystemC processes wait for. What an action calls must use `now()`. Outside of all actions.
  void goByPlace(Picoseconds lookahead);
  /// No window ends later, until the next call: what other processes do may arrive from then on.
  void endWindowsAt(Picoseconds end) { limit_ = end; }
  /// From now on the order is the common one, and stays so. Outside of all actions.
  void keepCommonOrder();

 private:
  friend class Alarm;

  struct Entry {
    Picoseconds when;
    std::uint64_t key;
    Alarm* alarm;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.when != b.when ? a.when > b.when : a.key > b.key;
  }
  /// What is to happen in one place; everything in the common order.
  struct Queue {
    std::vector<Entry> heap;
    Picoseconds time = 0;  ///< of its last action
  };

  Agenda();
  std::uint32_t number(const sc_core::sc_object* module);
  std::uint32_t placeOf(const sc_core::sc_object* object);
  std::uint32_t nextNumber() { return number_++; }
  void add(Picoseconds when, Alarm& alarm);
  void forget(const Alarm& alarm);
  std::uint64_t key(Picoseconds when, const Alarm& alarm) const;
  Queue& queueOf(const Alarm& alarm);
  void split(Picoseconds lookahead);
  Picoseconds next() const;
  void arm();
  void run();
  void run(Queue& queue, Picoseconds end);

  std::deque<Queue> queues_{1};  ///< by place; in the common order there is one
  std::unordered_map<const sc_core::sc_object*, std::uint32_t> places_;
  std::uint32_t number_ = 0;
  std::uint64_t seed_ = 0;
  Picoseconds lookahead_ = 0;  ///< 0 in the common order
  Picoseconds limit_ = kNoTime;
  bool common_ = false;  ///< for ever
  bool running_ = false;
  Picoseconds armed_ = kNoTime;
  sc_core::sc_event event_;
};

/// As the first member of a module: the module is a place.
struct Place {
  explicit Place(const sc_core::sc_object& module) { Agenda::ofSimulation().addPlace(module); }
};

/// An action of a model that is to happen at a time: what an event and its process are in SystemC,
/// at less cost and in the order of the agenda. A member of the module whose action it is.
class Alarm {
 public:
  Alarm(Turn turn, std::function<void()> action);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// The action happens at `when` (absolute, not in the past), or at the earlier time that was set
  /// before. It may set the alarm again, for the same time too.
  void set(Picoseconds when) {
    if (when >= when_) return;
    when_ = when;
    agenda_.add(when, *this);
  }
  bool isSet() const { return when_ != kNoTime; }

  /// The action happens where `module` is, at its port with this number. Before the simulation
  /// starts.
  void place(const sc_core::sc_object& module, std::uint32_t port);

 private:
  friend class Agenda;

  Agenda& agenda_;
  const Turn turn_;
  std::uint32_t place_, number_;
  const std::function<void()> action_;
  Picoseconds when_ = kNoTime;
  std::uint32_t entries_ = 0;  ///< in the agenda, with those that an earlier time has replaced
};

/// Delivers values at their time; at equal times in order of posting. One alarm serves any number
/// of pending values. The handler may post.
template <typename T>
class TimedQueue : public sc_core::sc_module {
 public:
  using Handler = std::function<void(T)>;

  TimedQueue(const sc_core::sc_module_name& name, Handler handler)
      : sc_module(name), handler_(std::move(handler)) {}

  /// `when` is absolute and not in the past.
  void post(Picoseconds when, T value) {
    heap_.push_back({when, order_++, std::move(value)});
    std::push_heap(heap_.begin(), heap_.end(), later);
    if (heap_.front().when == when && heap_.front().order == order_ - 1) arm();
  }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  std::uint64_t posted() const { return order_; }  ///< values ever posted

 private:
  struct Item {
    Picoseconds when;
    std::uint64_t order;
    T value;
  };
  static bool later(const Item& a, const Item& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }

  void arm() {
    if (delivering_) return;  // deliver() arms once for all that its handlers post
    alarm_.set(heap_.front().when);
  }

  void deliver() {
    delivering_ = true;
    while (!heap_.empty() && heap_.front().when <= now()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      T value = std::move(heap_.back().value);
      heap_.pop_back();
      handler_(std::move(value));
    }
    delivering_ = false;
    if (!heap_.empty()) arm();
  }

  Handler handler_;
  Alarm alarm_{Turn::Work, [this] { deliver(); }};
  std::vector<Item> heap_;
  std::uint64_t order_ = 0;
  bool delivering_ = false;
};

}  // namespace t3
