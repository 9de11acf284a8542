// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

/// A time that was waited, and for what.
struct Wait {
  Picoseconds time = 0;
  std::string reason;
};

/// `later` - `earlier`, 0 if that is negative.
Picoseconds since(Picoseconds later, Picoseconds earlier);

// How numbers are written in a story.
std::string microseconds(Picoseconds time);
std::string hexadecimal(std::uint64_t number);
std::string gpuName(std::uint32_t gpu);
/// "1 byte", "2 bytes".
std::string counted(std::uint64_t count, const std::string& word);

/// The text of a story: lines with the time of what happens, the time since the line before, and
/// what that time was waited for. Adds up what was waited for.
class StoryText {
 public:
  /// Words without a time.
  void add(const std::string& words) { text_ += words; }
  void title(const std::string& words) { text_ += "\n" + words + "\n"; }
  void note(const std::string& words);

  /// Something on the way of the tile. Of the time since the line before, `waits` say what was
  /// waited for; the rest was waited for `reason`.
  void line(Picoseconds when, const std::string& what, const std::string& reason,
            std::vector<Wait> waits = {});
  /// The same for what is only worth a line if it took time.
  void lineIfLater(Picoseconds when, const std::string& what, const std::string& reason);
  /// Something beside the way.
  void aside(Picoseconds when, const std::string& what);
  /// The time of the last line.
  Picoseconds last() const { return last_; }

  /// From the next line on waits are added up.
  void startSum() { sums_ = true; }
  bool hasSum() const { return total_ != 0; }
  /// Writes the sum, the longest wait first.
  void sum();

  const std::string& text() const { return text_; }

 private:
  void times(Picoseconds when, const std::string& passed);
  void spend(const Wait& wait);

  std::string text_;
  Picoseconds last_ = 0;
  bool begun_ = false;  ///< a line has been written
  bool sums_ = false;
  Picoseconds total_ = 0;
  std::vector<Wait> spent_;
};

}  // namespace t3
