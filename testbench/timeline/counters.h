// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/probe/listeners.h"
#include "testbench/probe/scope.h"
#include "testbench/timeline/trace_events.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// The counters of a timeline: values that models publish, by process and name. Some are shown as
/// they are, bytes as the bandwidth since the sample before.
class Counters {
 public:
  Counters(TraceEvents& file, const TimeWindow& window) : file_(file), window_(window) {}

  /// Takes from the values of a model those that have a counter.
  void add(const ModelPlace& place, Listeners& listeners, std::size_t model);

  /// Reads all values. A rate is drawn from the begin of its time: the area is the bytes.
  void sample(Picoseconds when);
  /// Draws a value that no model publishes.
  void show(std::uint32_t process, const char* name, std::string_view series, std::uint64_t value,
            Picoseconds when);

  /// After the last sample: rates end at 0.
  void finish(Picoseconds when);

 private:
  struct Series {
    std::string_view name;
    std::vector<PublishedValue> values;
    std::uint64_t last = 0;  ///< sum when the rate was taken last
  };
  struct Counter {
    std::uint32_t process;
    std::string name;
    bool rate = false;
    std::vector<Series> series = {};
    TraceEvents::Arguments written = {};
  };

  Series& seriesOf(std::uint32_t process, const std::string& counter, const char* series);
  void write(Counter& counter, const TraceEvents::Arguments& present, Picoseconds when);

  TraceEvents& file_;
  const TimeWindow window_;
  std::vector<Counter> counters_;
  std::map<std::pair<std::uint32_t, std::string>, Counter> shown_;  ///< by process and name
  Picoseconds sampledAt_ = 0;
};

}  // namespace t3
