// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/output/output_file.h"
#include "testbench/probe/scope.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Times in the file: whole nanoseconds.
using TraceTime = std::uint64_t;
inline constexpr Picoseconds kPicosecondsPerTraceTime = 1000;
inline TraceTime traceTime(Picoseconds time) { return time / kPicosecondsPerTraceTime; }

/// A point of a track, at which an arrow begins, passes or ends. It lies in a slice of the track.
struct TracePoint {
  std::uint32_t process = 0, thread = 0;
  TraceTime when = 0;
};

/// A file in the Trace Event format, which Perfetto and Speedscope open, written as it grows.
///
/// A slice is two events, because viewers add a duration in floating point and may pass the begin
/// of the next slice. Readers sort by time and keep the order of the file at equal times. So a
/// slice begins in the file before those in it and ends after them, and before the next one of its
/// thread begins. Arrows stand at the end of the file: a slice is found only if it comes before an
/// arrow of its time.
class TraceEvents {
 public:
  using Arguments = std::vector<std::pair<std::string_view, std::uint64_t>>;

  /// `title` says what the file shows. Throws ConfigError naming `option`.
  TraceEvents(const std::string& option, const std::string& path, const std::string& title);

  /// Names of tracks, and their order among those of the same kind.
  void process(std::uint32_t process, const std::string& name);
  void thread(std::uint32_t process, std::uint32_t thread, const std::string& name);

  void sliceBegins(std::uint32_t process, std::uint32_t thread, std::string_view name,
                   TraceTime when, const Arguments& arguments);
  /// Of the thread's slice that began last; name and arguments let a viewer check that it is.
  void sliceEnds(std::uint32_t process, std::uint32_t thread, std::string_view name, TraceTime when,
                 const Arguments& arguments);
  void instant(std::uint32_t process, std::uint32_t thread, std::string_view name, TraceTime when,
               const Arguments& arguments = {});
  void counter(std::uint32_t process, std::string_view name, TraceTime when,
               const Arguments& series);
  /// From the first point over the others to the last one; at least two.
  void arrow(std::string_view name, const std::vector<TracePoint>& way);

  /// Writes the rest and gives the file its name. Throws std::runtime_error.
  void finish();

 private:
  /// Begins an event of one kind; `end` closes it.
  void begin(std::string& text, char kind, std::uint32_t process, std::string_view name);
  void end(std::string& text);
  /// An event of a thread, with all that it has.
  void event(char kind, std::uint32_t process, std::uint32_t thread, std::string_view name,
             TraceTime when, std::string_view more, const Arguments& arguments);
  void arguments(std::string& text, const Arguments& arguments);
  void metadata(std::uint32_t process, std::uint32_t thread, std::string_view kind,
                const std::string& argument);

  OutputFile file_;
  const std::string title_;  ///< in JSON
  std::string arrows_;
  std::uint64_t arrowCount_ = 0;
};

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

/// All tracks of a timeline, and their open slices. What is outside the window is left out.
class Tracks {
 public:
  Tracks(TraceEvents& file, const TimeWindow& window) : file_(file), window_(window) {}

  bool contains(std::uint32_t process) const { return trackCount_.contains(process); }
  /// A process without tracks so far.
  void add(std::uint32_t process) { trackCount_[process] = 0; }

  /// A track by its name. Tracks are shown in the order in which they are first asked for.
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

/// A model, and the track that its slices go to unless the event says otherwise.
struct ModelPlace {
  std::string part;  ///< without the GPU: "gpu.dma", "link_1"
  int gpu = -1;      ///< -1: it belongs to none
  std::uint32_t process = 0;
  bool inScope = false;

  /// Of a GPU, or of the switch.
  bool isLink() const { return part.find("link") != std::string::npos; }
  /// The merge unit of a port of the switch.
  bool isMerge() const { return part.find("merge") != std::string::npos; }
  /// The tracker's unit of one of several stacks; empty if it is none: "stack3".
  std::string stack() const {
    constexpr std::string_view kTracker = "tracker.";
    if (!part.starts_with("tracker.stack")) return "";
    const std::string name = part.substr(kTracker.size());
    return name.find('.') == std::string::npos ? name : "";
  }
};

}  // namespace t3
