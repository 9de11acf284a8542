// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Delivers values at their time, in order of time and, at equal times, in order of posting: that
/// is the order in which the one module that posts here decided. One alarm serves any number of
/// pending values. The handler may post.
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
