// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/spelling.h"
#include "testbench/follow/tile_record.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The life of the recorded tile as text: from its store, by way of every GPU that adds to it, to
/// the last addition in the one that keeps it. Each line has its time, the time since the line
/// before, and what that was waited for. Of many requests the last to arrive is told. A life that
/// did not end says where it stands.
std::string tileStory(const TileRecord& record);

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

/// The text of a story: lines with the time of what happens, the time since the line before, and
/// what that time was waited for. Adds up what was waited for.
class StoryText {
 public:
  /// Words without a time.
  void add(const std::string& words) { text_ += words; }
  void title(const std::string& words) { text_ += "\n" + words + "\n"; }
  void note(const std::string& words);

  /// Something on the way. Of the time since the line before, what is not in `waits` is `reason`'s.
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

/// The requests that carry a tile, or its sum so far, into the memory of the next GPU.
class RequestStory {
 public:
  using Requests = std::vector<const TileRequest*>;

  RequestStory(const TileRecord& record, StoryText& story);

  /// Stores of a GPU's own part.
  Requests stores(std::uint32_t gpu) const;
  /// Updates with which a GPU sends on its sum.
  Requests updates(std::uint32_t gpu) const;
  /// What `from` adds to the sum in `at`.
  Requests contribution(std::uint32_t from, std::uint32_t at) const;

  static std::uint64_t countedBytes(const Requests& requests);
  /// When the last of them got to that step.
  static std::optional<Picoseconds> last(const Requests& requests, RequestPhase phase);
  /// The one that is counted last; if some are not, the one that has got least far.
  static const TileRequest& slowest(const Requests& requests);
  /// Where a request is that has not arrived, and what it waits for there.
  std::string whereIs(const TileRequest& request) const;

  /// Tells the way of the stores of `from`, or of its updates, into the memory of `at`: that of the
  /// slowest. False if they do not all arrive; then it tells where they are.
  bool arrives(const Requests& requests, std::uint32_t from, std::uint32_t at);
  /// Where the tile is at the end of the run, if it goes no further.
  void stands(const std::string& where);

 private:
  TilePart originOf(const TileRequest& request) const;
  bool madeBy(const TileRequest& request, std::uint32_t gpu,
              std::initializer_list<TilePart> parts) const;
  void tell(const TileRequest& request, std::uint32_t at);
  void tell(const TileRequest& request, const TileStep& step, std::uint32_t at);
  void created(const TileRequest& request, const TileStep& step);
  void leaves(const TileRequest& request, const TileStep& step, const std::string& unit);

  const TileRecord& record_;
  const TileWay& way_;
  StoryText& story_;
  std::uint64_t tileBytes_;
};

}  // namespace t3
