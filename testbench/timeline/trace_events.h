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

/// A file in the Trace Event format, which Perfetto and Speedscope open, written as it grows.
/// Times are whole nanoseconds.
///
/// A slice is two events, its beginning and its end, because viewers add a duration in floating
/// point: their sum may pass the beginning of the next slice. Whoever reads the file sorts by time
/// and keeps the order of the file where times are equal. So a slice begins in the file before
/// those in it and ends after them, and ends before the next one of its thread begins. Arrows are
/// kept to the end of the file, because a slice is found only if it comes before an arrow of the
/// same time.
class TraceEvents {
 public:
  using Arguments = std::vector<std::pair<std::string_view, std::uint64_t>>;

  /// `title` says in the file's metadata what it shows. Throws ConfigError, naming `option`, if the
  /// file cannot be written.
  TraceEvents(const std::string& option, const std::string& path, const std::string& title);

  /// Names of tracks, and their order among those of the same kind.
  void process(std::uint32_t process, const std::string& name);
  void thread(std::uint32_t process, std::uint32_t thread, const std::string& name);

  void sliceBegins(std::uint32_t process, std::uint32_t thread, std::string_view name,
                   TraceTime when, const Arguments& arguments);
  /// Of the slice of the thread that began last; `name` and `arguments` are repeated, which lets a
  /// viewer check that it is that one.
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
  std::string pending_, arrows_;
  std::uint64_t arrowCount_ = 0;
};

}  // namespace t3
