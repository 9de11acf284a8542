// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "testbench/follow/story_text.h"
#include "testbench/follow/tile_record.h"

namespace t3 {

/// The requests that carry a tile, or its sum so far, from one GPU into the memory of the next: how
/// they get there and where they wait.
class RequestStory {
 public:
  using Request = TileRecord::Request;
  using Requests = std::vector<const Request*>;

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
  static const Request& slowest(const Requests& requests);
  /// Where a request is that has not arrived, and what it waits for there.
  std::string whereIs(const Request& request) const;

  /// Tells the way of the stores of `from`, or of its updates, into the memory of `at`: that of the
  /// slowest. False if they do not all arrive; then it tells where they are.
  bool arrives(const Requests& requests, std::uint32_t from, std::uint32_t at);
  /// Where the tile is at the end of the run, if it goes no further.
  void stands(const std::string& where);

 private:
  TileRecord::Part originOf(const Request& request) const;
  bool madeBy(const Request& request, std::uint32_t gpu,
              std::initializer_list<TileRecord::Part> parts) const;
  void tell(const Request& request, std::uint32_t at);
  void tell(const Request& request, const TileRecord::Step& step, std::uint32_t at);
  void created(const Request& request, const TileRecord::Step& step);
  void leaves(const Request& request, const TileRecord::Step& step, const std::string& unit);

  const TileRecord& record_;
  StoryText& story_;
  std::uint64_t tileBytes_;
};

}  // namespace t3
