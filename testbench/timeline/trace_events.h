// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/output/output_file.h"
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

/// A file in the Trace Event format that Perfetto and chrome://tracing open, written as it grows.
/// Times are whole nanoseconds. Slices of one thread lie one after the other or in one another;
/// arrows are kept to the end of the file, because whoever reads it sorts by time and finds a slice
/// only if it comes before an arrow of the same time.
class TraceEvents {
 public:
  using Arguments = std::vector<std::pair<std::string_view, std::uint64_t>>;

  /// Throws ConfigError, naming `option`, if the file cannot be written.
  TraceEvents(const std::string& option, const std::string& path);

  /// Names of tracks, and their order among those of the same kind.
  void process(std::uint32_t process, const std::string& name);
  void thread(std::uint32_t process, std::uint32_t thread, const std::string& name);

  void slice(std::uint32_t process, std::uint32_t thread, std::string_view name, TraceTime begin,
             TraceTime end, const Arguments& arguments = {});
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
  void arguments(std::string& text, const Arguments& arguments);
  void metadata(std::uint32_t process, std::uint32_t thread, std::string_view kind,
                const std::string& argument);

  OutputFile file_;
  std::string pending_, arrows_;
  std::uint64_t arrowCount_ = 0;
};

}  // namespace t3
