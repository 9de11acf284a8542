// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/probe/scope.h"
#include "testbench/timeline/trace_events.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Threads of one process for slices of one kind: as many lanes as there are slices side by side.
class Track {
 public:
  Track(TraceEvents& file, std::uint32_t process, std::uint32_t first, std::string name)
      : file_(file), process_(process), first_(first), name_(std::move(name)) {}

  std::uint32_t process() const { return process_; }
  std::uint32_t thread(std::uint32_t lane) const { return first_ + lane; }

  /// A lane that is free from `begin` on; it is taken until `release`.
  std::uint32_t take(TraceTime begin);
  /// The same with one that the caller knows to be free.
  void hold(std::uint32_t lane);
  void release(std::uint32_t lane, TraceTime end) { freeFrom_[lane] = latest_[lane] = end; }
  /// When the slice of a lane that was released last ends.
  TraceTime latest(std::uint32_t lane) const { return latest_[lane]; }
  /// All lanes show their number, also the first.
  void number() { numbered_ = true; }

 private:
  TraceEvents& file_;
  std::uint32_t process_, first_;
  std::string name_;
  bool numbered_ = false;
  std::vector<TraceTime> freeFrom_, latest_;
};

/// All tracks of a timeline, and the slices that are open in them. What lies outside the window is
/// left out.
class Tracks {
 public:
  Tracks(TraceEvents& file, const TimeWindow& window) : file_(file), window_(window) {}

  bool contains(std::uint32_t process) const { return trackCount_.contains(process); }
  /// A process without tracks so far.
  void add(std::uint32_t process) { trackCount_[process] = 0; }

  /// The track called `name` of a process. Tracks are shown in the order in which they are first
  /// asked for.
  Track& track(std::uint32_t process, const std::string& name);

  /// Opens a slice in a lane, which is known to be free. `key` finds it again.
  void open(Track& in, std::uint32_t lane, std::uint64_t key, std::string name, Picoseconds when,
            TraceEvents::Arguments arguments = {});
  /// The same in any lane that is free.
  void openNext(Track& in, std::uint64_t key, std::string name, Picoseconds when,
                TraceEvents::Arguments arguments = {});
  /// Closes the oldest slice with that key, if there is one.
  void close(Track& in, std::uint64_t key, Picoseconds when);
  /// Closes all, the inner ones first, at `when` or as early after it as their times allow.
  void closeAll(Picoseconds when);

  /// Draws a slice whose end is known.
  void draw(const Track& in, std::uint32_t lane, std::string_view name, TraceTime begin,
            TraceTime end, const TraceEvents::Arguments& arguments);

 private:
  struct Slice {
    Track* track;
    std::uint32_t lane;
    std::string name;
    TraceTime begin;
    TraceEvents::Arguments arguments;
    std::uint64_t number;  ///< in the order in which slices are opened
    bool begun = false;    ///< its beginning is in the file
  };

  void begin(Slice& slice);
  /// Begins those around a slice, and itself, that opened before the window.
  void beginLate(const Slice& inner);
  void finish(Slice& slice, TraceTime end);

  TraceEvents& file_;
  const TimeWindow window_;
  std::map<std::pair<std::uint32_t, std::string>, std::unique_ptr<Track>> tracks_;
  std::map<std::uint32_t, std::uint32_t> trackCount_;  ///< by process
  std::multimap<std::pair<Track*, std::uint64_t>, Slice> open_;
  std::uint64_t opened_ = 0;
};

}  // namespace t3
